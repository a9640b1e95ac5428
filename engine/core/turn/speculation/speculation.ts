import { SharedMap } from '../../content/shared-map.js';
import type { SubjectAsker } from '../asker.js';
import type { Outcome } from './outcomes.js';
import { NO_READERS, type Readers } from './readers.js';

/**
 * What a turn keeps for subjects that run concurrently (speculation). Such subjects begin together, and the turn comes out as
 * if they had run one after the other. The words of this folder:
 *
 * - *head*: the first subject whose patch the working world has not taken. It sees the world as in an ordered turn.
 * - *run*: what a subject does, from its first call to its patch. The run of a later subject is kept equal to the fold of its
 *   answers on the world that the subject would see if every subject before it were as far as it is now.
 * - *folded again*: a patch has changed what a later subject reads, so its run begins anew on the changed world and handles
 *   the same answers. Answers to equal requests are kept; only other requests are made anew.
 * - *superseded*: a run that made another request after it was folded again. Its earlier calls are *dropped*.
 * - *held*: a call that must not be made in vain. It waits until its subject is the head, or until it is unlikely that its
 *   run is superseded.
 * - *outcome*: the patch that a run has reached, or had reached before it was folded again.
 */
export interface Speculation {
  /** Calls of discarded runs that have not ended. Their answers have no effect. */
  readonly dropped: SharedMap<string, true>;
  /** Calls that must not be made in vain, by the index of their subject. */
  readonly held: SharedMap<number, readonly SubjectAsker[]>;
  /** The outcomes of the runs from the head on, by rising index. */
  readonly outcomes: readonly Outcome[];
  /** Which subjects may read what changes where. */
  readonly readers: Readers;
  /** How many runs of this turn may still be superseded. */
  readonly allowance: number;
}

/** Where no subject has begun. */
export const NO_SPECULATION: Speculation = {
  dropped: SharedMap.empty(),
  held: SharedMap.empty(),
  outcomes: [],
  readers: NO_READERS,
  allowance: 0,
};
