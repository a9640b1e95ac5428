import { type Outcome, succeed } from '../../contract/problem.js';
import type { PlayedWorld } from '../../ports/studies.js';
import type { Store } from '../../store/open-store.js';
import { checkModelOf } from '../running/chosen-model.js';
import type { Composition } from '../composition.js';
import type { Engine } from '../engine.js';
import { withStagedEngine } from '../running/run-world.js';
import type { StageRequest } from '../running/stage.js';
import { checkStudySources, planStudy, type StudyPlan } from './plan-study.js';
import { findAnswering } from './find-answering.js';
import { playStudy } from './play-study.js';
import type { WorldEnd } from './play-world.js';
import { queueStudy } from './queue-study.js';
import { type NamedStudy, readStudy } from './read-study.js';
import { checkSealed, sealStudy } from './seal-study.js';
import { showStudy, type StudyPage } from './show-study.js';
import { openTally, type StudyProgress } from './tally.js';

export interface StudyRunRequest extends NamedStudy, Pick<StageRequest, 'answers_file'> {
  /** The model to call, in place of the one that sources' variables name. */
  readonly model?: string;
  /** How many worlds are played at once. */
  readonly concurrency: number;
  /** How often a turn is retried after a transient failure. */
  readonly retries: number;
  /** Leaves the turns to workers, and waits for them. */
  readonly is_queued: boolean;
  readonly signal: AbortSignal;
  /** The command that goes on with the study, for repairs. */
  readonly rerun: string;
  /** Called once the study is sealed, before its first world is made. */
  readonly onPlan: (plan: StudyPlan, database: Pick<Store['database'], 'description' | 'is_kept'>) => void;
  readonly onProgress: (progress: StudyProgress) => void;
}

/** What a study has come to, and what this run of it did. */
export interface StudyReport extends StudyPage {
  readonly turns_played: number;
  /** How many of its worlds ended this run otherwise than done. */
  readonly left: Readonly<Record<Exclude<WorldEnd['state'], 'done'>, number>>;
}

/** Sets the stage, and runs what a study still lacks. */
export function runStudy(
  composition: Composition,
  request: StudyRunRequest & StageRequest,
): Promise<Outcome<StudyReport>> {
  return withStagedEngine(composition, request, (engine) => runStudyOn(engine, request));
}

/**
 * Runs what a study still lacks: makes its worlds, and plays their turns. It can be ended at any time, and goes on where it
 * was. Its documents, and who answers its calls, are sealed before its first run.
 */
export async function runStudyOn(engine: Engine, request: StudyRunRequest): Promise<Outcome<StudyReport>> {
  const read = await readStudy(engine.authoring, request);
  if (!read.ok) return read;
  const answered_by = await findAnswering(engine, read.value, request);
  const unchanged = await checkSealed(engine, read.value, answered_by);
  if (!unchanged.ok) return unchanged;
  const callable = request.is_queued ? succeed(undefined) : await checkStudySources(engine, read.value);
  if (!callable.ok) return callable;
  const chosen = checkModelOf(engine, read.value.documents.values(), request.model);
  if (!chosen.ok) return chosen;
  const plan = await planStudy(engine, read.value);
  if (!plan.ok) return plan;
  const { study_label } = plan.value;
  const worlds = await sealStudy(engine, read.value, answered_by);
  if (!worlds.ok) return worlds;
  request.onPlan(plan.value, engine.store.database);
  const ends = request.is_queued
    ? await queueStudy(engine, study_label, request)
    : await playHere(engine, worlds.value, request);
  const shown = await showStudy(engine, { study_label });
  return shown.ok ? succeed({ ...shown.value, ...tallyEnds(ends) }) : shown;
}

function tallyEnds(ends: readonly WorldEnd[]): Pick<StudyReport, 'turns_played' | 'left'> {
  const count = (state: WorldEnd['state']): number => ends.filter((end) => end.state === state).length;
  return {
    turns_played: ends.reduce((sum, { turns_played }) => sum + turns_played, 0),
    left: {
      failed: count('failed'),
      waits: count('waits'),
      elsewhere: count('elsewhere'),
      stopped: count('stopped'),
      unbegun: count('unbegun'),
    },
  };
}

/** Plays worlds of a study in this process. */
export async function playHere(
  engine: Engine,
  worlds: readonly PlayedWorld[],
  request: Pick<StudyRunRequest, 'signal' | 'concurrency' | 'retries' | 'rerun' | 'onProgress'>,
): Promise<readonly WorldEnd[]> {
  const tally = await openTally(engine, worlds);
  const { signal, concurrency, retries, rerun } = request;
  return playStudy(engine, worlds, {
    signal,
    concurrency,
    retries,
    rerun,
    onEnd: async (world, end) => request.onProgress(await tally(world, end)),
  });
}
