import { join } from 'node:path';
import { compose } from '../../../engine/main.js';
import { putScenario } from '../../../engine/operations/author.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { loadScenario } from '../../../engine/operations/load-program.js';
import { createWorld } from '../../../engine/operations/worlds.js';
import { runAttempt } from '../../../engine/runtime/run-attempt.js';
import type { LeftWorld } from '../../../engine/ports/attempts.js';
import { must } from './must.js';

type Variables = Readonly<Record<string, string>>;

/** Scenarios whose turns are measured, below the root of the package. */
export const PARK = 'workflows/park/scenario.json';
/** One reading, one tool, two generations. */
export const UNIT_TURN = 'fixtures/unit-turn/scenario.json';

/** The worlds that an arm plays. */
interface Played {
  readonly scenario: string;
  readonly worlds?: number;
}

/** The real engine with fresh worlds. */
export interface EngineArm {
  readonly engine: Engine;
  readonly world_slugs: readonly string[];
  /** Runs a world's next turn, from the lease to the commit: the first world's, unless another is given. @throws Error where it does not commit */
  turn(world?: number): Promise<{ readonly attempt_id: string }>;
  close(): Promise<void>;
}

/** Opens the engine on the database that the variables name, as any surface does, and makes the worlds. */
export async function openEngineArm(
  database: Variables,
  stage: Variables,
  { scenario: path, worlds = 1 }: Played,
): Promise<EngineArm> {
  const composition = await compose(database);
  const engine = must(await composition.openEngine({ variables: stage }));
  const root = composition.package_root;
  const slugOf = (world: number) => `bench-${process.pid}-${world + 1}`;
  const scenario_hash = must(await putScenario(engine, join(root, path), { working_folder: root, root }));
  const world_slugs = Array.from({ length: worlds }, (_none, world) => slugOf(world));
  for (const world_slug of world_slugs) must(await createWorld(engine, { world_slug, scenario_hash }));
  const { scenario, program } = must(await loadScenario(engine, scenario_hash));
  const simulationTime = (turn: number) =>
    new Date(Date.parse(scenario.start_time) + turn * scenario.chronon_seconds * 1000).toISOString();
  const request = { program, simulationTime, signal: new AbortController().signal, onProgress: () => {} };
  const lefts = new Map<number, LeftWorld>();
  return {
    engine,
    world_slugs,
    turn: async (world = 0) => {
      const left = lefts.get(world);
      const asked = { ...request, world_slug: slugOf(world), ...(left === undefined ? {} : { left }) };
      const end = await runAttempt(engine.runtime, asked);
      if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
      lefts.set(world, end.left);
      return { attempt_id: end.attempt_id };
    },
    close: () => engine.close(),
  };
}
