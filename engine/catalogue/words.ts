import { runOf } from '../contract/scripted.js';
import type { PassedOn } from '../core/protocol/on-failure.js';
import type { Cost } from '../core/cost/cost.js';
import type { InvocationSummary } from '../ports/records.js';

/** `1 call`, `2 calls`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A number with its thousands apart. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** A name as a title begins. */
export function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** A moment as people read it: `2025-10-04 12:00 UTC`. */
export function toMoment(rfc3339: string): string {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return rfc3339;
  const text = date.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, text.endsWith(':00.000Z') ? 16 : 19)} UTC`;
}

/** A moment to the minute, for tables whose title names UTC: `2025-10-04 12:00`. */
export function toMinute(rfc3339: string): string {
  return toMoment(rfc3339).slice(0, 16);
}

/** A length of time: `23 ms`, `4.2 s`, `2 min 10 s`, `4.5 h`, `6.9 days`. */
export function toDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  if (milliseconds < 3_600_000)
    return `${Math.floor(milliseconds / 60_000)} min ${Math.floor(milliseconds / 1_000) % 60} s`;
  if (milliseconds < 172_800_000) return `${(milliseconds / 3_600_000).toFixed(1)} h`;
  return `${(milliseconds / 86_400_000).toFixed(1)} days`;
}

/** How long it took; null until it has ended. */
export function tookFrom(from: string, until: string | null): string | null {
  return until === null ? null : toDuration(Date.parse(until) - Date.parse(from));
}

/** Whether a text is a number, an amount, a share or a length of time, which tables set to the right. */
export function isQuantity(text: string): boolean {
  return /^<?\$?\d[\d.,]*( (%|ms|s|h|days|min \d+ s))?$/.test(text);
}

/** A number as people read it: `12,345`. */
export function toThousands(number: number): string {
  return number.toLocaleString('en-US');
}

/** An amount of money, to a hundredth of a cent; nothing where none is known. */
export function toDollars(usd: number | null): string | null {
  if (usd === null) return null;
  return 0 < usd && usd < 0.0001
    ? '<$0.0001'
    : `$${usd.toLocaleString('en-US', { minimumFractionDigits: 4, maximumFractionDigits: 4 })}`;
}

/** A part of a whole: `12 %`. */
export function toShare(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}

/** The tokens of a record in a table; nothing where none was counted. */
export function tokensOf({ input_tokens, output_tokens }: Cost): string | null {
  return input_tokens + output_tokens === 0 ? null : toThousands(input_tokens + output_tokens);
}

/** The money of a record in a table. */
export function moneyOf({ usd, unpriced_calls, uncounted_calls }: Cost): string | null {
  return usd === null || unpriced_calls + uncounted_calls === 0 ? toDollars(usd) : `at least ${toDollars(usd)}`;
}

/** The tokens and the money of a record, as facts; none of a record without generations. */
export function costFacts(cost: Cost): { readonly tokens: string | null; readonly cost: string | null } {
  const { calls, input_tokens, output_tokens, usd, unpriced_calls, estimated_calls, uncounted_calls } = cost;
  if (calls === 0) return { tokens: null, cost: null };
  const part = (number: number, of: string): string => (number === 0 ? '' : `, ${toThousands(number)} ${of}`);
  const parts = [
    part(cost.cached_input_tokens, 'of the input cached'),
    part(cost.cache_written_input_tokens, 'of the input written to the cache'),
    part(cost.reasoning_tokens, 'of the output reasoning'),
  ];
  const doubts = [
    ...(estimated_calls === 0 ? [] : [`${count(estimated_calls, 'call')} estimated`]),
    ...(uncounted_calls === 0 ? [] : [`${count(uncounted_calls, 'call')} without counts`]),
  ];
  const doubted = doubts.length === 0 ? '' : ` (${doubts.join(', ')})`;
  const used = `${toThousands(input_tokens)} in, ${toThousands(output_tokens)} out${parts.join('')}`;
  const left_out = unpriced_calls + uncounted_calls;
  const known = usd === null ? 'not known: its models have no price here' : moneyOf(cost);
  return {
    tokens: `${used}, in ${count(calls, 'generation')}${doubted}`,
    cost: usd === null || left_out === 0 ? known : `${known}: ${count(left_out, 'call')} not priced`,
  };
}

export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

export const PASSED_ON: Readonly<Record<PassedOn, string>> = {
  told_to_model: 'told to the model',
  absent: 'the reading is absent',
  asked_fallback: 'the fallback was asked',
};

export function failureName(failure_class: string, failure_detail: string | null): string {
  if (failure_detail === null) return failure_class;
  const words = Object.entries(PASSED_ON).find(([detail]) => detail === failure_detail)?.[1];
  return `${failure_class}, ${words ?? failure_detail}`;
}

/** A stored word for people: `model_elected_tool` as `model elected tool`; nothing for none. */
export function words(name: string | null): string {
  return (name ?? '').replaceAll('_', ' ');
}

const CALL_WORDS: Readonly<Record<InvocationSummary['invocation_kind'], string>> = {
  llm_generation: 'generation',
  ambient_context: 'reading',
  model_elected_tool: 'tool',
  node_call: 'node call',
  quality_gate: 'quality gate',
};

export function callWord({ invocation_kind }: Pick<InvocationSummary, 'invocation_kind'>): string {
  return CALL_WORDS[invocation_kind];
}

/** Which run of its subject made a call, if not the first: ", run 2". */
export function runWord({ command_key }: Pick<InvocationSummary, 'command_key'>): string {
  const run = runOf(command_key);
  return run === 1 ? '' : `, run ${run}`;
}

/** At most so many characters of a text, with a mark where some were left out. */
export function shorten(text: string, length_max: number): string {
  return text.length <= length_max ? text : `${text.slice(0, Math.max(0, length_max - 1))}…`;
}

/** What an answer was taken for, or why it was not taken; nothing where neither is known. */
export function toVerdict(
  call: Pick<InvocationSummary, 'model_output_kind' | 'failure_detail' | 'failure_class'>,
): string {
  const { model_output_kind, failure_detail, failure_class } = call;
  if (failure_class === null) return words(model_output_kind);
  // Only an answer is rejected; of another failure there is none, or it is not judged.
  return failure_class === 'model_content'
    ? `rejected: ${words(failure_detail ?? failure_class)}`
    : `failed: ${words(failure_class)}`;
}

export function labelOf(call: InvocationSummary): string {
  const { ambient_source_id, tool_name, workflow_node_id } = call;
  if (call.llm_call_id !== null) return (!call.is_superseded && toVerdict(call)) || callWord(call);
  return ambient_source_id ?? tool_name ?? workflow_node_id ?? words(call.invocation_kind);
}
