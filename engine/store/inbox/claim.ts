import type { Claimed, ClaimRequest } from '../../ports/claim.js';
import type { Deferral } from '../../ports/inbox.js';
import type { OpenDatabase } from '../database.js';
import { prepare, run, type Runner } from '../statement.js';
import { claimed } from './claimed.js';
import { promoteForgotten } from './enqueue.js';
import { IS_OPEN } from './turn-message.js';

const CLAIM = prepare('claim_messages', `WITH ${claimed(':most::int', false)} SELECT * FROM claimed`);
const CLAIM_OF_SOME = prepare('claim_messages_of_worlds', `WITH ${claimed(':most::int', true)} SELECT * FROM claimed`);

/** Takes what is due, longest due first, and reserves it for a while: one statement. */
export function claim(runner: Runner, { most, reserve_ms, worlds }: ClaimRequest): Promise<readonly Claimed[]> {
  return worlds === undefined
    ? run<Claimed>(runner, CLAIM, { most, reserve_ms })
    : run<Claimed>(runner, CLAIM_OF_SOME, { most, reserve_ms, worlds });
}

// A claimed message is due at infinity, and stays so.
const DEFER = prepare(
  'defer_message',
  `UPDATE agent_inbox
   SET status = 'deferred', retry_count = retry_count + 1, defer_reason = :reason,
       next_retry_at = now() + :delay_ms::int * interval '1 millisecond'
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND ${IS_OPEN}
     AND next_retry_at < 'infinity'`,
);

/** Defers a message that was claimed and not begun: one statement. */
export async function defer(
  runner: Runner,
  { world_slug, inbox_id }: Claimed,
  { reason, delay_ms }: Deferral,
): Promise<void> {
  await run(runner, DEFER, { world_slug, inbox_id, reason, delay_ms: Math.max(0, Math.round(delay_ms)) });
}

const HOLD = prepare(
  'hold_message',
  `UPDATE agent_inbox SET next_retry_at = now() + :hold_ms::int * interval '1 millisecond'
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND ${IS_OPEN}
     AND next_retry_at < 'infinity'`,
);

/** Reserves a claimed message for longer, before anything is begun for it: one statement. */
export async function hold(
  runner: Runner,
  { world_slug, inbox_id }: Pick<Claimed, 'world_slug' | 'inbox_id'>,
  hold_ms: number,
): Promise<void> {
  await run(runner, HOLD, { world_slug, inbox_id, hold_ms });
}

const DISCARD = prepare(
  'discard_message',
  `UPDATE agent_inbox SET status = 'consumed', consumed_at = now(), defer_reason = :reason
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND ${IS_OPEN}
     AND (message_type <> 'turn' OR attempt_id IS NULL)`,
);

/** Gives up what was claimed and can never be done, and promotes the next turn of its world. */
export async function discard(
  database: Pick<OpenDatabase, 'query' | 'pool' | 'ring'>,
  { world_slug, inbox_id }: Claimed,
  reason: string,
): Promise<void> {
  await run(database, DISCARD, { world_slug, inbox_id, reason });
  await promoteForgotten(database, world_slug);
}
