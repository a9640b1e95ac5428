import { toStoredText } from '../../core/content/stored-text.js';
import { isAdoptedWhole } from '../../core/turn/adopt.js';
import type { AttemptLease, FailAttempt, HandOver, PutOff, Written } from '../../ports/attempts.js';
import { MOVES, HEADS_ARE_AS_BELIEVED, MOVED_HEADS, toMoves } from '../state-heads.js';
import { AFTERMATH_COLUMNS_OF_FAILURE, AFTERMATH_OF_FAILURE } from '../inbox/aftermath.js';
import { prepare, type Runner, toTimestamp } from '../statement.js';
import { type Ending, endedRow, type EndedRow } from './ending.js';
import { releasingFence, runFenced } from './fence.js';
import { sealRow, toSeal } from './seal.js';

/** The columns of an attempt that ends badly. */
const ENDED = `
    SET status = 'failed', failure_class = :failure_class::text,
        failure_message = :failure_message::text, failed_subject_entity_id = :subject_id::text,
        failed_node_id = :node_id::text, failed_source_invocation_id = :source_invocation_id::uuid,
        is_transient = :is_transient::boolean, ended_at = :ended_at::timestamptz`;

const RETURNING = `
    RETURNING attempts.world_slug, attempts.attempt_id, attempts.attempted_turn, attempts.status`;

// Calls that are still under way when their attempt ends get no end of their own.
const CONSEQUENCES = `
  calls AS (
    UPDATE source_invocations
    SET status = 'interrupted', failure_class = 'interrupted', ended_at = :ended_at::timestamptz,
        failure_message = CASE WHEN effect_class = 'read_only' OR repeatable
          THEN 'The attempt ended before the answer came.'
          ELSE 'The attempt ended before the answer came; it is unknown whether the side effect took place.' END
    FROM ended
    WHERE source_invocations.world_slug = ended.world_slug
      AND source_invocations.attempt_id = ended.attempt_id AND source_invocations.status IN ('running', 'pending')
    RETURNING source_invocations.world_slug, llm_call_id),
  waits AS (
    UPDATE pending_calls SET is_awaited = false
    FROM ended
    WHERE pending_calls.world_slug = ended.world_slug AND pending_calls.attempt_id = ended.attempt_id AND is_awaited),
  generations AS (
    UPDATE llm_calls SET status = 'interrupted', ended_at = :ended_at::timestamptz
    FROM calls
    WHERE llm_calls.world_slug = calls.world_slug AND llm_calls.llm_call_id = calls.llm_call_id
      AND llm_calls.status = 'running'),
  event AS (
    INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
      workflow_node_id, workflow_subject_entity_id, details)
    SELECT world_slug, attempt_id, 'attempt_failed', :ended_at::timestamptz,
      :source_invocation_id::uuid, :node_id::text, :subject_id::text,
      json_build_object('status', 'failed', 'failure_class', :failure_class::text,
        'failure_message', :failure_message::text)
    FROM ended)`;

// The next attempt has to look at this one where a call is in doubt, or where something can be adopted. The same
// statement interrupts calls that still run or pend, and does not see that yet.
const LEAVES_SOMETHING = `EXISTS (
      SELECT FROM (
        SELECT source_invocation_id FROM source_invocations
        WHERE world_slug = worlds.world_slug AND attempt_id = :attempt_id::uuid
        UNION ALL
        SELECT source_invocation_id FROM adopted_calls
        WHERE world_slug = worlds.world_slug AND attempt_id = :attempt_id::uuid) AS known
        JOIN source_invocations AS calls
          ON calls.world_slug = worlds.world_slug AND calls.source_invocation_id = known.source_invocation_id
      WHERE answered AND :adopts_all::boolean
        OR effect_class <> 'read_only' AND (status <> 'failed' OR outcome_unknown))`;

const LEFT = `adoptable_attempt_id = CASE WHEN ${LEAVES_SOMETHING} THEN :attempt_id::uuid END,`;

const FAIL = prepare(
  'fail_attempt',
  `WITH ${MOVES}, ${releasingFence({ set: LEFT, where: `AND ${HEADS_ARE_AS_BELIEVED}` })},
   ended AS (
    UPDATE attempts ${ENDED}
    FROM fence
    WHERE attempts.world_slug = fence.world_slug AND attempts.attempt_id = :attempt_id::uuid
    ${RETURNING}), ${[CONSEQUENCES, sealRow('ended'), AFTERMATH_OF_FAILURE, MOVED_HEADS].join(',')}
   SELECT (SELECT retry FROM put_off) AS retry, (SELECT delay_ms::bigint FROM put_off) AS delay_ms,
     ${AFTERMATH_COLUMNS_OF_FAILURE}
   FROM fence`,
);

/**
 * Ends an attempt without a turn and gives its lease back: one statement. The world stays as it was; the same statement
 * consumes or defers the message of the turn, so that a driver cannot die between the two.
 */
export async function failAttempt(database: Ending, lease: AttemptLease, end: FailAttempt): Promise<Written | PutOff> {
  const { failure } = end;
  const row = await endedRow<EndedRow & { readonly retry: number | null; readonly delay_ms: number | null }>(
    database,
    FAIL,
    lease,
    {
      ...toMoves(lease.attempt_id, end.agents),
      failure_class: failure.failure_class,
      failure_message: toStoredText(failure.message),
      subject_id: failure.subject_id ?? null,
      node_id: failure.node_id ?? null,
      source_invocation_id: end.source_invocation_id ?? null,
      is_transient: failure.is_transient === true,
      adopts_all: isAdoptedWhole(failure),
      retry_delays_ms: end.retry_delays_ms ?? [],
      defer_reason: toStoredText(`attempt ${lease.attempt_id} failed, ${failure.failure_class}: ${failure.message}`),
      ended_at: toTimestamp(end.ended_at),
      ...toSeal(end.seal, lease, end.ended_at),
    },
  );
  if (row === undefined) return 'overtaken';
  const { retry, delay_ms } = row;
  return retry === null || delay_ms === null ? 'written' : { kind: 'put_off', retry, delay_ms };
}

const HAND_OVER = prepare(
  'hand_over_attempt',
  `WITH ${releasingFence({ set: '', where: '' })},
   left_open AS (
     UPDATE attempts SET handed_over = NOT :has_broken::boolean
     FROM fence
     WHERE attempts.world_slug = fence.world_slug AND attempts.attempt_id = :attempt_id::uuid
     RETURNING attempts.world_slug, attempts.attempt_id),
   event AS (
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, details)
     SELECT world_slug, attempt_id, 'attempt_handed_over', :at::timestamptz,
       json_build_object('has_broken', :has_broken::boolean)
     FROM left_open)
   SELECT world_slug FROM fence`,
);

/** Gives the lease back with the attempt still open: one statement. */
export function handOverAttempt(runner: Runner, lease: AttemptLease, { at, has_broken }: HandOver): Promise<Written> {
  return runFenced(runner, HAND_OVER, lease, { at: toTimestamp(at), has_broken });
}
