import type { Claimed, ClaimRequest, Deferral } from '../../ports/inbox.js';
import type { OpenDatabase } from '../database.js';
import { prepare, run, type Runner } from '../statement.js';
import { promoteForgotten } from './enqueue.js';

// `now()` and not the clock: a clock that may move within the statement cannot bound a walk through the index, and what
// is done by somebody, due at infinity, would be walked through too. Messages to an attempt that is being driven are
// its driver's business.
const CLAIM = prepare(
  'claim_messages',
  `WITH due AS (
     SELECT world_slug, inbox_id, due_at FROM agent_inbox
     WHERE due_at <= now()
       AND (:worlds::text[] IS NULL OR world_slug = ANY(:worlds))
       AND (message_type = 'turn' OR EXISTS (
         SELECT FROM attempts
         WHERE attempts.world_slug = agent_inbox.world_slug AND attempts.attempt_id = agent_inbox.attempt_id
           AND attempts.status = 'suspended'))
     ORDER BY due_at, inbox_id LIMIT :most::int FOR UPDATE SKIP LOCKED)
   UPDATE agent_inbox SET next_retry_at = now() + :reserve_ms::int * interval '1 millisecond'
   FROM due
   WHERE agent_inbox.world_slug = due.world_slug AND agent_inbox.inbox_id = due.inbox_id
   RETURNING agent_inbox.world_slug, agent_inbox.inbox_id, message_type, retry_count,
     (extract(epoch FROM now() - due.due_at) * 1000)::float8 AS waited_ms`,
);

/** Takes what is due, longest due first, and reserves it for a while: one statement. */
export function claim(runner: Runner, { most, reserve_ms, worlds }: ClaimRequest): Promise<readonly Claimed[]> {
  return run<Claimed>(runner, CLAIM, { most, reserve_ms, worlds: worlds ?? null });
}

const DEFER = prepare(
  'defer_message',
  `UPDATE agent_inbox
   SET status = 'deferred', retry_count = retry_count + 1, defer_reason = :reason,
       next_retry_at = now() + :delay_ms::int * interval '1 millisecond'
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND status IN ('pending', 'deferred')
     AND (message_type <> 'turn' OR attempt_id IS NULL)`,
);

/** Puts off what was claimed and not begun: one statement. */
export async function defer(
  runner: Runner,
  { world_slug, inbox_id }: Claimed,
  { reason, delay_ms }: Deferral,
): Promise<void> {
  await run(runner, DEFER, { world_slug, inbox_id, reason, delay_ms: Math.max(0, Math.round(delay_ms)) });
}

const DISCARD = prepare(
  'discard_message',
  `UPDATE agent_inbox SET status = 'consumed', consumed_at = now(), defer_reason = :reason
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND status IN ('pending', 'deferred')
     AND (message_type <> 'turn' OR attempt_id IS NULL)`,
);

/** Gives up what was claimed and can never be done, and lets the next turn of its world be taken up. */
export async function discard(
  database: Pick<OpenDatabase, 'query' | 'pool' | 'ring'>,
  { world_slug, inbox_id }: Claimed,
  reason: string,
): Promise<void> {
  await run(database, DISCARD, { world_slug, inbox_id, reason });
  await promoteForgotten(database, world_slug);
}
