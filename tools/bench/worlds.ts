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
import { ROOT, type Stage, type Variables } from './stage.js';

/** A scenario: the folder of its documents, and its own path in there. */
export interface Played {
  readonly folder: string;
  readonly scenario: string;
}

export const PARK: Played = { folder: ROOT, scenario: 'workflows/park/scenario.json' };
/** One reading, one tool, two generations. */
export const UNIT_TURN: Played = { folder: ROOT, scenario: 'fixtures/unit-turn/scenario.json' };

/** The worlds of one scenario, and the real engine that drives them. */
export interface Worlds {
  readonly engine: Engine;
  readonly scenario_hash: string;
  /**
   * Runs the next turn of a world, from the lease to the commit.
   * @param is_known whether the driver still knows the world; else it is read
   * @throws Error where it does not commit
   */
  turn(world_slug: string, is_known?: boolean): Promise<void>;
}

/**
 * Opens the engine as any surface does, and makes worlds.
 * @param variables that lead to a database and to services
 */
export async function openWorlds(
  stage: Stage,
  variables: Variables,
  { folder, scenario: path }: Played,
  world_slugs: readonly string[],
): Promise<Worlds> {
  const engine = must(await (await compose(variables)).openEngine());
  stage.after(() => engine.close());
  const scenario_hash = must(await putScenario(engine, join(folder, path), { working_folder: folder, root: folder }));
  for (const world_slug of world_slugs) must(await createWorld(engine, { world_slug, scenario_hash }));
  const { scenario, program } = must(await loadScenario(engine, scenario_hash));
  const timeOf = (turn: number): string => new Date(simulationTime(scenario, turn) ?? 0).toISOString();
  const lefts = new Map<string, LeftWorld>();
  return {
    engine,
    scenario_hash,
    turn: async (world_slug, is_known = true) => {
      const left = is_known ? lefts.get(world_slug) : undefined;
      const { signal } = new AbortController();
      const asked = { program, world_slug, simulationTime: timeOf, signal, onProgress: () => {} };
      const end = await runAttempt(engine.runtime, { ...asked, ...(left === undefined ? {} : { left }) });
      if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
      lefts.set(world_slug, end.left);
    },
  };
}
