import type { Database, WorldSnapshot } from '../ports/records.js';
import type { AnswerAsPerson, Composition } from './composition.js';
import { type Done, type Engine, whileReachable } from './engine.js';
import { goOnBy } from './change-scenario.js';
import { listEditedFiles } from './edited-files.js';
import type { NamedScenario } from './named-scenario.js';
import { type RunReport, type RunRequest, runTurns } from './run-turns.js';
import { type StageRequest, startStage } from './stage.js';
import { checkChosenModel } from './chosen-model.js';
import { showWorld } from './worlds.js';

/** Turns to run, and who is told of them. */
export interface WatchedRun extends Omit<RunRequest, 'world_slug'> {
  /** What the scripted model says; without it the model of the environment is asked. */
  readonly answers_file?: string;
  /** Answers in place of a model. */
  readonly person?: AnswerAsPerson;
  /** The model to ask, in place of the one that sources' variables name. */
  readonly model?: string;
  /** The scenario to go on by from the next turn on; the world's own where it is left out. */
  readonly scenario?: NamedScenario;
  /** Told of the world before its first turn, of the database that holds it, and of files that it does not go by. */
  readonly onWorld: (
    world: WorldSnapshot,
    database: Pick<Database, 'description' | 'is_kept'>,
    edited_files: readonly string[],
  ) => void;
}

/** Runs turns of a world, with a scripted model where there is a script. */
export function runWorld(
  composition: Composition,
  request: WatchedRun & Pick<RunRequest, 'world_slug'>,
): Promise<Done<RunReport>> {
  return withStagedEngine(composition, toStage(request, false), async (engine) => {
    const { world_slug, scenario } = request;
    if (scenario !== undefined) {
      const changed = await goOnBy(engine, world_slug, scenario);
      if (!changed.ok) return changed;
    }
    const world = await showWorld(engine, { world_slug });
    if (!world.ok) return world;
    const chosen = await checkChosenModel(engine, world.value.scenario_hash, request.model);
    if (!chosen.ok) return chosen;
    const current = (await engine.store.worlds.scenarios(world_slug)).at(-1);
    const edited_files = await listEditedFiles(engine, current);
    request.onWorld(world.value, engine.store.database, edited_files);
    return withEdited(await runTurns(engine, { ...request, at_leisure: request.person !== undefined }), edited_files);
  });
}

/** A report that names the files which the world does not go by, where there are any. */
export function withEdited(run: Done<RunReport>, edited_files: readonly string[]): Done<RunReport> {
  return run.ok && edited_files.length > 0 ? { ok: true, value: { ...run.value, edited_files } } : run;
}

/** What a run needs on the stage. */
export function toStage(
  { answers_file, person, model }: Pick<WatchedRun, 'answers_file' | 'person' | 'model'>,
  with_toys: boolean,
): StageRequest {
  return {
    with_toys,
    ...(answers_file === undefined ? {} : { answers_file }),
    ...(person === undefined ? {} : { person }),
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
