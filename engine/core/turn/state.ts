import type { Json } from '../../contract/json.js';
import { SharedMap } from '../content/shared-map.js';
import type { AcceptedPatch, Fail, Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import { composeWorld, type World, type WorldEvent } from '../world/world.js';
import type { Outcome } from './outcomes.js';
import { NO_READERS, type Readers } from './readers.js';
import type { SubjectRun } from './subject-run.js';

/**
 * The state of a turn. It moves forwards only:
 *
 *   unbegun → turn_ambients → subjects → ended
 *
 * and from anywhere to ended, by a failure, as soon as nothing is awaited any more but answers that come later.
 */
export interface TurnState {
  readonly stage: 'unbegun' | 'turn_ambients' | 'subjects' | 'ended';
  /** The working world: T(N-1) with the patches of all subjects before the head. */
  readonly world: World;
  readonly simulation_time: string;
  /** Calls without an answer so far, and their askers. */
  readonly awaited: SharedMap<string, Asker>;
  /** Of those, the ones that are answered later: their deadlines. */
  readonly pended: ReadonlyMap<string, number>;
  /** Calls of discarded runs that have not ended. Their answers have no effect. */
  readonly dropped: SharedMap<string, true>;
  /**
   * Calls that must not be made in vain: they wait until their subject is the head, or until the allowance covers them. By the
   * index of their subject.
   */
  readonly held: SharedMap<number, readonly SubjectAsker[]>;
  /**
   * Subjects that hold calls until another subject is done, by the index of that one. An entry may be stale: its subject waits
   * for another one by now, or for none.
   */
  readonly waiting: SharedMap<number, readonly number[]>;
  /** Subjects of held calls that may no longer have a reason to wait. */
  readonly unblocked: SharedMap<number, true>;
  /** Views of once-per-turn readings, by key. */
  readonly readings: ReadonlyMap<string, Json>;
  /** Index of the head: the first subject whose patch the working world has not taken. */
  readonly head: number;
  /** Subjects that have begun, from the head on, by index. */
  readonly runs: SharedMap<number, StartedRun>;
  /** The results of the runs from the head on, by rising index. */
  readonly outcomes: readonly Outcome[];
  /** Which subjects may read what changes where. */
  readonly readers: Readers;
  /** How many runs of this turn may still be superseded. */
  readonly allowance: number;
  readonly patches: readonly AcceptedPatch[];
  /** The first failure; once it is set, no new call is made. */
  readonly failure?: Fail;
}

/** The asker of a call, and the call's latest command: a call that has failed may be commanded again. */
export type Asker = { readonly kind: 'turn_ambient'; readonly command: Invoke } | SubjectAsker;

/** A subject with an open call, by its index; `key` is the call's key in the run. */
export interface SubjectAsker {
  readonly kind: 'subject';
  readonly index: number;
  readonly key: string;
  readonly command: Invoke;
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
  /** The run's result before it was folded again, which it may well reach again. */
  readonly former?: WorldEvent;
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
  stage: 'unbegun',
  world: NO_WORLD,
  simulation_time: '',
  awaited: SharedMap.empty(),
  pended: new Map(),
  dropped: SharedMap.empty(),
  held: SharedMap.empty(),
  waiting: SharedMap.empty(),
  unblocked: SharedMap.empty(),
  readings: new Map(),
  head: 0,
  runs: SharedMap.empty(),
  outcomes: [],
  readers: NO_READERS,
  allowance: 0,
  patches: [],
};
