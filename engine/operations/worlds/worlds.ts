import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { SLUG } from '../../contract/slug.js';
import { present } from '../../contract/present.js';
import type { Holder } from '../../ports/attempts.js';
import { nearestName } from '../../core/content/nearest-name.js';
import { simulationTime } from '../../core/world/simulation-time.js';
import type { Scenario } from '../../generated/scenario.js';
import { stateOfWorld } from '../../core/protocol/work-state.js';
import type { WorldActivity } from '../../ports/browse.js';
import type { WorldRecord, WorldScenario, WorldSnapshot } from '../../ports/worlds.js';
import type { Archive, Engine } from '../engine.js';
import { findUsable, type WantedScenario } from '../running/load-program.js';
import { type Costing, readCost } from '../costs/read-cost.js';
import { findQueue, type QueuedTurns, toQueued } from '../running/queue.js';

const IS_SLUG = new RegExp(`^${SLUG}$`);
const SLUG_LENGTH_MAX = 64;

/** Makes a world of a scenario, and stores the scenario with it; a refused world stores nothing. */
export async function createWorld(
  engine: Engine,
  request: { readonly world_slug: string } & WantedScenario,
): Promise<Outcome<WorldSnapshot>> {
  const { world_slug } = request;
  const unusable = findSlugProblem(world_slug);
  if (unusable !== undefined) return refuse(unusable);
  const found = await findUsable(engine, request);
  if (!found.ok) return found;
  if ((await engine.store.worlds.find(world_slug)) !== undefined) return slugTaken(world_slug);
  const { hash, scenario, files, store } = found.value;
  await store();
  const created = await engine.store.worlds.create({
    world_slug,
    scenario_hash: hash,
    start_time: timeAt(scenario, 0),
    created_at: engine.runtime.clock.now(),
    ...present({ files }),
  });
  return created ? showWorld(engine, { world_slug }) : slugTaken(world_slug);
}

/** Why a text cannot be a world's name. */
export function findSlugProblem(slug: string): Problem | undefined {
  if (IS_SLUG.test(slug) && slug.length <= SLUG_LENGTH_MAX) return undefined;
  return problem('WORLD_SLUG_INVALID', { slug, length_max: SLUG_LENGTH_MAX });
}

export function slugTaken(slug: string): Refused {
  return refuse(problem('WORLD_EXISTS', { slug }));
}

/** The time inside a world at a turn. @returns RFC 3339, in UTC */
export function timeAt(scenario: Pick<Scenario, 'start_time' | 'chronon_seconds'>, turn: number): string {
  const milliseconds = simulationTime(scenario, turn);
  if (milliseconds === undefined) throw new Error(`turn ${turn} has no time`);
  return new Date(milliseconds).toISOString();
}

/** A world with its queue, with what it does, and its newest attempt: null where it was never played. */
export type ActiveWorld = WorldRecord & QueuedTurns & { readonly state: string; readonly newest: WorldActivity | null };

/** All worlds, by name. */
export async function listWorlds(archive: Archive): Promise<Outcome<readonly ActiveWorld[]>> {
  return succeed(await withActivity(archive, await archive.store.worlds.list()));
}

/** Adds to each world its queue, what it does, and its newest attempt. */
export async function withActivity<World extends WorldRecord>(
  { store }: Archive,
  worlds: readonly World[],
): Promise<readonly (World & ActiveWorld)[]> {
  const queues = await store.inbox.queues();
  const activity = await store.browse.activity(worlds.map(({ world_slug }) => world_slug));
  const newestOf = new Map(activity.map((newest) => [newest.world_slug, newest]));
  return worlds.map((world) => {
    const queue = toQueued(queues, world.world_slug);
    const newest = newestOf.get(world.world_slug) ?? null;
    return { ...world, ...queue, state: stateOfWorld(newest, queue), newest };
  });
}

/** A world with its scenarios, oldest first, its queue, and what it has cost; at a turn, what was spent on that turn. */
export type ShownWorld = WorldSnapshot &
  QueuedTurns &
  Costing & { readonly scenarios: readonly Omit<WorldScenario, 'files'>[] };

/** A world as `showWorld` shows it, with its scenarios, its queue and its cost. */
export async function lookAtWorld(archive: Archive, request: WorldPlace): Promise<Outcome<ShownWorld>> {
  const world = await showWorld(archive, request);
  if (!world.ok) return world;
  // The paths of a scenario's files on another machine mean nothing here.
  const known = await archive.store.worlds.scenarios(request.world_slug);
  const scenarios = known.map(({ files: _files, ...scenario }) => scenario);
  const { world_slug, turn } = request;
  const cost = await readCost(
    archive,
    turn === undefined ? { of: 'world', world_slug } : { of: 'turn', world_slug, turn },
  );
  return succeed({ ...world.value, scenarios, cost, ...(await findQueue(archive, world_slug)) });
}

/** A world at one of its turns; as it is where the turn is left out. */
export interface WorldPlace {
  readonly world_slug: string;
  readonly turn?: number;
}

/** A turn of a world, with its time inside the world. */
export interface TurnPlace {
  readonly world_slug: string;
  readonly turn: number;
  readonly simulation_time: string;
}

/** A world as it was at the end of a turn; without a turn, as it is. */
export async function showWorld(archive: Archive, request: WorldPlace): Promise<Outcome<WorldSnapshot>> {
  const snapshot = await archive.store.worlds.snapshot(request.world_slug, request.turn);
  if (snapshot !== undefined) return succeed(snapshot);
  const world = await archive.store.worlds.find(request.world_slug);
  if (world === undefined) return unknownWorld(archive, request.world_slug);
  return refuse(turnUnknown(world, request.turn));
}

/** The problem with a turn that a world has not reached. */
function turnUnknown(world: Pick<WorldSnapshot, 'world_slug' | 'turn'>, turn: number | undefined): Problem {
  return problem('TURN_UNKNOWN', { world_slug: world.world_slug, turn, reached: world.turn });
}

/** The first free name of a family (`park`, `park-2`, `park-3`, ...). */
export async function freshSlug(engine: Engine, family: string): Promise<string> {
  const taken = new Set((await engine.store.worlds.list()).map((world) => world.world_slug));
  let slug = family;
  for (let number = 2; taken.has(slug); number++) slug = `${family}-${number}`;
  return slug;
}

/** Refuses an unknown world, with the nearest known name. */
export async function unknownWorld(archive: Archive, slug: string) {
  const known = (await archive.store.worlds.list()).map((world) => world.world_slug);
  const deletion = await archive.store.actions.deletion(slug);
  const empty = known.length === 0 ? { empty: archive.store.database.description } : {};
  return refuse(
    problem('WORLD_UNKNOWN', { slug, nearest: nearestName(slug, known), ...empty, ...present({ deletion }) }),
  );
}

/** Refuses a world that another process drives. @param held `until` in milliseconds since 1970 */
export function worldBusy(
  slug: string,
  {
    holder: { pid, host },
    attempt_id,
    until: until_ms,
  }: { readonly holder: Holder; readonly attempt_id: string; readonly until: number },
): Refused {
  const until = new Date(until_ms).toISOString();
  const details = { pid, host, attempt_id, until };
  return refuse(problem('WORLD_BUSY', { world_slug: slug, ...details }, { details }));
}
