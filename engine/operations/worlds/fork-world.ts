import { type Outcome, refuse } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { WorldRecord, WorldSnapshot } from '../../ports/worlds.js';
import { findFitting } from './change-scenario.js';
import type { Archive, Engine } from '../engine.js';
import type { WantedScenario } from '../running/load-program.js';
import { findSlugProblem, showWorld, slugTaken } from './worlds.js';

export interface ForkRequest {
  readonly source_slug: string;
  readonly at_turn: number;
  readonly world_slug: string;
  /** The scenario of the fork; by default the one that the named turn of its parent had. */
  readonly scenario?: WantedScenario;
}

/**
 * Makes a world that shares another's turns up to one of them, by the workflows which that turn had or by other ones, which
 * are stored with it. Nothing is copied, and attempts and leases stay with their world.
 */
export async function forkWorld(engine: Engine, request: ForkRequest): Promise<Outcome<WorldSnapshot>> {
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

/** A sentence on a new fork: which scenario it has, and the one that its parent has now, if that is another. */
export async function describeFork(
  { store }: Archive,
  { source_slug, at_turn, world_slug, scenario }: ForkRequest,
  fork: Pick<WorldRecord, 'scenario_hash' | 'scenario_label'>,
): Promise<string> {
  const name = (named: typeof fork) => `${named.scenario_label} (${named.scenario_hash.slice(0, 12)})`;
  const origin = scenario === undefined ? `of turn ${at_turn}` : 'that was named for it';
  const said = `The world ${world_slug} is a fork of ${source_slug} at turn ${at_turn}, by the scenario ${name(fork)} ${origin}.`;
  const now = scenario === undefined ? await store.worlds.find(source_slug) : undefined;
  if (now === undefined || now.scenario_hash === fork.scenario_hash) return said;
  return `${said} ${source_slug} now has the scenario ${name(now)}; name it to fork by that one.`;
}
