import type { Json } from '../../contract/json.js';
import { redact } from '../../core/content/redact.js';
import type { CallsPart } from '../../ports/browse.js';
import type { InvocationSummary } from '../../ports/records.js';
import { IS_DOUBTED, IS_UNKNOWN } from '../attempts/doubt.js';
import type { InAttempt } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';
import { isDriven, isSuperseded } from './work-state.js';

/** How a call, as `calls`, was settled: a scalar query. */
export const SETTLED_AS = `(
    SELECT CASE WHEN performed THEN 'performed' ELSE 'not_performed' END FROM call_settlements settled
    WHERE settled.world_slug = calls.world_slug AND settled.source_invocation_id = calls.source_invocation_id)`;

/** The text of a generation, as `calls`, gathered from its stream: a scalar query. */
export const RAW_TEXT = `(
    SELECT string_agg(text, ''::bytea ORDER BY batch_seq) FROM llm_streams AS streamed
    WHERE streamed.world_slug = calls.world_slug AND streamed.llm_call_id = calls.llm_call_id)`;

/** The calls that a call, as `calls`, asked for: a scalar query. */
export const CHILDREN = `array_to_json(ARRAY(
    SELECT children.source_invocation_id FROM source_invocations AS children
    WHERE children.world_slug = calls.world_slug AND children.parent_source_invocation_id = calls.source_invocation_id
    ORDER BY children.invocation_seq))`;

/** The columns of every summary of a call, as `calls`. */
export const SUMMARY = [
  ...(['calls.source_invocation_id', 'calls.parent_source_invocation_id', 'calls.invocation_seq'] as const),
  ...(['calls.invocation_kind', 'calls.command_key', 'calls.request_hash', 'calls.performance'] as const),
  ...(['calls.ambient_source_id', 'calls.tool_name', 'calls.workflow_subject_entity_id'] as const),
  ...(['calls.workflow_node_id', 'calls.tool_loop_round', 'calls.logical_generation_attempt'] as const),
  ...(['calls.model_output_kind', 'calls.status', 'calls.failure_class', 'calls.failure_detail'] as const),
  ...(['calls.failure_message', 'calls.effect_class', 'calls.repeatable'] as const),
] as const;

interface Choice {
  /** A condition of the calls, as `calls`. */
  readonly where?: string;
  /** What they are ordered by before their number. */
  readonly order?: string;
}

// Each half is found by an index of its own, however many calls the world has.
const ofAttempt = ({ where = '', order = '' }: Choice) =>
  prepare(
    'invocations_of_attempt',
    `WITH known AS (
     (SELECT calls.source_invocation_id FROM source_invocations calls
      WHERE calls.world_slug = :world_slug AND calls.attempt_id = :attempt_id::uuid AND invocation_seq > :after ${where}
      ORDER BY ${order} invocation_seq LIMIT :limit)
     UNION ALL
     (SELECT calls.source_invocation_id
      FROM adopted_calls JOIN source_invocations calls USING (world_slug, source_invocation_id)
      WHERE calls.world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid AND invocation_seq > :after
        ${where}
      ORDER BY ${order} invocation_seq LIMIT :limit))
   SELECT ${SUMMARY.join(', ')}, ${IS_UNKNOWN} AS outcome_unknown, ${SETTLED_AS} AS settled_as,
     ${isSuperseded('calls', ':attempt_id::uuid')} AS is_superseded, ${isDriven('calls')} AS is_driven,
     calls.http_status, calls.llm_call_id, calls.duration_ms, calls.redaction,
     CASE WHEN settled.performed THEN settled.response_json ELSE calls.response_json END AS response_json,
     llm_calls.finish_reason, ${RAW_TEXT} AS raw_text,
     CASE WHEN calls.attempt_id <> :attempt_id::uuid THEN calls.attempt_id END AS adopted_from
   FROM source_invocations calls LEFT JOIN llm_calls USING (world_slug, llm_call_id)
     JOIN known ON calls.world_slug = :world_slug AND known.source_invocation_id = calls.source_invocation_id
     LEFT JOIN call_settlements AS settled ON settled.world_slug = calls.world_slug
       AND settled.source_invocation_id = calls.source_invocation_id
   ORDER BY ${order} calls.invocation_seq LIMIT :limit`,
  );

// A superseded call did not fail.
const UNFINISHED = `AND calls.status <> 'succeeded' AND (${IS_UNKNOWN} OR NOT ${isSuperseded('calls', ':attempt_id::uuid')})`;

const CHOICES = {
  all: ofAttempt({}),
  chosen: ofAttempt({ where: 'AND calls.source_invocation_id = ANY (:ids::uuid[])' }),
  unfinished: ofAttempt({ where: UNFINISHED }),
  urgent: ofAttempt({
    where: UNFINISHED,
    order: `(${IS_DOUBTED}) DESC, calls.status = 'pending' DESC, calls.status = 'running' DESC,`,
  }),
};

interface AskedCalls {
  readonly after?: number;
  readonly limit?: number;
  readonly only?: CallsPart['only'] | 'all';
}

/**
 * The calls of an attempt and those that it has adopted, in the order of their issue.
 * @param part those after a number, how many, and which; all where it is left out
 */
export async function listInvocations(
  runner: Runner,
  attempt: InAttempt,
  { after = 0, limit, only = 'all' }: AskedCalls = {},
): Promise<readonly InvocationSummary[]> {
  const choice = typeof only === 'string' ? CHOICES[only] : CHOICES.chosen;
  const asked = { ...attempt, after, limit: limit ?? null, ids: typeof only === 'string' ? [] : only };
  return (await run<InvocationSummary & AnswerColumns>(runner, choice, asked)).map(toShown);
}

/** The columns that hold an answer. The store reads all of it, and gives on what redaction shows. */
export interface AnswerColumns extends Redacted {
  readonly llm_call_id: string | null;
  readonly response_json: Json;
  readonly finish_reason: string | null;
  readonly raw_text: Buffer | null;
}

/** The part of a row that says what may be seen of it: a json column. */
export interface Redacted {
  readonly redaction: 'all' | readonly string[];
}

/** The visible part of a call, without the columns that only serve to compute it. */
export function toShown<Row extends AnswerColumns>(
  row: Row,
): Omit<Row, 'redaction' | 'finish_reason' | 'raw_text' | 'response_json'> & Pick<InvocationSummary, 'response_json'> {
  const { redaction: _redaction, finish_reason: _reason, raw_text: _text, response_json: _whole, ...shown } = row;
  const answer = toAnswer(row);
  return { ...shown, response_json: answer === null ? null : redact(answer, row.redaction) };
}

/** The whole answer as it is kept, which only some may see. */
export function toAnswer({ llm_call_id, response_json, finish_reason, raw_text }: AnswerColumns): Json {
  if (llm_call_id === null) return response_json;
  // A generation has an answer once it has ended.
  if (raw_text === null && finish_reason === null) return null;
  return toChatAnswer(raw_text, finish_reason, response_json);
}

/** The answer of a generation. Its row holds the items, where it has any. */
export function toChatAnswer(text: Buffer | null, finish_reason: string | null, items: Json): Json {
  const answer = { text: text?.toString('utf8') ?? '', finish_reason: finish_reason ?? '' };
  return items === null ? answer : { ...answer, items };
}
