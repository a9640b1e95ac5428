import { type Outcome, succeed } from '../../contract/problem.js';
import type { Engine } from '../engine.js';
import type { Acknowledgement } from '../settling/reports.js';
import { unknownWorld } from './worlds.js';

/**
 * Takes the memories of an origin out of the present of a world: its agents do not remember them any more. The turns so
 * far keep them, as prompts were made of them, and everything else stays. Idempotent.
 */
export async function purgeMemories(
  engine: Engine,
  world_slug: string,
  origin: string,
): Promise<Outcome<Acknowledgement>> {
  const purged = await engine.store.worlds.purgeMemories(world_slug, origin);
  if (purged.kind === 'unknown_world') return unknownWorld(engine, world_slug);
  if (purged.kind === 'open') {
    const message = `An attempt of ${world_slug} is under way, and was shown the memories. Purge them when it has ended.`;
    return succeed({ accepted: false, reason: 'late', message, world: world_slug, attempt_id: purged.attempt_id });
  }
  const { memories, turn } = purged;
  const what = memories === 1 ? '1 memory' : `${memories} memories`;
  const message = `Purged ${what} of ${origin} from ${world_slug} at turn ${turn}.`;
  return succeed({ accepted: true, message, world: world_slug });
}
