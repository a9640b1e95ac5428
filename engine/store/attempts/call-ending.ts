import { toCountColumns } from '../../core/protocol/token-counts.js';
import { toStoredText } from '../../core/content/stored-text.js';
import type { Json } from '../../contract/json.js';
import type { Verdict } from '../../core/protocol/verdict.js';
import { canonicalText } from '../../core/content/canonical.js';
import type { CallFinish } from '../../ports/attempts.js';
import type { CallOutcome } from '../../ports/sources.js';
import { type Values, toTimestamp } from '../statement.js';
import { isDerived } from './derived-artifacts.js';
import { EVENT_ID } from './event-numbers.js';
import { toBatch } from './flush-chunks.js';

/** How a call ended, column by column. */
const ENDING_TYPES = {
  status: 'source_invocation_status',
  answered: 'boolean',
  refused: 'boolean',
  failure_class: 'text',
  failure_detail: 'text',
  failure_message: 'text',
  model_output_kind: 'model_output_kind',
  ended_at: 'timestamptz',
  duration_ms: 'bigint',
  response_json: 'json',
  response_body: 'bytea',
  response_headers: 'json',
  http_status: 'int',
  retry_after_ms: 'bigint',
  outcome_unknown: 'boolean',
  validation_status: 'validation_status',
} as const;

/** Columns that a statement writes, each with its value. */
export type Assignments = readonly (readonly [column: string, value: string])[];

/** The columns that the end of a call writes, from the fence of its statement. */
export const ENDING: Assignments = [
  ...Object.entries(ENDING_TYPES).map(([column, type]) => [column, `:${column}::${type}`] as const),
  ['ended_event_id', EVENT_ID],
];

export function toEnding(finish: CallFinish): Values {
  const { outcome, verdict } = finish;
  return {
    ...toFailure(outcome, verdict),
    answered: outcome.status === 'succeeded',
    model_output_kind: verdict?.model_output_kind ?? null,
    ended_at: toTimestamp(outcome.ended_at),
    duration_ms: Math.max(0, Math.round(outcome.duration_ms)),
    response_json: toKept(finish),
    response_body: outcome.response_body ?? null,
    response_headers: canonicalText(toStoredHeaders(outcome.response_headers ?? {})),
    http_status: outcome.http_status ?? null,
    outcome_unknown: outcome.status === 'failed' && outcome.outcome_unknown === true,
    retry_after_ms: (outcome.status === 'failed' ? outcome.retry_after_ms : undefined) ?? null,
    validation_status: toValidationStatus(outcome, verdict),
  };
}

/** The text of a generation is its stream, and is nowhere else: its row keeps the items. */
function toKept({ outcome: { answer }, llm_call_id }: CallFinish): string | null {
  const kept = llm_call_id ? (answer as { readonly items?: Json } | undefined)?.items : answer;
  return kept === undefined ? null : canonicalText(kept);
}

function toFailure(outcome: CallOutcome, verdict: Verdict | undefined): Values {
  const failed = outcome.status === 'failed' ? outcome : undefined;
  const failure_class = failed?.failure_class ?? verdict?.failure?.failure_class ?? null;
  const message = failed?.failure_message ?? verdict?.failure?.message;
  return {
    status: failure_class === null ? 'succeeded' : 'failed',
    refused: failed?.refused ?? false,
    failure_class,
    failure_detail: verdict?.failure?.detail ?? verdict?.passed_on ?? null,
    failure_message: message === undefined ? null : toStoredText(message),
  };
}

/** The core checks a model's answer after the call: its verdict holds the result. */
function toValidationStatus(outcome: CallOutcome, verdict: Verdict | undefined): CallOutcome['validation_status'] {
  if (verdict?.failure?.failure_class === 'model_content') return 'invalid';
  const isAccepted = verdict?.model_output_kind !== undefined && verdict.failure === undefined;
  return isAccepted ? 'valid' : outcome.validation_status;
}

/** Headers as text columns take them. */
export function toStoredHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toStoredText(value)]));
}

/** The artifacts of a plugin and of the verdict beside a generation's text, without those that derive from it. */
function toArtifacts({ outcome, verdict }: CallFinish) {
  const artifacts = [...(outcome.trace?.artifacts ?? []), ...(verdict?.artifacts ?? [])];
  return artifacts
    .filter(({ kind }) => !isDerived(kind))
    .map(({ kind, value }) => ({ kind: toStoredText(kind), value }));
}

/**
 * Rows that a verdict leaves beside the call, read from the CTE `@call` of its slot.
 * Only rejected answers enter the audit while the attempt still runs.
 */
export const REJECTION_ROW = `
  @rejection AS (
    INSERT INTO audit_entries (world_slug, audit_kind, attempt_id, occurred_at, source_invocation_id, attempt_number,
      raw_response, rejection)
    SELECT world_slug, 'generation_rejected', attempt_id, :ended_at::timestamptz, source_invocation_id,
      :rejected_try::int, :rejected_text::bytea, :rejection::text
    FROM @call WHERE :rejection::text IS NOT NULL)`;

export function toRejection({ verdict }: CallFinish): Values {
  const rejection = verdict?.rejection;
  return {
    rejected_try: rejection?.attempt_number ?? null,
    rejected_text: rejection ? Buffer.from(rejection.raw_response) : null,
    rejection: rejection ? toStoredText(rejection.rejection) : null,
  };
}

/** The columns that the end of a generation writes to its row in `llm_calls`. */
export const GENERATION_ENDING: Assignments = [
  ['status', ':status::source_invocation_status'],
  ['normalised_text', ':normalised_text::bytea'],
  ['finish_reason', ':finish_reason::text'],
  ['ended_at', ':ended_at::timestamptz'],
  ['input_tokens', ':input_tokens::bigint'],
  ['output_tokens', ':output_tokens::bigint'],
  ['cached_input_tokens', ':cached_input_tokens::bigint'],
  ['cache_written_input_tokens', ':cache_written_input_tokens::bigint'],
  ['reasoning_tokens', ':reasoning_tokens::bigint'],
  ['artifacts', ':artifacts::json'],
  ['last_text', ':batch_text::bytea'],
  ['last_pieces', ':batch_pieces::bytea'],
];

/** The values of `GENERATION_ENDING` beside those of its call. */
export function toGenerationEnding(finish: CallFinish): Values {
  const { outcome, verdict } = finish;
  const normalised = isSaid(outcome, verdict) ? undefined : verdict?.normalised_text;
  return {
    normalised_text: normalised === undefined ? null : Buffer.from(normalised),
    finish_reason: findFinishReason(outcome),
    ...toCountColumns(outcome.usage),
    artifacts: canonicalText(toArtifacts(finish)),
    ...toBatch(outcome.trace?.chunks),
  };
}

/** Whether the normalised text of a judged generation is what streamed in, letter by letter. */
function isSaid({ answer }: CallOutcome, verdict: Verdict | undefined): boolean {
  if (verdict?.model_output_kind === undefined || typeof answer !== 'object' || answer === null) return false;
  return 'text' in answer && answer.text === verdict.normalised_text;
}

function findFinishReason({ answer, finish_reason }: CallOutcome): string | null {
  if (finish_reason !== undefined) return toStoredText(finish_reason);
  const isObject = typeof answer === 'object' && answer !== null && 'finish_reason' in answer;
  return isObject && typeof answer.finish_reason === 'string' ? toStoredText(answer.finish_reason) : null;
}
