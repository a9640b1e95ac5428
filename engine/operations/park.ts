import type { Outcome } from '../contract/problem.js';
import { join } from 'node:path';
import { readScenario } from './author.js';
import { checkChosenModel } from './chosen-model.js';
import type { Composition } from './composition.js';
import { type RunReport, runTurns } from './run-turns.js';
import { type WatchedRun, withStagedEngine } from './run-world.js';
import { createWorld, freshSlug } from './worlds.js';

/** A shipped scenario, with its script of the same name. */
interface ShippedRun extends Omit<WatchedRun, 'scenario'> {
  readonly scenario: string;
}

/** Runs a whole scenario: toy services, a model, the shipped documents, a fresh world, its first turns. */
export function runPark(
  composition: Composition,
  { scenario: name, ...request }: ShippedRun,
): Promise<Outcome<RunReport>> {
  const root = join(composition.package_root, 'workflows');
  const place = { working_folder: composition.package_root, root };
  return withStagedEngine(composition, { ...request, with_toys: true }, async (engine) => {
    const scenario = await readScenario(engine, join(root, name, 'scenario.json'), place);
    if (!scenario.ok) return scenario;
    await scenario.value.store();
    const chosen = await checkChosenModel(engine, scenario.value.hash, request.model);
    if (!chosen.ok) return chosen;
    const world_slug = await freshSlug(engine, name);
    const world = await createWorld(engine, { world_slug, usable: scenario.value });
    if (!world.ok) return world;
    request.onWorld(world.value, engine.store.database, {});
    return runTurns(engine, { ...request, world_slug });
  });
}
