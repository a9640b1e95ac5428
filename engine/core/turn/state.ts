import type { Json } from '../../contract/json.js';
import type { NodeState } from '../nodes/index.js';
import type { World } from '../world/world.js';
import type { AcceptedPatch, Fail, Invoke } from '../protocol/command.js';
import type { Scope } from '../protocol/scope.js';

/**
 * Where a turn stands. It moves forwards only:
 *
 *   unbegun → turn_ambients → (subject_ambients → nodes) for each subject in order → ended
 *
 * and from anywhere to ended, by a failure, as soon as nothing is awaited any more but answers that come later.
 */
export interface TurnState {
  readonly stage: 'unbegun' | 'turn_ambients' | 'subject_ambients' | 'nodes' | 'ended';
  /** The working world: T(N-1) with every accepted patch so far. */
  readonly world: World;
  readonly simulation_time: string;
  /** Calls that were asked for and not answered, and for whom. */
  readonly awaited: ReadonlyMap<string, Asker>;
  /** Of those, the ones whose answer comes later: until when it is waited for. */
  readonly pended: ReadonlyMap<string, number>;
  /** Views of once-per-turn readings, by key. */
  readonly readings: ReadonlyMap<string, Json>;
  /** Index of the subject that runs, or is next. */
  readonly subject_index: number;
  readonly subject?: SubjectState;
  readonly patches: readonly AcceptedPatch[];
  /** The first failure; nothing new is asked once it is set. */
  readonly failure?: Fail;
}

/** Who asked for a call, and its latest command: a call that has failed may be commanded again. */
export type Asker = { readonly command: Invoke } & (
  | { readonly kind: 'turn_ambient' }
  | { readonly kind: 'subject_ambient'; readonly ambient_id: string }
  | { readonly kind: 'node'; readonly node_id: string }
);

export interface SubjectState {
  /** What its templates read; its readings are added when they have come in. */
  readonly scope: Scope;
  readonly readings: ReadonlyMap<string, Json>;
  readonly waiting: ReadonlyMap<string, NodeState>;
  readonly outputs: ReadonlyMap<string, Json>;
}

const NO_WORLD: World = { slug: '', turn: 0, environments: new Map(), entities: new Map(), events: [] };

/** Before the first event. */
export const UNBEGUN: TurnState = {
  stage: 'unbegun',
  world: NO_WORLD,
  simulation_time: '',
  awaited: new Map(),
  pended: new Map(),
  readings: new Map(),
  subject_index: 0,
  patches: [],
};
