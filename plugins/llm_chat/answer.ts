import type { Capabilities, ChatAnswer, Json, SourceFailureClass, TokenUsage } from 'chukwa/plugin';
import type OpenAI from 'openai';

/** What has been heard of a streamed answer so far. */
export interface Heard {
  readonly text: string;
  readonly refusal: string;
  readonly finish_reason: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly system_fingerprint: string | undefined;
}

/** Why there is no answer. */
export interface Failed {
  readonly failure_class: SourceFailureClass;
  readonly message: string;
}

export const HEARD_NOTHING: Heard = {
  text: '',
  refusal: '',
  finish_reason: undefined,
  usage: undefined,
  id: undefined,
  model: undefined,
  system_fingerprint: undefined,
};

/** Takes in one event of the stream. */
export function hear(heard: Heard, event: OpenAI.ChatCompletionChunk): Heard {
  const choice = firstChoice(event);
  return {
    text: heard.text + textOf(event),
    refusal: heard.refusal + (choice?.delta?.refusal ?? ''),
    finish_reason: choice?.finish_reason || heard.finish_reason,
    usage: (event.usage ? toTokenUsage(event.usage) : undefined) ?? heard.usage,
    id: findText(event.id) || heard.id,
    model: findText(event.model) || heard.model,
    system_fingerprint: findText(event.system_fingerprint) ?? heard.system_fingerprint,
  };
}

/** The choice that is asked for; a server may leave its number out. */
function firstChoice({ choices }: OpenAI.ChatCompletionChunk): OpenAI.ChatCompletionChunk.Choice | undefined {
  return choices?.find(({ index }) => (index ?? 0) === 0);
}

/** Servers send anything. */
function findText(said: unknown): string | undefined {
  return typeof said === 'string' ? said : undefined;
}

/** Characters of all that is kept, and never more than its bytes, which the engine limits. */
export function lengthOf({ text, refusal, id, model, system_fingerprint, finish_reason }: Heard): number {
  const beside = (id ?? '').length + (model ?? '').length + (system_fingerprint ?? '').length;
  return text.length + refusal.length + beside + (finish_reason ?? '').length;
}

/** The piece of the model's text in one event. */
export function textOf(event: OpenAI.ChatCompletionChunk): string {
  return findText(firstChoice(event)?.delta?.content) ?? '';
}

/** Why an event is no part of an answer: some servers send an error as an ordinary event, and some send anything. */
export function findErrorIn(event: unknown, quote: Capabilities['quote']): string | undefined {
  if (isChunk(event)) return undefined;
  return `the stream held an event that is no part of an answer: ${quote(JSON.stringify(event))}`;
}

/** Whether an event has the shape that is read here: the client passes on whatever is JSON. */
function isChunk(event: unknown): event is OpenAI.ChatCompletionChunk {
  if (!isRecord(event)) return false;
  const { choices, usage } = event;
  if (!isLeftOut(usage) && !isRecord(usage)) return false;
  return Array.isArray(choices) ? choices.every(isChoice) : isLeftOut(choices) && isRecord(usage);
}

function isChoice(choice: unknown): boolean {
  if (!isRecord(choice)) return false;
  const { delta, finish_reason } = choice;
  if (!isTextOrLeftOut(finish_reason)) return false;
  return (
    isLeftOut(delta) || (isRecord(delta) && isTextOrLeftOut(delta['content']) && isTextOrLeftOut(delta['refusal']))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextOrLeftOut(value: unknown): boolean {
  return typeof value === 'string' || isLeftOut(value);
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}

/** What the whole stream comes to. An answer cut by its length is an ordinary answer. */
export function conclude(
  heard: Heard,
  quote: Capabilities['quote'],
): { readonly ok: true; readonly answer: ChatAnswer } | ({ readonly ok: false } & Failed) {
  if (heard.refusal !== '') return failed('model_refusal', `the model refused to answer: ${quote(heard.refusal)}`);
  if (heard.finish_reason === undefined) {
    return failed('transport', 'the stream ended before the model had finished: it was cut on the way');
  }
  if (heard.finish_reason === 'content_filter')
    return failed('model_refusal', "the endpoint's content filter stopped the answer");
  return { ok: true, answer: { text: heard.text, finish_reason: heard.finish_reason } };
}

/** What is kept beside the call of who answered. */
export function toProviderArtifact({ id, model, system_fingerprint, finish_reason }: Heard): Json {
  return {
    id: id ?? null,
    model: model ?? null,
    system_fingerprint: system_fingerprint ?? null,
    finish_reason: finish_reason ?? null,
  };
}

/** What was asked, as far as messages about its failure need it. */
export interface AskedOf {
  readonly model: string;
  /** A schema travelled beside the messages. */
  readonly sent_schema: boolean;
  readonly quote: Capabilities['quote'];
  readonly retry_after?: string;
}

/** What to do about an endpoint that knows no schemas. */
const IN_PROMPT = 'Write "schema_delivery": "prompt" in the source, and the schema stands in the prompt';

/** What a status outside 200 to 299 means. */
export function readRefusal(http_status: number, body: string, asked: AskedOf): Failed {
  const said = findErrorMessage(body) ?? body.trim();
  const cause = said === '' ? '' : `: ${asked.quote(said)}`;
  if ((http_status === 400 || http_status === 422) && asked.sent_schema && isAboutSchema(body)) {
    return {
      failure_class: 'structured_output_rejected',
      message: `the endpoint does not take the schema as response_format (${http_status})${cause}. ${IN_PROMPT}`,
    };
  }
  const message = `the endpoint answered with status ${http_status}${cause}`;
  const advice = http_status === 404 && hasExplained(body) ? '' : adviceFor(http_status, asked);
  return {
    failure_class: 'http_status',
    message: advice === '' ? message : `${message.replace(/[.;,\s]+$/, '')}; ${advice}`,
  };
}

/** What an `error` event inside the stream means. */
export function readErrorEvent(error: unknown, asked: AskedOf): Failed {
  const body = JSON.stringify({ error });
  const message = asked.quote(findErrorMessage(body) || body);
  if (asked.sent_schema && isAboutSchema(body)) {
    return {
      failure_class: 'structured_output_rejected',
      message: `the endpoint does not take the schema as response_format: ${message}. ${IN_PROMPT}`,
    };
  }
  return { failure_class: 'transport', message: `the endpoint broke off its answer with an error: ${message}` };
}

function adviceFor(http_status: number, { model, retry_after }: AskedOf): string {
  if (http_status === 401) return 'set CHUKWA_LLM_API_KEY to a key that the endpoint knows';
  if (http_status === 403) return `the key has no right to the model ${model}`;
  if (http_status === 404)
    return `the endpoint has no model ${model}, or CHUKWA_LLM_BASE_URL does not lead to its API (most end in /v1)`;
  if (http_status === 429)
    return `too many requests, or the quota is used up; try again ${retry_after ? `after ${retry_after} s` : 'later'}`;
  if (http_status >= 500) return 'the fault is on its side; try again later';
  return '';
}

function isAboutSchema(body: string): boolean {
  return /response_format|json_schema|structured[ _-]outputs?|guided[ _-](json|decoding)/i.test(body);
}

/** Whether the endpoint has said in words of its own what it lacks, and not only that it knows no such model. */
function hasExplained(body: string): boolean {
  const error = readError(body);
  const isModel = typeof error === 'object' && error !== null && 'code' in error && error.code === 'model_not_found';
  return !isModel && (findErrorMessage(body) ?? '') !== '';
}

/** @returns undefined where the body holds no message: many proxies answer with a page */
function findErrorMessage(body: string): string | undefined {
  const error = readError(body);
  if (typeof error === 'string') return error;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : undefined;
}

function readError(body: string): unknown {
  try {
    const parsed = JSON.parse(body) as { readonly error?: unknown } | null;
    return typeof parsed === 'object' ? (parsed?.error ?? parsed) : undefined;
  } catch {
    return undefined;
  }
}

function toTokenUsage(usage: OpenAI.CompletionUsage): TokenUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    ...(typeof cached === 'number' ? { cached_input_tokens: cached } : {}),
    ...(typeof reasoning === 'number' ? { reasoning_tokens: reasoning } : {}),
  };
}

function failed(failure_class: SourceFailureClass, message: string): { readonly ok: false } & Failed {
  return { ok: false, failure_class, message };
}
