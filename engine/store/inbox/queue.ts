import type { WorldQueue } from '../../ports/inbox.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { prepare, run, type Runner } from '../statement.js';
import { LOCK_WORLD } from './enqueue.js';
import { AT_THE_FRONT, WORLD_TURN } from './turn-message.js';

// Two halves, for each is found by an index of its own, however many turns are over.
const QUEUES = prepare(
  'queues_of_worlds',
  `WITH waiting AS (
     SELECT world_slug, status, defer_reason, next_retry_at FROM agent_inbox
     WHERE status = 'queued' AND agent_id IS NULL AND (:world_slug::text IS NULL OR world_slug = :world_slug)
     UNION ALL
     SELECT world_slug, status, defer_reason, next_retry_at FROM agent_inbox
     WHERE ${AT_THE_FRONT} AND attempt_id IS NULL AND (:world_slug::text IS NULL OR world_slug = :world_slug))
   SELECT world_slug, count(*)::int AS queued_turns,
     max(defer_reason) FILTER (WHERE status = 'deferred') AS reason,
     max(next_retry_at) FILTER (WHERE status = 'deferred') AS until
   FROM waiting GROUP BY world_slug ORDER BY world_slug`,
);

interface Row {
  readonly world_slug: string;
  readonly queued_turns: number;
  readonly reason: string | null;
  readonly until: string | null;
}

/** The turns that no attempt has been begun for, of one world or of all: one statement. */
export async function listQueues(runner: Runner, world_slug?: string): Promise<readonly WorldQueue[]> {
  const rows = await run<Row>(runner, QUEUES, { world_slug: world_slug ?? null });
  return rows.map(({ reason, until, ...row }) => ({
    ...row,
    put_off: until === null ? null : { reason: reason ?? '', until: until },
  }));
}

/** Ends turns of a world that have no attempt. @param of which of them, as a condition */
export const TAKE_BACK = (of: string): string => `WITH taken AS (
     UPDATE agent_inbox
     SET status = 'consumed', consumed_at = now(), next_retry_at = coalesce(next_retry_at, now()), defer_reason = :reason
     WHERE world_slug = :world_slug AND ${WORLD_TURN} AND attempt_id IS NULL
       AND status IN ('queued', 'pending', 'deferred') AND ${of}
     RETURNING 1)
   SELECT count(*)::int AS turns FROM taken`;

const TAKE_BACK_ALL = prepare('take_back_turns', TAKE_BACK('true'));

/** Takes back the turns of a world that no attempt has been begun for: under its lock, none is begun meanwhile. */
export function takeBack(
  database: Pick<OpenDatabase, 'pool'>,
  world_slug: string,
  reason: string,
): Promise<number | undefined> {
  return inTransaction(database.pool, async (transaction): Promise<number | undefined> => {
    const locked = await run(transaction, LOCK_WORLD, { world_slug });
    if (locked.length === 0) return undefined;
    const [taken] = await run<{ turns: number }>(transaction, TAKE_BACK_ALL, { world_slug, reason });
    return taken?.turns ?? 0;
  });
}
