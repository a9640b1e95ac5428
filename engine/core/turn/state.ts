import { SharedMap } from '../content/shared-map.js';
import type { Answered } from '../policy/answer-origins.js';
import type { AcceptedPatch, Fail } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import { composeWorld, type World } from '../world/world.js';
import { NO_SPECULATION, type Speculation } from './speculation/speculation.js';
import type { Asker } from './asker.js';
import { NO_BUDGETS, type TurnBudgets } from './budgets.js';
import type { SubjectRun } from './subject-run.js';

/**
 * The state of a turn. It moves forwards only:
 *
 *   unbegun → turn_ambients → subjects → ended
 *
 * and from anywhere to ended, by a failure, as soon as nothing is awaited any more but answers that come later.
 */
export interface TurnState extends Speculation {
  readonly stage: 'unbegun' | 'turn_ambients' | 'subjects' | 'ended';
  /** The working world: T(N-1) with the patches of all subjects before the head. */
  readonly world: World;
  readonly simulation_time: string;
  /** Calls without an answer so far, and their askers. */
  readonly awaited: SharedMap<string, Asker>;
  /** Of those, the ones that are answered later, or wait for a person's decision: their deadlines. */
  readonly pended: ReadonlyMap<string, number>;
  /** Views of once-per-turn readings, by key. */
  readonly readings: ReadonlyMap<string, Answered>;
  /** Index of the head: the first subject whose patch the working world has not taken. */
  readonly head: number;
  /** Subjects that have begun, from the head on, by index. */
  readonly runs: SharedMap<number, StartedRun>;
  readonly patches: readonly AcceptedPatch[];
  readonly budgets: TurnBudgets;
  /** The first failure; once it is set, no new call is made. */
  readonly failure?: Fail;
}

/** A subject's run, and its history. */
export interface StartedRun {
  readonly run: SubjectRun;
  /** 1-based; one more each time that a change of the subject's inputs made it ask for something else. */
  readonly number: number;
  /** The answers that the run has handled, oldest first. */
  readonly answers: readonly Answer[];
  /** How the run's calls are called outside, by their keys in the run. */
  readonly keys: ReadonlyMap<string, string>;
  /** Subjects, by index, of whom it is likely that they change what the run reads: it asks nothing until they are done. */
  readonly waits_for?: readonly number[];
}

/** The end of a run's call; the event has the call's key in the run. */
export interface Answer {
  readonly request_hash: string;
  readonly event: CallEvent;
}

const NO_WORLD = composeWorld({ slug: '', turn: 0, environments: [], entities: [], events: [] });

/** Before the first event. */
export const UNBEGUN: TurnState = {
  ...NO_SPECULATION,
  stage: 'unbegun',
  world: NO_WORLD,
  simulation_time: '',
  awaited: SharedMap.empty(),
  pended: new Map(),
  readings: new Map(),
  head: 0,
  runs: SharedMap.empty(),
  patches: [],
  budgets: NO_BUDGETS,
};
