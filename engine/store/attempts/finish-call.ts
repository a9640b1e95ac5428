import type { AttemptLease, CallFinish, Written } from '../../ports/attempts.js';
import type { ChunkBatch } from '../../ports/sources.js';
import { type DriverStatement, driverStatement } from '../agents/agent-clauses.js';
import { toAgentValues } from '../agents/agent-values.js';
import { type Parameter, prepare, type Runner } from '../statement.js';
import {
  ARTIFACT_ROWS,
  ENDING_COLUMNS,
  ENDING_VALUES,
  REJECTION_ROW,
  toArtifactRows,
  toEnding,
  toGenerationEnding,
  toRejection,
} from './call-ending.js';
import { FENCE, fenceWith, runFenced } from './fence.js';

const callRow = (columns: readonly string[], values: readonly string[]): string => `
  call AS (
    UPDATE source_invocations
    SET (${columns.join(', ')}) = ROW (${values.join(', ')})
    FROM fence
    WHERE source_invocations.world_slug = fence.world_slug
      AND source_invocation_id = :source_invocation_id::uuid AND attempt_id = :attempt_id::uuid
      AND status IN ('running', 'pending')
    RETURNING source_invocations.world_slug, source_invocation_id, attempt_id, attempted_turn, llm_call_id,
      source_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id)`;

const CALL = callRow(ENDING_COLUMNS, ENDING_VALUES);

/** What came over the wire when a service took a call stays on the row when the answer is reported. */
const isOfReport = (column: string): boolean => column !== 'http_status' && column !== 'response_headers';

const REPORTED_CALL = callRow(
  ENDING_COLUMNS.filter(isOfReport),
  ENDING_VALUES.filter((_value, place) => isOfReport(ENDING_COLUMNS[place] ?? '')),
);

/** The report is taken in with the end that it brings, and so is every other message about the call. */
const TAKEN_IN = `
  waits AS (
    UPDATE pending_calls SET is_awaited = false
    FROM call
    WHERE pending_calls.world_slug = call.world_slug
      AND pending_calls.source_invocation_id = call.source_invocation_id),
  messages AS (
    UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
    FROM call
    WHERE agent_inbox.world_slug = call.world_slug AND agent_inbox.correlation_id = call.source_invocation_id
      AND agent_inbox.status IN ('pending', 'deferred'))`;

const EVENT = `
  event AS (
    INSERT INTO attempt_timeline_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
      cognition_workflow_hash, workflow_node_id, workflow_subject_entity_id)
    SELECT world_slug, attempt_id, :event_kind::timeline_event_kind, :ended_at::timestamptz, source_invocation_id,
      workflow_hash, workflow_node_id, workflow_subject_entity_id
    FROM call)`;

const GENERATION = `
  generation AS (
    UPDATE llm_calls
    SET status = :status::source_invocation_status, model_output_kind = :model_output_kind::model_output_kind,
        normalised_text = :normalised_text::bytea, finish_reason = :finish_reason::text,
        ended_at = :ended_at::timestamptz, duration_ms = :duration_ms::bigint
    FROM call
    WHERE llm_calls.world_slug = call.world_slug AND llm_calls.attempt_id = call.attempt_id
      AND llm_calls.llm_call_id = call.llm_call_id),
  chunks AS (
    INSERT INTO llm_chunks (world_slug, llm_call_id, batch_seq, text, lengths, offsets_ms)
    SELECT world_slug, llm_call_id, :batch_seq::int, :batch_text::bytea, :batch_lengths::int[], :batch_offsets::int[]
    FROM call WHERE :batch_seq::int IS NOT NULL),
  tokens AS (
    INSERT INTO llm_token_observations (world_slug, llm_call_id, observation_seq, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, observed_at)
    SELECT world_slug, llm_call_id, 1, :input_tokens::bigint, :output_tokens::bigint,
      :cached_input_tokens::bigint, :reasoning_tokens::bigint, :ended_at::timestamptz
    FROM call WHERE :input_tokens::bigint IS NOT NULL)`;

const LANDED = 'SELECT (SELECT count(*) FROM fence) AS held, (SELECT count(*) FROM call) AS written';

const OF_GENERATION = [GENERATION, ARTIFACT_ROWS];

/** By what a call leaves beside its end: rows that there are none of cost as much as a look at their table. */
const FINISH = {
  call: prepareFinish('finish_call', []),
  reported_call: prepareFinish('finish_reported_call', [TAKEN_IN], REPORTED_CALL),
  rejected_call: prepareFinish('finish_rejected_call', [REJECTION_ROW]),
  generation: prepareFinish('finish_generation', OF_GENERATION),
  rejected_generation: prepareFinish('finish_rejected_generation', [...OF_GENERATION, REJECTION_ROW]),
};

function prepareFinish(name: string, more: readonly string[], call = CALL): DriverStatement {
  return driverStatement(
    name,
    (agents) => `WITH ${[fenceWith(agents), call, EVENT, ...more, ...agents.rows].join(',')} ${LANDED}`,
  );
}

type Values = Readonly<Record<string, Parameter>>;

/** Writes the end of a call, and what the core made of it: one statement. */
export function finishCall(runner: Runner, lease: AttemptLease, finish: CallFinish): Promise<Written> {
  const { agents } = finish;
  const ending = toEnding(finish);
  const values = {
    ...ending,
    ...toAgentValues(agents, finish.outcome.ended_at),
    ...toRejection(finish),
    source_invocation_id: finish.source_invocation_id,
    event_kind: ending['status'] === 'succeeded' ? 'call_answered' : ending['refused'] ? 'call_refused' : 'call_failed',
  };
  if (finish.is_reported === true) return runFenced(runner, FINISH.reported_call(agents), lease, values);
  const isRejected = finish.verdict?.rejection !== undefined;
  if (!finish.llm_call_id)
    return runFenced(runner, (isRejected ? FINISH.rejected_call : FINISH.call)(agents), lease, values);
  const statement = isRejected ? FINISH.rejected_generation : FINISH.generation;
  return runFenced(runner, statement(agents), lease, { ...values, ...toGeneration(finish) });
}

function toGeneration(finish: CallFinish): Values {
  const { usage, trace } = finish.outcome;
  return {
    ...toGenerationEnding(finish),
    ...toArtifactRows(finish),
    ...toBatch(trace?.chunks),
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cached_input_tokens: usage?.cached_input_tokens ?? null,
    reasoning_tokens: usage?.reasoning_tokens ?? null,
  };
}

function toBatch(batch: ChunkBatch | undefined): Values {
  return {
    batch_seq: batch?.batch_seq ?? null,
    batch_text: batch?.text ?? null,
    batch_lengths: batch?.lengths ?? null,
    batch_offsets: batch?.offsets_ms.map(Math.round) ?? null,
  };
}

const FLUSH = prepare(
  'flush_chunks',
  `WITH ${FENCE}, chunks AS (
     INSERT INTO llm_chunks (world_slug, llm_call_id, batch_seq, text, lengths, offsets_ms)
     SELECT world_slug, :llm_call_id::uuid, :batch_seq::int, :batch_text::bytea, :batch_lengths::int[],
       :batch_offsets::int[]
     FROM fence)
   SELECT count(*) AS held FROM fence`,
);

/** Writes what has streamed in since the last flush: one statement. */
export function flushChunks(
  runner: Runner,
  lease: AttemptLease,
  llm_call_id: string,
  batch: ChunkBatch,
): Promise<Written> {
  return runFenced(runner, FLUSH, lease, { llm_call_id, ...toBatch(batch) });
}
