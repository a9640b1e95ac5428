import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { placeInScenario, readScenario } from './author.js';
import { getComponent, HASH_DIGITS_MIN, HASH_LENGTH } from './components.js';
import type { Place } from './documents/index.js';
import type { Done, Engine, Refused } from './engine.js';
import type { WantedScenario } from './load-program.js';

export interface NamedScenario {
  /** A file or a folder, or the first digits of a hash. */
  readonly scenario: string;
  readonly place: Place;
}

/** Finds a scenario by its path or hash. One that is read from a path is not stored yet. */
export async function findNamed(engine: Engine, named: NamedScenario): Promise<Done<WantedScenario>> {
  const { scenario, place } = named;
  if (!isHash(named)) {
    const read = await readScenario(engine, scenario, place);
    return read.ok ? { ok: true, value: { usable: read.value } } : read;
  }
  if (scenario.length === HASH_LENGTH) return { ok: true, value: { scenario_hash: scenario } };
  const found = await getComponent(engine, { kind: 'scenario', hash: scenario });
  return found.ok ? { ok: true, value: { scenario_hash: found.value.hash } } : found;
}

/** A refusal of a scenario with its problems at their places in the file, where a file was named. */
export async function placeRefusal(engine: Engine, named: NamedScenario, refused: Refused): Promise<Refused> {
  if (isHash(named)) return refused;
  const paths = { place: named.place, paths: [named.scenario] };
  return { ...refused, problems: await placeInScenario(engine.authoring, paths, refused.problems) };
}

/** The first digits of a hash; a file of that name is preferred. */
function isHash({ scenario, place }: NamedScenario): boolean {
  const isDigits = /^[0-9a-f]+$/.test(scenario) && scenario.length >= HASH_DIGITS_MIN;
  return isDigits && !existsSync(resolve(place.working_folder, scenario));
}
