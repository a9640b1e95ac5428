import { present } from '../contract/present.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import { findFitting } from './change-scenario.js';
import { type Done, type Engine, refuse } from './engine.js';
import type { WantedScenario } from './load-program.js';
import { findSlugProblem, showWorld, slugTaken } from './worlds.js';

export interface ForkRequest {
  readonly source_slug: string;
  readonly at_turn: number;
  readonly world_slug: string;
  /** The scenario of the fork; that of its parent by default. */
  readonly scenario?: WantedScenario;
}

/**
 * Makes a world that shares another's turns up to one of them, by the same workflows or by edited ones, which are
 * stored with it. Nothing is copied, and attempts and leases stay with their world.
 */
export async function forkWorld(engine: Engine, request: ForkRequest): Promise<Done<WorldSnapshot>> {
  const { source_slug, at_turn, world_slug } = request;
  const unusable = findSlugProblem(world_slug);
  if (unusable !== undefined) return refuse(unusable);
  const source = await showWorld(engine, { world_slug: source_slug, turn: at_turn });
  if (!source.ok) return source;
  const scenario = await findFitting(engine, source.value, request.scenario ?? source.value);
  if (!scenario.ok) return scenario;
  if ((await engine.store.worlds.find(world_slug)) !== undefined) return slugTaken(world_slug);
  const { hash: scenario_hash, files, store } = scenario.value;
  await store();
  const forked = await engine.store.worlds.fork({
    world_slug,
    source_slug,
    at_turn,
    scenario_hash,
    created_at: engine.runtime.clock.now(),
    ...present({ files }),
  });
  return forked ? showWorld(engine, { world_slug }) : slugTaken(world_slug);
}
