import type { InboxMessageType, InboxStatus } from '../../core/inbox/message.js';
import type { Lapse, LapsedRequest, Tidied } from '../../ports/inbox.js';
import type { OpenDatabase } from '../database.js';
import { prepare, run, type Runner } from '../statement.js';
import { promoteForgotten } from './enqueue.js';
import { AT_THE_FRONT } from './turn-message.js';

// Attempts that run are as many as the fleet has hands, so it is they that are looked through, and not all worlds.
const LAPSED = prepare(
  'lapsed_worlds',
  `SELECT worlds.world_slug,
     greatest(0, coalesce(ceil(extract(epoch FROM lease_until - now()) * 1000), 0))::int AS in_ms,
     take_overs
   FROM attempts JOIN worlds USING (world_slug)
   WHERE attempts.status = 'running'
     AND (lease_until IS NULL OR lease_until <= now() + :within_ms::int * interval '1 millisecond')
     AND (:worlds::text[] IS NULL OR worlds.world_slug = ANY(:worlds))
   ORDER BY lease_until NULLS FIRST LIMIT :most::int`,
);

/** Worlds whose attempt has lost its driver, or was handed over, or may lose it soon: longest ago first. One statement. */
export function lapsed(runner: Runner, { most, within_ms, worlds }: LapsedRequest): Promise<readonly Lapse[]> {
  return run<Lapse>(runner, LAPSED, { most, within_ms, worlds: worlds ?? null });
}

// From world to world through the index, one step each, however many turns wait in one.
const FORGOTTEN = prepare(
  'forgotten_worlds',
  `WITH RECURSIVE waiting (slug) AS (
     (SELECT world_slug::text COLLATE "C" FROM agent_inbox
      WHERE status = 'queued' AND agent_id IS NULL ORDER BY world_slug LIMIT 1)
     UNION ALL
     SELECT (SELECT world_slug::text COLLATE "C" FROM agent_inbox
       WHERE status = 'queued' AND agent_id IS NULL AND world_slug > waiting.slug ORDER BY world_slug LIMIT 1)
     FROM waiting WHERE waiting.slug IS NOT NULL)
   SELECT slug AS world_slug FROM waiting
   WHERE slug IS NOT NULL AND NOT EXISTS (
     SELECT FROM agent_inbox WHERE agent_inbox.world_slug = slug AND ${AT_THE_FRONT})`,
);

// An attempt consumes its messages. One written at that moment, unseen by it, is consumed later. A report is not: it
// may settle its call first.
const CONSUME_LATE = prepare(
  'consume_late_messages',
  `WITH late AS (
     UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
     FROM attempts
     WHERE attempts.world_slug = agent_inbox.world_slug AND attempts.attempt_id = agent_inbox.attempt_id
       AND agent_inbox.status IN ('pending', 'deferred') AND agent_inbox.message_type NOT IN ('turn', 'tool_result')
       AND attempts.ended_at IS NOT NULL
     RETURNING 1)
   SELECT count(*) AS consumed FROM late`,
);

/** Finds the way out for what lost it. Two statements where nothing did. */
export async function tidy(database: Pick<OpenDatabase, 'pool' | 'query' | 'ring'>): Promise<Tidied> {
  const forgotten = await run<{ world_slug: string }>(database, FORGOTTEN, {});
  // One world at a time: a holder of several rows waits for others, and others for it.
  let promoted = 0;
  for (const { world_slug } of forgotten) promoted += await promoteForgotten(database, world_slug);
  const [row] = await run<{ consumed: number }>(database, CONSUME_LATE, {});
  return { promoted, consumed: row?.consumed ?? 0 };
}

const COUNT = prepare(
  'count_messages',
  `SELECT message_type, status, count(*) AS count FROM agent_inbox
   WHERE status IN ('queued', 'pending', 'deferred') GROUP BY message_type, status ORDER BY message_type, status`,
);

/** All that is not over, by kind. */
export function countMessages(runner: Runner) {
  return run<{ message_type: InboxMessageType; status: InboxStatus; count: number }>(runner, COUNT, {});
}
