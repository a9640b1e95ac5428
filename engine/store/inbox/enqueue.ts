import { inTransaction, type OpenDatabase } from '../database.js';
import { prepare, run } from '../statement.js';
import { AT_THE_FRONT, firstQueued, PROMOTE, WORLD_TURN } from './turn-message.js';

/**
 * An attempt ends under the lock of its world's row, and a turn is queued under it: the second of two sees what the
 * first has written. A driver's fence does not wait for it.
 */
export const LOCK_WORLD = prepare(
  'lock_world_to_queue',
  'SELECT FROM worlds WHERE world_slug = :world_slug FOR NO KEY UPDATE',
);

const ENQUEUE = prepare(
  'enqueue_turns',
  `INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status)
   SELECT :world_slug, inbox_id, 'turn', 'queued' FROM unnest(:inbox_ids::uuid[]) AS row (inbox_id)`,
);

const PROMOTE_FIRST = prepare(
  'promote_turns',
  `WITH promoted AS (
     UPDATE agent_inbox ${PROMOTE}
     WHERE world_slug = :world_slug AND inbox_id = (${firstQueued(':world_slug')})
       AND NOT EXISTS (SELECT FROM agent_inbox WHERE world_slug = :world_slug AND ${AT_THE_FRONT})
     RETURNING world_slug)
   SELECT count(*) AS promoted FROM promoted`,
);

const COUNT_WAITING = prepare(
  'count_waiting_turns',
  `SELECT count(*) AS waiting FROM agent_inbox
   WHERE world_slug = :world_slug AND ${WORLD_TURN} AND status IN ('queued', 'pending', 'deferred')`,
);

/**
 * Puts turns at the end of a world's queue: one transaction.
 * @param turns with fresh ids, ordered by time: one for each turn
 * @returns the length of the queue, with these turns and the running one
 */
export async function enqueueTurns(
  database: Pick<OpenDatabase, 'pool' | 'ring'>,
  { world_slug, inbox_ids }: { readonly world_slug: string; readonly inbox_ids: readonly string[] },
) {
  const queued = await inTransaction(database.pool, async (transaction) => {
    const locked = await run(transaction, LOCK_WORLD, { world_slug });
    if (locked.length === 0) return { kind: 'unknown_world' } as const;
    await run(transaction, ENQUEUE, { world_slug, inbox_ids });
    await run(transaction, PROMOTE_FIRST, { world_slug });
    const [counted] = await run<{ waiting: number }>(transaction, COUNT_WAITING, { world_slug });
    return { kind: 'queued', waiting: counted?.waiting ?? 0 } as const;
  });
  if (queued.kind === 'queued') database.ring([world_slug]);
  return queued;
}

const FIND_QUEUED = prepare('find_queued_turn', firstQueued(':world_slug'));

/**
 * Promotes a turn that was queued while the statement that ended the turn before it waited for its lock: that statement did
 * not see it. This takes one statement if there is no such turn. Queueing and ending both lock the world, so a turn that is
 * queued later sees that it is the first.
 */
export async function promoteUnseen(
  database: Pick<OpenDatabase, 'query' | 'pool' | 'ring'>,
  world_slug: string,
): Promise<void> {
  const queued = await run(database, FIND_QUEUED, { world_slug });
  if (queued.length > 0) await promoteForgotten(database, world_slug);
}

/** Promotes the first queued turn of a world that has no promoted one. @returns how many there were: one or none */
export async function promoteForgotten(
  database: Pick<OpenDatabase, 'pool' | 'ring'>,
  world_slug: string,
): Promise<number> {
  const promoted = await inTransaction(database.pool, async (transaction) => {
    await run(transaction, LOCK_WORLD, { world_slug });
    const [row] = await run<{ promoted: number }>(transaction, PROMOTE_FIRST, { world_slug });
    return row?.promoted ?? 0;
  });
  if (promoted > 0) database.ring([world_slug]);
  return promoted;
}
