import { type Outcome, refuse, type Refused, succeed } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import { present } from '../../contract/present.js';
import { findHistoryProblems } from '../../core/world/shared-history.js';
import type { Scenario } from '../../generated/scenario.js';
import type { WorldRecord } from '../../ports/worlds.js';
import type { Engine } from '../engine.js';
import { findUsable, type UsableScenario, type WantedScenario } from '../running/load-program.js';
import { worldUnderWay } from './transfer-worlds.js';
import { unknownWorld } from './worlds.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { placeInScenario, readScenario } from '../authoring/author.js';
import { getComponent, HASH_DIGITS_MIN, HASH_LENGTH } from '../authoring/components.js';
import type { Place } from '../documents/index.js';

/**
 * Lets a world adopt a named scenario. A problem is placed in the file that was named.
 * @returns the first turn of the new scenario; undefined where the world has it already
 */
export async function adoptNamed(
  engine: Engine,
  world_slug: string,
  named: NamedScenario,
): Promise<Outcome<number | undefined>> {
  const scenario = await findNamed(engine, named);
  if (!scenario.ok) return scenario;
  const changed = await changeScenario(engine, { world_slug, scenario: scenario.value });
  return changed.ok ? changed : placeRefusal(engine, named, changed);
}

/**
 * Lets a world adopt edited documents from its next turn on, and stores those that are new.
 * @returns the first turn of the new scenario; undefined where the world has it already
 */
async function changeScenario(
  engine: Engine,
  { world_slug, scenario }: { readonly world_slug: string; readonly scenario: WantedScenario },
): Promise<Outcome<number | undefined>> {
  const world = await engine.store.worlds.find(world_slug);
  if (world === undefined) return unknownWorld(engine, world_slug);
  const found = await findFitting(engine, world, scenario);
  if (!found.ok) return found;
  const { hash: scenario_hash, files, store } = found.value;
  if (scenario_hash === world.scenario_hash) return succeed(undefined);
  await store();
  const changed = await engine.store.worlds.changeScenario({
    world_slug,
    scenario_hash,
    chosen_at: engine.runtime.clock.now(),
    ...present({ files }),
  });
  switch (changed.kind) {
    case 'changed':
      return succeed(world.turn + 1);
    case 'unknown_world':
      return unknownWorld(engine, world_slug);
    case 'under_way':
      return refuse(worldUnderWay(changed.attempt, 'It continues with the documents with which it began.'));
    default:
      return unreachable(changed);
  }
}

/** Finds another scenario for a world: it must compile, and agree on times and roster. */
export async function findFitting(
  engine: Engine,
  { world_slug, scenario_hash }: Pick<WorldRecord, 'world_slug' | 'scenario_hash'>,
  wanted: WantedScenario,
): Promise<Outcome<UsableScenario>> {
  const found = await findUsable(engine, wanted);
  if (!found.ok || found.value.hash === scenario_hash) return found;
  const stored = await engine.store.components.find('scenario', scenario_hash);
  if (stored === undefined) throw new Error(`the scenario of ${world_slug} is not stored`);
  const problems = findHistoryProblems(stored.content as unknown as Scenario, found.value.scenario);
  return problems.length === 0 ? found : refuse(...problems);
}

export interface NamedScenario {
  /** A file or a folder, or the first digits of a hash. */
  readonly scenario: string;
  readonly place: Place;
}

/** Finds a scenario by its path or hash. One that is read from a path is not stored yet. */
export async function findNamed(engine: Engine, named: NamedScenario): Promise<Outcome<WantedScenario>> {
  const { scenario, place } = named;
  if (!isHash(named)) {
    const read = await readScenario(engine, scenario, place);
    return read.ok ? succeed({ usable: read.value }) : read;
  }
  if (scenario.length === HASH_LENGTH) return succeed({ scenario_hash: scenario });
  const found = await getComponent(engine, { kind: 'scenario', hash: scenario });
  return found.ok ? succeed({ scenario_hash: found.value.hash }) : found;
}

/** A refusal of a scenario with its problems at their places in the file, where a file was named. */
export async function placeRefusal(engine: Engine, named: NamedScenario, refused: Refused): Promise<Refused> {
  if (isHash(named)) return refused;
  const paths = { place: named.place, paths: [named.scenario] };
  return { ...refused, problems: await placeInScenario(engine.authoring, paths, refused.problems) };
}

/** Whether it is named by a whole hash, which is known without a look at the database. */
export function isWholeHash(named: NamedScenario): boolean {
  return named.scenario.length === HASH_LENGTH && isHash(named);
}

/** The first digits of a hash; a file of that name is preferred. */
function isHash({ scenario, place }: NamedScenario): boolean {
  const isDigits = /^[0-9a-f]+$/.test(scenario) && scenario.length >= HASH_DIGITS_MIN;
  return isDigits && !existsSync(resolve(place.working_folder, scenario));
}
