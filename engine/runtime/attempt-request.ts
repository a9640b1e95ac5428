import type { Fail } from '../core/protocol/command.js';
import type { Program } from '../core/protocol/program.js';
import type { BeginOutcome, CommitTurn, LeftWorld, PutOff, AttemptOfTurn } from '../ports/attempts.js';
import type { Claimed } from '../ports/claim.js';
import type { OnProgress } from './progress.js';

/** A world's next turn that is to be tried once. */
export interface AttemptRequest {
  readonly world_slug: string;
  readonly program: Program;
  /** RFC 3339, by turn. */
  readonly simulationTime: (turn: number) => string;
  /** Aborted when a person wants the attempt to stop. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** Aborted when another driver is to take over: the attempt stays open. */
  readonly leave?: AbortSignal;
  /** The message that asks for the attempt; left out where a person runs it. */
  readonly inbox_id?: string;
  /** How long that message was due before it was claimed. */
  readonly waited_ms?: number;
  /** Resumes an attempt that another driver left, and begins none. */
  readonly continues_only?: boolean;
  /** The last turn that is asked for: where another driver has played it meanwhile, none is begun. */
  readonly until_turn?: number;
  /** Begins anew: adopts nothing of the attempt before, and sets aside what of it is in doubt. */
  readonly anew?: boolean;
  /** How often a queued turn is tried anew after transient failures; `TURN_RETRIES` where it is left out. */
  readonly turn_retries?: number;
  /** Read at the commit: whether this driver claims another message with it, and where; undefined claims none. */
  readonly goesOn?: () => CommitTurn['goes_on'];
  /** The world as the turn before has left it, where it ran here: not read again if nobody has driven it since. */
  readonly left?: LeftWorld;
}

/** How an attempt ended, or why there was none. */
export type AttemptEnd =
  | (AttemptOfTurn & {
      readonly kind: 'committed';
      readonly left: LeftWorld;
      /** The message reserved for this driver. */
      readonly next?: Claimed;
    })
  | (AttemptOfTurn & {
      readonly kind: 'failed';
      readonly failure: Fail;
      /** The queued turn that asked for it gets a retry. */
      readonly put_off?: PutOff;
    })
  | (AttemptOfTurn & { readonly kind: 'suspended' | 'handed_over' })
  | Exclude<BeginOutcome, { kind: 'begun' | 'other_scenario' }>;
