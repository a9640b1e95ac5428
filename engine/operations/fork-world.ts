import { findForkProblems } from '../core/world/shared-history.js';
import type { Scenario } from '../generated/scenario.js';
import type { WorldRecord, WorldSnapshot } from '../ports/records.js';
import { type Done, type Engine, refuse } from './engine.js';
import { findUsable, type UsableScenario, type WantedScenario } from './load-program.js';
import { findSlugProblem, showWorld, slugTaken } from './worlds.js';

export interface ForkRequest {
  /** The world that is left. */
  readonly source_slug: string;
  /** The last turn that both share. */
  readonly at_turn: number;
  /** The new world. */
  readonly world_slug: string;
  /** The scenario that it goes on by; its world's own where it is left out. */
  readonly scenario?: WantedScenario;
}

/**
 * Makes a world that shares another's turns up to one of them and goes on by itself, by the same workflows or by edited
 * ones, which are stored with it where they are not yet. Nothing is copied, and attempts and leases stay with the world
 * that had them.
 */
export async function forkWorld(engine: Engine, request: ForkRequest): Promise<Done<WorldSnapshot>> {
  const { source_slug, at_turn, world_slug } = request;
  const unusable = findSlugProblem(world_slug);
  if (unusable !== undefined) return refuse(unusable);
  const source = await showWorld(engine, { world_slug: source_slug, turn: at_turn });
  if (!source.ok) return source;
  const scenario = await chooseScenario(engine, source.value, request.scenario);
  if (!scenario.ok) return scenario;
  if ((await engine.store.worlds.find(world_slug)) !== undefined) return slugTaken(world_slug);
  await scenario.value.store();
  const forked = await engine.store.worlds.fork({
    world_slug,
    source_slug,
    at_turn,
    scenario_hash: scenario.value.hash,
    created_at: engine.runtime.clock.now(),
  });
  return forked ? showWorld(engine, { world_slug }) : slugTaken(world_slug);
}

/** The world's own scenario is known to fit; another one must compile, and tell the same history. */
async function chooseScenario(
  engine: Engine,
  { world_slug, scenario_hash }: WorldRecord,
  wanted: WantedScenario | undefined,
): Promise<Done<Pick<UsableScenario, 'hash' | 'store'>>> {
  const own: Pick<UsableScenario, 'hash' | 'store'> = { hash: scenario_hash, store: async () => {} };
  if (wanted === undefined) return { ok: true, value: own };
  const found = await findUsable(engine, wanted);
  if (!found.ok || found.value.hash === scenario_hash) return found;
  const stored = await engine.store.components.find('scenario', scenario_hash);
  if (stored === undefined) throw new Error(`the scenario of ${world_slug} is not stored`);
  const problems = findForkProblems(stored.content as unknown as Scenario, found.value.scenario);
  return problems.length === 0 ? found : refuse(...problems);
}
