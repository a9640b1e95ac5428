import type { CountColumns } from '../../core/protocol/token-counts.js';
import { present } from '../../contract/present.js';
import type { Json } from '../../contract/json.js';
import { viewFailureBody } from '../../core/content/failure-body.js';
import { redact } from '../../core/content/redact.js';
import type { InvocationFailureClass } from '../../core/protocol/failure.js';
import type { EffectClass } from '../../core/protocol/program.js';
import type { Retrieved } from '../../core/world/retrieval.js';
import type { AttemptPast, RecordedCall } from '../../ports/attempts.js';
import type { CallFact } from '../../ports/sources.js';
import { toChatAnswer } from '../records/invocation-rows.js';
import { prepare, run, type Runner } from '../statement.js';

/** The calls of an attempt, and those that it has adopted, as a CTE. */
export const KNOWN = `
  known AS (
    SELECT source_invocation_id, false AS is_adopted FROM source_invocations
    WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
    UNION ALL
    SELECT source_invocation_id, true FROM adopted_calls
    WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid)`;

// Of a call that was made several times the last performance counts, and in the attempt itself each failed one before it,
// which a retry followed. A settlement counts where nobody saw the call end.
const RECORDED = prepare(
  'recorded_calls',
  `WITH ${KNOWN},
   performed AS (
     SELECT calls.*, is_adopted,
       row_number() OVER (PARTITION BY CASE WHEN is_adopted THEN calls.source_invocation_id::text ELSE command_key END
         ORDER BY performance DESC) AS from_last
     FROM known JOIN source_invocations AS calls
       ON calls.world_slug = :world_slug AND calls.source_invocation_id = known.source_invocation_id),
   latest AS (
     SELECT * FROM performed WHERE from_last = 1 OR (NOT is_adopted AND status = 'failed' AND NOT answered))
   SELECT latest.source_invocation_id, latest.llm_call_id, invocation_seq, latest.started_at, command_key,
     CASE WHEN is_adopted THEN latest.attempt_id END AS adopted_from,
     CASE WHEN is_adopted THEN 0 ELSE performance END AS performance, request_hash, effect_class, repeatable,
     latest.status, answered, refused, failure_class, failure_message, failure_detail,
     CASE WHEN latest.status = 'failed' AND NOT answered THEN response_body END AS failure_body, outcome_unknown, http_status, retry_after_ms, latest.duration_ms,
     latest.response_json, redaction, finish_reason, said.text, input_tokens, output_tokens, cached_input_tokens,
     cache_written_input_tokens, retrieved, deadline,
     settled.performed AS settled_performed, settled.response_json AS settled_json
   FROM latest
     LEFT JOIN llm_calls ON llm_calls.world_slug = latest.world_slug AND llm_calls.llm_call_id = latest.llm_call_id
     LEFT JOIN LATERAL (
       SELECT string_agg(text, ''::bytea ORDER BY batch_seq) AS text FROM llm_streams AS streamed
       WHERE streamed.world_slug = latest.world_slug AND streamed.llm_call_id = latest.llm_call_id) AS said ON true
     LEFT JOIN pending_calls AS waits ON waits.world_slug = latest.world_slug
       AND waits.source_invocation_id = latest.source_invocation_id
     LEFT JOIN call_settlements AS settled ON settled.world_slug = latest.world_slug
       AND settled.source_invocation_id = latest.source_invocation_id
   ORDER BY latest.ended_event_id NULLS LAST, latest.status = 'interrupted', invocation_seq`,
);

const LAST_SEQ = prepare(
  'last_invocation_seq',
  `WITH ${KNOWN}
   SELECT coalesce(max(invocation_seq), 0) AS last_invocation_seq
   FROM known JOIN source_invocations AS calls
     ON calls.world_slug = :world_slug AND calls.source_invocation_id = known.source_invocation_id`,
);

interface RecordedRow extends Omit<CountColumns, 'reasoning_tokens'> {
  readonly source_invocation_id: string;
  readonly llm_call_id: string | null;
  readonly invocation_seq: number;
  readonly started_at: string;
  readonly command_key: string;
  readonly adopted_from: string | null;
  readonly performance: number;
  readonly request_hash: string;
  readonly effect_class: EffectClass;
  readonly repeatable: boolean;
  readonly status: string;
  readonly answered: boolean;
  readonly refused: boolean;
  readonly failure_class: InvocationFailureClass | null;
  readonly failure_message: string | null;
  readonly failure_detail: string | null;
  readonly failure_body: Buffer | null;
  readonly outcome_unknown: boolean;
  readonly http_status: number | null;
  readonly retry_after_ms: number | null;
  readonly duration_ms: number | null;
  readonly response_json: Json;
  readonly redaction: 'all' | readonly string[];
  readonly finish_reason: string | null;
  readonly text: Buffer | null;
  readonly retrieved: Retrieved | null;
  readonly deadline: string | null;
  readonly settled_performed: boolean | null;
  readonly settled_json: Json;
}

/** The calls of an attempt and those that it has adopted, in the order in which they ended. */
export async function listRecordedCalls(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string },
): Promise<Pick<AttemptPast, 'calls' | 'last_invocation_seq'>> {
  const rows = await run<RecordedRow>(runner, RECORDED, attempt);
  const [last] = await run<{ readonly last_invocation_seq: number }>(runner, LAST_SEQ, attempt);
  // A call that was not performed has no record: it is requested for the first time.
  const calls = rows.filter((row) => row.settled_performed !== false).map(toRecordedCall);
  return { calls, last_invocation_seq: last?.last_invocation_seq ?? 0 };
}

function toRecordedCall(row: RecordedRow): RecordedCall {
  const fact = toFact(row);
  return {
    source_invocation_id: row.source_invocation_id,
    invocation_seq: row.invocation_seq,
    started_at: Date.parse(row.started_at),
    key: row.command_key,
    performance: row.performance,
    request_hash: row.request_hash,
    effect: row.effect_class,
    repeatable: row.repeatable,
    ...present({ llm_call_id: row.llm_call_id ?? undefined, adopted_from: row.adopted_from ?? undefined, fact }),
    ...present({ retrieved: row.retrieved ?? undefined }),
  };
}

function toFact(row: RecordedRow): CallFact | undefined {
  const { command_key: key, failure_class, redaction } = row;
  const duration_ms = row.duration_ms ?? 0;
  if (row.settled_performed === true)
    return { key, status: 'succeeded', view: redact(row.settled_json, redaction), duration_ms };
  if (row.status === 'interrupted') return undefined;
  if (row.status === 'pending' && row.deadline !== null)
    return { key, status: 'pending', deadline: Date.parse(row.deadline) };
  if (row.answered) return { key, status: 'succeeded', view: toView(row), duration_ms, ...toUsage(row) };
  if (failure_class === null) throw new Error(`the call ${row.source_invocation_id} neither ended nor was interrupted`);
  const { failure_message, failure_detail, failure_body, refused, outcome_unknown, http_status, retry_after_ms } = row;
  const said = failure_body === null ? undefined : viewFailureBody(failure_body, redaction);
  return {
    key,
    status: 'failed',
    failure_class,
    failure_message: failure_message ?? '',
    refused,
    duration_ms,
    ...toUsage(row),
    ...(outcome_unknown ? { outcome_unknown } : {}),
    ...present({
      http_status: http_status ?? undefined,
      retry_after_ms: retry_after_ms ?? undefined,
      said,
      // A call without an answer has a detail only where the turn continued.
      is_final: failure_detail === null ? undefined : true,
      was_pending: row.deadline === null ? undefined : true,
    }),
  };
}

/** The turn's view of the answer. The text of a generation is its chunks. */
function toView({ llm_call_id, text, finish_reason, response_json, redaction }: RecordedRow): Json {
  if (llm_call_id === null) return redact(response_json, redaction);
  return toChatAnswer(text, finish_reason, response_json);
}

function toUsage(row: RecordedRow): Pick<Extract<CallFact, { view: Json }>, 'usage'> {
  const { input_tokens, output_tokens, cached_input_tokens: cached, cache_written_input_tokens: written } = row;
  if (input_tokens === null || output_tokens === null) return {};
  const parts = { cached_input_tokens: cached ?? undefined, cache_written_input_tokens: written ?? undefined };
  return { usage: { input_tokens, output_tokens, ...present(parts) } };
}
