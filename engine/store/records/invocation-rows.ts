import type { Json } from '../../contract/json.js';
import { redact } from '../../core/content/redact.js';
import type { CallExchange, InvocationSummary } from '../../ports/records.js';
import { IS_UNKNOWN } from '../attempts/doubt.js';
import { prepare, run, type Runner } from '../statement.js';
import { callState } from './work-state.js';

// The columns of every reading of a call. The text of a generation is gathered from its stream; the pieces of a body
// that redaction hides leave the database with the row and go no further than this module.
const COLUMNS = `
  calls.source_invocation_id, calls.parent_source_invocation_id, calls.invocation_seq, calls.invocation_kind,
  calls.command_key, calls.request_hash, calls.performance, calls.ambient_source_id, calls.tool_name,
  calls.workflow_subject_entity_id, calls.workflow_node_id, calls.tool_loop_round, calls.logical_generation_attempt,
  calls.model_output_kind, calls.status, calls.failure_class, calls.failure_detail, calls.failure_message,
  calls.effect_class, calls.repeatable, ${IS_UNKNOWN} AS outcome_unknown,
  (SELECT CASE WHEN performed THEN 'performed' ELSE 'not_performed' END FROM call_settlements settled
   WHERE settled.world_slug = calls.world_slug
     AND settled.source_invocation_id = calls.source_invocation_id) AS settled_as,
  ${callState('calls')},
  calls.http_status, calls.llm_call_id, calls.duration_ms, calls.redaction, calls.response_json,
  llm_calls.finish_reason,
  (SELECT string_agg(text, ''::bytea ORDER BY batch_seq) FROM llm_streams AS streamed
   WHERE streamed.world_slug = calls.world_slug AND streamed.llm_call_id = calls.llm_call_id) AS raw_text`;

/** A call as the database has it. */
export interface InvocationRow extends Omit<InvocationSummary, 'response_json'> {
  readonly redaction: 'all' | readonly string[];
  readonly response_json: Json;
  readonly finish_reason: string | null;
  readonly raw_text: Buffer | null;
}

const FROM = 'FROM source_invocations calls LEFT JOIN llm_calls USING (world_slug, llm_call_id)';

// Each half is found by an index of its own, however many calls the world has.
const OF_ATTEMPT = prepare(
  'invocations_of_attempt',
  `WITH known AS (
     (SELECT source_invocation_id FROM source_invocations
      WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND invocation_seq > :after
      ORDER BY invocation_seq LIMIT :limit)
     UNION ALL
     (SELECT source_invocation_id FROM adopted_calls JOIN source_invocations USING (world_slug, source_invocation_id)
      WHERE world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid AND invocation_seq > :after
      ORDER BY invocation_seq LIMIT :limit))
   SELECT ${COLUMNS}, CASE WHEN calls.attempt_id <> :attempt_id::uuid THEN calls.attempt_id END AS adopted_from
   ${FROM} JOIN known ON calls.world_slug = :world_slug AND known.source_invocation_id = calls.source_invocation_id
   ORDER BY calls.invocation_seq LIMIT :limit`,
);

/**
 * The calls of an attempt and those that it has adopted, in the order of their issue.
 * @param part those after a number, and how many; all where it is left out
 */
export async function listInvocations(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string },
  { after = 0, limit }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly InvocationSummary[]> {
  const { world_slug, attempt_id } = attempt;
  const rows = await run<InvocationRow>(runner, OF_ATTEMPT, { world_slug, attempt_id, after, limit: limit ?? null });
  return rows.map(toShown);
}

const EXCHANGES = prepare(
  'exchanges_of_calls',
  `SELECT ${COLUMNS}, calls.request_json ${FROM}
   WHERE calls.world_slug = :world_slug AND calls.source_invocation_id = ANY (:source_invocation_ids::uuid[])`,
);

/** Reads the requests and answers of several calls, none of them a generation, by one statement. */
export async function listExchanges(
  runner: Runner,
  world_slug: string,
  source_invocation_ids: readonly string[],
): Promise<readonly CallExchange[]> {
  const asked = { world_slug, source_invocation_ids };
  return (await run<InvocationRow & Pick<CallExchange, 'request_json'>>(runner, EXCHANGES, asked)).map(toShown);
}

/** The columns of one call beyond the summary's, for a statement of its own. */
export function selectInvocation(more: string): string {
  return `SELECT ${COLUMNS}, NULL::uuid AS adopted_from, ${more} ${FROM}`;
}

/** The visible part of a call, without the columns that only serve to compute it. */
export function toShown<Row extends InvocationRow>(
  row: Row,
): Omit<Row, 'redaction' | 'finish_reason' | 'raw_text' | 'response_json'> & Pick<InvocationSummary, 'response_json'> {
  const { redaction: _redaction, finish_reason: _reason, raw_text: _text, response_json: _whole, ...shown } = row;
  return { ...shown, response_json: toView(row) };
}

function toView(row: InvocationRow): Json {
  const answer = toAnswer(row);
  return answer === null ? null : redact(answer, row.redaction);
}

/** The whole answer as it is kept, which only some may see. */
export function toAnswer(row: InvocationRow): Json {
  return row.llm_call_id === null ? row.response_json : toChatAnswer(row);
}

/** A generation's answer as `ChatAnswer` has it, once it has ended. */
function toChatAnswer({ raw_text, finish_reason }: InvocationRow): Json {
  if (raw_text === null && finish_reason === null) return null;
  return { text: raw_text?.toString('utf8') ?? '', finish_reason: finish_reason ?? '' };
}
