import { percentile95 } from '../cost/estimate.js';
import { type Amounts, type Limits, NOTHING } from '../protocol/amounts.js';
import type { Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import { deniesCall } from '../protocol/failure.js';
import type { PriceTokens } from '../protocol/program.js';
import { countUsed, estimateTexts, estimateTokens } from '../protocol/token-counts.js';
import type { Estimate } from './budget.js';

/** What is known of a call before it is made. */
interface Known {
  /** The tokens of earlier answers of its node. */
  readonly outputs: readonly number[];
  /** What its budget has not spent. */
  readonly unspent: Limits;
  readonly price: PriceTokens | undefined;
}

/** The tokens of a call's prompt, by its texts. */
export function countInput({ generation }: Invoke): number {
  if (generation === undefined) return 0;
  const { messages, offered, schema_delivery } = generation;
  const beside = schema_delivery === 'response_format' ? estimateTexts(schemaText(offered.delivered.schema)) : 0;
  return estimateTokens(messages, '').input_tokens + beside;
}

/** A schema is the same in every round: it is written once. */
const schemaTexts = new WeakMap<object, string>();

function schemaText(schema: object): string {
  const text = schemaTexts.get(schema) ?? JSON.stringify(schema);
  schemaTexts.set(schema, text);
  return text;
}

/** Of a node that has not answered yet, whose source names no limit. */
const EXPECTED_OUTPUT = 1_024;

/**
 * A generation before it is made. Its answer will most likely be as long as 19 in 20 earlier ones of its node, else as
 * long as its source permits, else of a usual length, or of what is left where that is less.
 */
export function estimateCall(command: Invoke, { outputs, unspent, price }: Known): Estimate {
  const input = countInput(command);
  const { output_limit } = command.call.source;
  const of_node = Math.max(1, (command.node_tokens_left ?? Number.MAX_SAFE_INTEGER) - input);
  const most_output = Math.min(of_node, output_limit ?? Number.MAX_SAFE_INTEGER);
  const unsaid = output_limit ?? Math.max(1, Math.min(EXPECTED_OUTPUT, (unspent.tokens ?? Infinity) - input));
  const output = Math.min(most_output, percentile95(outputs) ?? unsaid);
  const amounts = (output_tokens: number, ms: number): Amounts => ({
    tokens: input + output_tokens,
    money: price?.(command.call.source, { input_tokens: input, output_tokens }) ?? null,
    generations: 1,
    ms,
  });
  return { least: amounts(output, 1), most: amounts(most_output, command.deadline_ms) };
}

/** What a generation has used: as its provider counts, else as its texts do. One that was not performed has used nothing. */
export function usedBy(command: Invoke, event: CallEvent, price: PriceTokens | undefined): Amounts {
  const { messages = [] } = command.generation ?? {};
  if (event.kind === 'call_refused') return NOTHING;
  const { usage } = event;
  if (usage === 'paid_before') return NOTHING;
  if (event.kind === 'call_failed' && usage === undefined && deniesCall(event))
    return { ...NOTHING, ms: event.duration_ms ?? 0 };
  const { counts } = countUsed(usage, messages, saidIn(event));
  return {
    tokens: counts.input_tokens + counts.output_tokens,
    money: price?.(command.call.source, counts) ?? null,
    generations: 1,
    ms: event.duration_ms ?? 0,
  };
}

function saidIn(event: CallEvent): string {
  if (event.kind !== 'call_answered') return '';
  const { text } = event.value as { readonly text?: unknown };
  return typeof text === 'string' ? text : '';
}
