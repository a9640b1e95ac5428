import type { Memory } from '../core/world/world.js';
import { inTransaction, type OpenDatabase } from './database.js';
import { prepare, run, type Runner } from './statement.js';
import { readContents } from './world-snapshot.js';

/** What came of a purge. `open`: an attempt has begun with the memories, and must end first. */
export type Purged =
  | { readonly kind: 'purged'; readonly turn: number; readonly memories: number }
  | { readonly kind: 'open'; readonly attempt_id: string }
  | { readonly kind: 'unknown_world' };

// Whoever begins an attempt locks the world first.
const LOCK = prepare('lock_world_to_purge', 'SELECT turn FROM worlds WHERE world_slug = :world_slug FOR UPDATE');

const FIND_OPEN = prepare(
  'find_open_attempt',
  'SELECT attempt_id FROM attempts WHERE world_slug = :world_slug AND ended_at IS NULL LIMIT 1',
);

const PURGE = prepare(
  'purge_memories',
  `INSERT INTO memory_purges (world_slug, at_turn, origin, purged_at) VALUES (:world_slug, :turn, :origin, now())
   ON CONFLICT DO NOTHING`,
);

/** Takes the memories of an origin out of the present of a world: one transaction. Idempotent. */
export function purgeMemories(
  { pool }: Pick<OpenDatabase, 'pool'>,
  world_slug: string,
  origin: string,
): Promise<Purged> {
  return inTransaction(pool, async (client: Runner) => {
    const [world] = await run<{ turn: number }>(client, LOCK, { world_slug });
    if (world === undefined) return { kind: 'unknown_world' };
    const [open] = await run<{ attempt_id: string }>(client, FIND_OPEN, { world_slug });
    if (open !== undefined) return { kind: 'open', ...open };
    const { turn } = world;
    const { entities } = await readContents(client, world_slug, turn);
    const isOf = ({ origins = ['scenario'] }: Memory) => origins.some((one) => one === origin);
    const memories = entities.flatMap(({ memory }) => memory.filter(isOf)).length;
    if (memories > 0) await run(client, PURGE, { world_slug, turn, origin });
    return { kind: 'purged', turn, memories };
  });
}
