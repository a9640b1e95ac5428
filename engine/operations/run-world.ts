import type { Database, WorldSnapshot } from '../ports/records.js';
import type { Composition } from './composition.js';
import { type Done, type Engine, whileReachable } from './engine.js';
import { type RunReport, type RunRequest, runTurns } from './run-turns.js';
import { type StageRequest, startStage } from './stage.js';
import { checkChosenModel } from './chosen-model.js';
import { showWorld } from './worlds.js';

/** Turns to run, and who is told of them. */
export interface WatchedRun extends Omit<RunRequest, 'world_slug'> {
  /** What the scripted model says; without it the model of the environment is asked. */
  readonly answers_file?: string;
  /** The model to ask, in place of the one that sources' variables name. */
  readonly model?: string;
  /** Told of the world before its first turn, and of the database that holds it. */
  readonly onWorld: (world: WorldSnapshot, database: Pick<Database, 'description' | 'is_kept'>) => void;
}

/** Runs turns of a world, with a scripted model where there is a script. */
export function runWorld(
  composition: Composition,
  request: WatchedRun & Pick<RunRequest, 'world_slug'>,
): Promise<Done<RunReport>> {
  return withStagedEngine(composition, toStage(request, false), async (engine) => {
    const world = await showWorld(engine, { world_slug: request.world_slug });
    if (!world.ok) return world;
    const chosen = await checkChosenModel(engine, world.value.scenario_hash, request.model);
    if (!chosen.ok) return chosen;
    request.onWorld(world.value, engine.store.database);
    return runTurns(engine, request);
  });
}

/** What a run needs on the stage. */
export function toStage(
  { answers_file, model }: Pick<WatchedRun, 'answers_file' | 'model'>,
  with_toys: boolean,
): StageRequest {
  return {
    with_toys,
    ...(answers_file === undefined ? {} : { answers_file }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Sets a stage up, opens the engine on it for one task, and takes all of it down whatever comes. */
export async function withStagedEngine<Value>(
  composition: Composition,
  wanted: StageRequest,
  task: (engine: Engine) => Promise<Done<Value>>,
): Promise<Done<Value>> {
  const stage = await startStage(composition, wanted);
  if (!stage.ok) return stage;
  try {
    const engine = await composition.openEngine({
      variables: stage.value.variables,
      ...(wanted.model === undefined ? {} : { model: wanted.model }),
    });
    if (!engine.ok) return engine;
    try {
      return await whileReachable(engine.value, task);
    } finally {
      await engine.value.close();
    }
  } finally {
    await stage.value.close();
  }
}
