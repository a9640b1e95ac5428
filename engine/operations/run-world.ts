import type { Database } from '../ports/store.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import type { AnswerAsPerson, Composition } from './composition.js';
import { type Done, type Engine, whileReachable } from './engine.js';
import { adoptNamed } from './change-scenario.js';
import { type EditedScenario, findEdited } from './edited-files.js';
import type { NamedScenario } from './named-scenario.js';
import { type RunReport, type RunRequest, runTurns } from './run-turns.js';
import { type StageRequest, startStage } from './stage.js';
import { checkChosenModel } from './chosen-model.js';
import { showWorld } from './worlds.js';

/** Turns to run, and who is notified of them. */
export interface WatchedRun extends Omit<RunRequest, 'world_slug'> {
  /** What the scripted model says; without it the model of the environment is asked. */
  readonly answers_file?: string;
  readonly person?: AnswerAsPerson;
  /** The model to ask, in place of the one that sources' variables name. */
  readonly model?: string;
  /** The scenario to go on by from the next turn on; the world's own where it is left out. */
  readonly scenario?: NamedScenario;
  /** Called before the first turn, with the world, the database that holds it, and what is new about its scenario. */
  readonly onWorld: (
    world: WorldSnapshot,
    database: Pick<Database, 'description' | 'is_kept'>,
    news: ScenarioNews,
  ) => void;
}

/** What a person should know of the scenario of a world that is about to run. */
export interface ScenarioNews {
  /** Where its files have changed, and the world does not go by them. */
  readonly edited?: EditedScenario | undefined;
  /** The first turn of a scenario that this very run has adopted. */
  readonly adopted_from_turn?: number | undefined;
}

/** Runs turns of a world, with a scripted model where there is a script. */
export function runWorld(
  composition: Composition,
  request: WatchedRun & Pick<RunRequest, 'world_slug'>,
): Promise<Done<RunReport>> {
  return withStagedEngine(composition, { ...request, with_toys: false }, async (engine) => {
    const { world_slug, scenario } = request;
    const adopted = scenario === undefined ? undefined : await adoptNamed(engine, world_slug, scenario);
    if (adopted?.ok === false) return adopted;
    const world = await showWorld(engine, { world_slug });
    if (!world.ok) return world;
    const chosen = await checkChosenModel(engine, world.value.scenario_hash, request.model);
    if (!chosen.ok) return chosen;
    const current = (await engine.store.worlds.scenarios(world_slug)).at(-1);
    const news = { edited: await findEdited(engine, current), adopted_from_turn: adopted?.value };
    request.onWorld(world.value, engine.store.database, news);
    return withNews(await runTurns(engine, { ...request, at_leisure: request.person !== undefined }), news);
  });
}

export function withNews(run: Done<RunReport>, { edited, adopted_from_turn }: ScenarioNews): Done<RunReport> {
  if (!run.ok) return run;
  const value = {
    ...run.value,
    ...(edited === undefined ? {} : { edited_files: edited.files }),
    ...(adopted_from_turn === undefined ? {} : { scenario_adopted_from_turn: adopted_from_turn }),
  };
  return { ok: true, value };
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
    const engine = await composition.openEngine({ ...wanted, ...stage.value });
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
