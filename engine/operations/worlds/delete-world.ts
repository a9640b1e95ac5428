import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import type { Engine } from '../engine.js';
import { unknownWorld, worldBusy } from './worlds.js';

/** The deleted world and its number of rows. */
export interface Deleted {
  readonly world: string;
  readonly rows: number;
}

/** Deletes a world with all that is recorded of it, for good. */
export async function deleteWorld(engine: Engine, world_slug: string): Promise<Outcome<Deleted>> {
  const deleted = await engine.store.worlds.delete(world_slug);
  switch (deleted.kind) {
    case 'deleted':
      return succeed({ world: world_slug, rows: deleted.rows });
    case 'unknown_world':
      return unknownWorld(engine, world_slug);
    case 'held':
      return worldBusy(world_slug, { ...deleted, holder: deleted });
    case 'has_forks':
      const facts = { world_slug, forks: deleted.forks };
      return refuse(problem('WORLD_HAS_FORKS', facts, { details: facts }));
    default:
      return unreachable(deleted);
  }
}
