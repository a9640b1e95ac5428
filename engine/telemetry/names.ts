/**
 * Names of the OpenTelemetry conventions for generative AI, version 0.1.0 (development): the one place to change when they
 * do. Names without a counterpart there begin with `chukwa.`.
 */
export const CONVENTIONS_URL = 'https://opentelemetry.io/schemas/gen-ai/0.1.0';

/** How the values of an instrument add up. */
interface Instrument {
  readonly kind: 'counter' | 'histogram';
  readonly unit: string;
  readonly description: string;
  /** Of a histogram: the upper ends of its buckets. */
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** In seconds: the boundaries that the conventions recommend for every wait for a model. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

function seconds(description: string): Instrument {
  return { kind: 'histogram', unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } };
}

function tokens(description: string): Instrument {
  return { kind: 'counter', unit: '{token}', description };
}

/** Every instrument, by its name. */
export const INSTRUMENTS = {
  'gen_ai.client.inference.duration': seconds('How long a generation took.'),
  'gen_ai.client.inference.usage.input_tokens': tokens('Tokens that models were shown, cached ones included.'),
  'gen_ai.client.inference.usage.output_tokens': tokens('Tokens that models wrote, reasoning included.'),
  'gen_ai.client.inference.usage.cache_read.input_tokens': tokens('Tokens that models were shown from a cache.'),
  'gen_ai.client.inference.usage.reasoning.output_tokens': tokens('Tokens of reasoning that models wrote.'),
  'gen_ai.execute_tool.duration': seconds('How long a call of a tool took that a model elected.'),
  'gen_ai.invoke_agent.duration': seconds('How long an agent turn took.'),
  'gen_ai.invoke_workflow.duration': seconds('How long an attempt took, from its beginning to its end.'),
  'chukwa.attempts': { kind: 'counter', unit: '{attempt}', description: 'Attempts that ended or rest, by outcome.' },
  'chukwa.calls.in_doubt': {
    kind: 'counter',
    unit: '{call}',
    description: 'Calls of which nobody knows whether their side effect took place.',
  },
  'chukwa.queue.wait': seconds('How long a queued turn was due before an attempt began it.'),
} as const satisfies Readonly<Record<string, Instrument>>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** Providers as the conventions name them, by the end of the host's name. */
const PROVIDERS: readonly (readonly [host: string, name: string])[] = [
  ['api.anthropic.com', 'anthropic'],
  ['api.cohere.com', 'cohere'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.moonshot.ai', 'moonshot_ai'],
  ['api.openai.com', 'openai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.x.ai', 'x_ai'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['openai.azure.com', 'azure.ai.openai'],
];

/** The provider of a model. Of a host that the conventions do not name, the plugin that asks it. */
export function providerOf(host: string | undefined, plugin: string): string {
  const known = PROVIDERS.find(([end]) => host === end || host?.endsWith(`.${end}`) || host?.endsWith(`-${end}`));
  return known?.[1] ?? plugin;
}
