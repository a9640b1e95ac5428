import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { Store } from '../../store/open-store.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import type { AnswerAsPerson, Composition } from '../composition.js';
import { type Engine, whileOpen } from '../engine.js';
import { adoptNamed, type NamedScenario } from '../worlds/change-scenario.js';
import { type EditedScenario, findEdited } from '../authoring/edited-files.js';
import { estimateLongRun, type RunEstimate } from '../costs/estimate.js';
import { type RunReport, type RunRequest, runTurns } from './run-turns.js';
import { type StageRequest, startStage } from './stage.js';
import { checkChosenModel } from './chosen-model.js';
import { showWorld } from '../worlds/worlds.js';

export interface WatchedRun extends Omit<RunRequest, 'world_slug'> {
  /** The scripted model's answers; without them the environment's model is called. */
  readonly answers_file?: string;
  readonly person?: AnswerAsPerson | undefined;
  /** Starts the toy services for the run. */
  readonly with_toys: boolean;
  /** The model to call, in place of the one that sources' variables name. */
  readonly model?: string;
  /** The scenario from the next turn on; the world's own by default. */
  readonly scenario?: NamedScenario | undefined;
  /** Called before the first turn, with the world, the database that holds it, and the news about its scenario. */
  readonly onWorld: (
    world: WorldSnapshot,
    database: Pick<Store['database'], 'description' | 'is_kept'>,
    news: ScenarioNews,
  ) => void;
}

export interface ScenarioNews {
  /** Set where its files have been edited, and the world does not use the edits. */
  readonly edited?: EditedScenario | undefined;
  /** The first turn of a scenario that this run has adopted. */
  readonly adopted_from_turn?: number | undefined;
  /** Of a long run that somebody pays. */
  readonly estimate?: RunEstimate | undefined;
}

/** Runs turns of a world, with a scripted model where there is a script. */
export function runWorld(
  composition: Composition,
  request: WatchedRun & Pick<RunRequest, 'world_slug'>,
): Promise<Outcome<RunReport>> {
  return withStagedEngine(composition, request, async (engine) => {
    const { world_slug, scenario } = request;
    const adopted = scenario === undefined ? undefined : await adoptNamed(engine, world_slug, scenario);
    if (adopted?.ok === false) return adopted;
    const world = await showWorld(engine, { world_slug });
    if (!world.ok) return world;
    const chosen = await checkChosenModel(engine, world.value.scenario_hash, request.model);
    if (!chosen.ok) return chosen;
    const current = (await engine.store.worlds.scenarios(world_slug)).at(-1);
    const estimate = await estimateLongRun(engine, request);
    const news = { edited: await findEdited(engine, current), adopted_from_turn: adopted?.value, estimate };
    request.onWorld(world.value, engine.store.database, news);
    return withNews(await runTurns(engine, { ...request, at_leisure: request.person !== undefined }), news);
  });
}

export function withNews(run: Outcome<RunReport>, { edited, adopted_from_turn }: ScenarioNews): Outcome<RunReport> {
  if (!run.ok) return run;
  const news = present({ edited_files: edited?.files, scenario_adopted_from_turn: adopted_from_turn });
  return succeed({ ...run.value, ...news });
}

/** Sets a stage up, opens the engine on it for one task, and closes both in any case. */
export async function withStagedEngine<Value>(
  composition: Composition,
  wanted: StageRequest,
  task: (engine: Engine) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const stage = await startStage(composition, wanted);
  if (!stage.ok) return stage;
  try {
    return await whileOpen(await composition.openEngine({ ...wanted, ...stage.value }), task);
  } finally {
    await stage.value.close();
  }
}
