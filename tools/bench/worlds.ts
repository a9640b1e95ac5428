import { join } from 'node:path';
import { simulationTime } from '../../engine/core/world/simulation-time.js';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import type { LeftWorld } from '../../engine/ports/attempts.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import { must } from '../must.js';

export type Variables = Readonly<Record<string, string>>;

/** The package's own folder. */
export const ROOT = (await compose({})).package_root;

/** Scenarios whose turns are measured. */
export const PARK = { folder: ROOT, scenario: 'workflows/park/scenario.json' };
/** One reading, one tool, two generations. */
export const UNIT_TURN = { folder: ROOT, scenario: 'fixtures/unit-turn/scenario.json' };

/** The worlds of one scenario, and the real engine that drives them. */
export interface Worlds {
  readonly engine: Engine;
  readonly world_slugs: readonly string[];
  readonly scenario_hash: string;
  /**
   * Runs a world's next turn, from the lease to the commit: the first world's, unless another is given.
   * @param is_known whether the driver still knows the world; else it is read
   * @throws Error where it does not commit
   */
  turn(world?: number, is_known?: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the engine on a database, as any surface does, and makes worlds. Close it.
 * @param played.folder the folder of the documents, and `scenario` the path of one of them below it
 */
export async function openWorlds(
  database: Variables,
  services: Variables,
  played: { readonly folder: string; readonly scenario: string; readonly world_slugs: readonly string[] },
): Promise<Worlds> {
  const { folder, world_slugs } = played;
  const engine = must(await (await compose(database)).openEngine({ variables: services }));
  const place = { working_folder: folder, root: folder };
  const scenario_hash = must(await putScenario(engine, join(folder, played.scenario), place));
  for (const world_slug of world_slugs) must(await createWorld(engine, { world_slug, scenario_hash }));
  const { scenario, program } = must(await loadScenario(engine, scenario_hash));
  const timeOf = (turn: number): string => new Date(simulationTime(scenario, turn) ?? 0).toISOString();
  const lefts = new Map<string, LeftWorld>();
  return {
    engine,
    world_slugs,
    scenario_hash,
    turn: async (world = 0, is_known = true) => {
      const world_slug = world_slugs[world] ?? '';
      const left = is_known ? lefts.get(world_slug) : undefined;
      const { signal } = new AbortController();
      const asked = { program, world_slug, simulationTime: timeOf, signal, onProgress: () => {} };
      const end = await runAttempt(engine.runtime, { ...asked, ...(left === undefined ? {} : { left }) });
      if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
      lefts.set(world_slug, end.left);
    },
    close: () => engine.close(),
  };
}
