import { findForkProblems } from '../core/world/shared-history.js';
import type { Scenario } from '../generated/scenario.js';
import type { WorldRecord, WorldSnapshot } from '../ports/records.js';
import { type Done, type Engine, refuse } from './engine.js';
import { loadScenario } from './load-program.js';
import { findSlugProblem, showWorld, slugTaken } from './worlds.js';

export interface ForkRequest {
  /** The world that is left. */
  readonly source_slug: string;
  /** The last turn that both share. */
  readonly at_turn: number;
  /** The new world. */
  readonly world_slug: string;
  /** The scenario that it goes on by; its world's own where it is left out. */
  readonly scenario_hash?: string;
}

/**
 * Makes a world that shares another's turns up to one of them and goes on by itself, by the same workflows or by edited
 * ones. Nothing is copied, and attempts and leases stay with the world that had them.
 */
export async function forkWorld(engine: Engine, request: ForkRequest): Promise<Done<WorldSnapshot>> {
  const { source_slug, at_turn, world_slug } = request;
  const unusable = findSlugProblem(world_slug);
  if (unusable !== undefined) return refuse(unusable);
  const source = await showWorld(engine, { world_slug: source_slug, turn: at_turn });
  if (!source.ok) return source;
  const scenario = await chooseScenario(engine, source.value, request.scenario_hash);
  if (!scenario.ok) return scenario;
  const forked = await engine.store.worlds.fork({
    world_slug,
    source_slug,
    at_turn,
    scenario_hash: scenario.value,
    created_at: engine.runtime.clock.now(),
  });
  return forked ? showWorld(engine, { world_slug }) : slugTaken(world_slug);
}

/** The world's own scenario is known to fit; another one must compile, and tell the same history. */
async function chooseScenario(
  engine: Engine,
  source: WorldRecord,
  chosen: string = source.scenario_hash,
): Promise<Done<string>> {
  if (chosen === source.scenario_hash) return { ok: true, value: chosen };
  const loaded = await loadScenario(engine, chosen);
  if (!loaded.ok) return loaded;
  const own = await engine.store.components.find('scenario', source.scenario_hash);
  if (own === undefined) throw new Error(`the scenario of ${source.world_slug} is not stored`);
  const problems = findForkProblems(own.content as unknown as Scenario, loaded.value.scenario);
  return problems.length === 0 ? { ok: true, value: chosen } : refuse(...problems);
}
