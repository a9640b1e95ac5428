import { type Outcome, refuse } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { join } from 'node:path';
import { checkPaths, readScenario, refuseFindings } from '../authoring/author.js';
import { checkChosenModel } from './chosen-model.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import { estimateLongRun, estimateProgram, type RunEstimate } from '../costs/estimate.js';
import { compileScenario } from './load-program.js';
import { type RunReport, runTurns } from './run-turns.js';
import { type WatchedRun, withStagedEngine } from './run-world.js';
import { createWorld, freshSlug } from '../worlds/worlds.js';

/** A shipped scenario, with its script of the same name. */
interface ShippedRun extends Omit<WatchedRun, 'scenario' | 'with_toys'> {
  readonly scenario: string;
}

/**
 * Estimates the first turns of a fresh world of it, for the model that its sources would ask. Makes no call, and opens no
 * database.
 */
export function estimatePark(
  { package_root, withSources }: Composition,
  { scenario: name, turns, model }: Pick<ShippedRun, 'scenario' | 'turns' | 'model'>,
): Promise<Outcome<RunEstimate>> {
  return withSources(async (sources) => {
    const { path, place } = findShipped(package_root, name);
    const checked = await checkPaths(sources.authoring, { paths: [path], place });
    const byName = new Map(checked.components.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
    const scenario = checked.components.find(({ kind }) => kind === 'scenario');
    if (!checked.ok || scenario === undefined) return refuseFindings(checked.findings);
    const compiled = compileScenario(sources.authoring, scenario.hash, (kind, hash) => byName.get(`${kind} ${hash}`));
    if (!compiled.ok) return refuse(...compiled.problems);
    return estimateProgram(sources, compiled.program, { world_slug: name, turns, earlier: [] });
  }, present({ model }));
}

function findShipped(package_root: string, name: string): { readonly path: string; readonly place: Place } {
  const root = join(package_root, 'workflows');
  return { path: join(root, name, 'scenario.json'), place: { working_folder: package_root, root } };
}

/** Runs a whole scenario: toy services, a model, the shipped documents, a fresh world, its first turns. */
export function runPark(
  composition: Composition,
  { scenario: name, ...request }: ShippedRun,
): Promise<Outcome<RunReport>> {
  const { path, place } = findShipped(composition.package_root, name);
  return withStagedEngine(composition, { ...request, with_toys: true }, async (engine) => {
    const scenario = await readScenario(engine, path, place);
    if (!scenario.ok) return scenario;
    await scenario.value.store();
    const chosen = await checkChosenModel(engine, scenario.value.hash, request.model);
    if (!chosen.ok) return chosen;
    const world_slug = await freshSlug(engine, name);
    const world = await createWorld(engine, { world_slug, usable: scenario.value });
    if (!world.ok) return world;
    const estimate = await estimateLongRun(engine, { ...request, world_slug });
    request.onWorld(world.value, engine.store.database, { estimate });
    return runTurns(engine, { ...request, world_slug });
  });
}
