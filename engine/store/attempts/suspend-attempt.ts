import type { AttemptLease, SuspendOutcome, SuspendAttempt, Written } from '../../ports/attempts.js';
import { MOVES, HEADS_ARE_AS_BELIEVED, MOVED_HEADS, toMoves } from '../state-heads.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { HOLDS, releasingFence, runFenced, FENCE } from './fence.js';

/** Messages that an attempt has to handle, by the CTE or table that names it. */
export function calling(attempt: string): string {
  return `agent_inbox.world_slug = ${attempt}.world_slug AND agent_inbox.attempt_id = ${attempt}.attempt_id
       AND agent_inbox.status IN ('pending', 'deferred') AND agent_inbox.message_type IN ('tool_result', 'timeout', 'stop', 'ui_action')`;
}

const IS_QUIET = `NOT EXISTS (
  SELECT FROM agent_inbox, (SELECT :world_slug::text AS world_slug, :attempt_id::uuid AS attempt_id) AS this
  WHERE ${calling('this')})`;

// A writer of a message holds the attempt's row: this sees the message, or the writer finds the attempt suspended.
const SUSPEND = prepare(
  'suspend_attempt',
  `WITH ${MOVES}, ${releasingFence({ set: '', where: `AND ${IS_QUIET} AND ${HEADS_ARE_AS_BELIEVED}` })},
   held AS (SELECT world_slug FROM worlds WHERE ${HOLDS} AND ${HEADS_ARE_AS_BELIEVED}),
   suspended AS (
     UPDATE attempts
     SET status = 'suspended',
       resume_deadline = (
         SELECT min(deadline) FROM (
           SELECT deadline FROM pending_calls
           WHERE pending_calls.world_slug = attempts.world_slug AND pending_calls.attempt_id = attempts.attempt_id
             AND is_awaited
           UNION ALL
           SELECT deadline FROM approvals
           WHERE approvals.world_slug = attempts.world_slug AND approvals.attempt_id = attempts.attempt_id
             AND approvals.status = 'waiting') AS waits)
     FROM fence
     WHERE attempts.world_slug = fence.world_slug AND attempts.attempt_id = :attempt_id::uuid
     RETURNING attempts.world_slug, attempts.attempt_id, resume_deadline),
   event AS (
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, details)
     SELECT world_slug, attempt_id, 'attempt_suspended', :suspended_at::timestamptz,
       json_build_object('resume_deadline', resume_deadline)
     FROM suspended),
   ${MOVED_HEADS}
   SELECT EXISTS (SELECT FROM fence) AS is_suspended FROM held`,
);

/** Suspends an attempt and gives its lease back, unless a message has come meanwhile: one statement. */
export async function suspendAttempt(
  runner: Runner,
  lease: AttemptLease,
  suspension: SuspendAttempt,
): Promise<SuspendOutcome> {
  const { world_slug, epoch, attempt_id } = lease;
  const { at, agents } = suspension;
  const values = { world_slug, epoch, attempt_id, suspended_at: toTimestamp(at), ...toMoves(attempt_id, agents) };
  const [row] = await run<{ readonly is_suspended: boolean }>(runner, SUSPEND, values);
  if (row === undefined) return 'overtaken';
  return row.is_suspended ? 'suspended' : 'called';
}

const DISCARD = prepare(
  'discard_message',
  `WITH ${FENCE},
   message AS (
     UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
     FROM fence
     WHERE agent_inbox.world_slug = fence.world_slug AND agent_inbox.inbox_id = :inbox_id::uuid
       AND agent_inbox.status IN ('pending', 'deferred'))
   SELECT world_slug FROM fence`,
);

/** Consumes a message that has no effect: one statement. */
export function discardMessage(runner: Runner, lease: AttemptLease, inbox_id: string): Promise<Written> {
  return runFenced(runner, DISCARD, lease, { inbox_id });
}
