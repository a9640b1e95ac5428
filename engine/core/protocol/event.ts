import type { Json } from '../../contract/json.js';
import type { TokenUsage } from '../../contract/source.js';
import type { Amounts } from './amounts.js';
import type { World } from '../world/world.js';
import type { InvocationFailureClass } from './failure.js';

/** A fact that the turn learns. Facts are in the past tense, and arrive one at a time. */
export type TurnEvent =
  | TurnBegan
  | CallEvent
  | CallPended
  | ApprovalAsked
  | ApprovalDecided
  /** A person or the program requested the end of the attempt. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** An attempt at turn `world.turn + 1` began on this world. */
export interface TurnBegan {
  readonly kind: 'turn_began';
  readonly world: World;
  /** RFC 3339, of the attempted turn. */
  readonly simulation_time: string;
  /** What is known of a program's budgets before the attempt; left out where it has none. */
  readonly budgets?: BudgetsBefore;
}

/** What earlier attempts at the turn have spent, and what is known of earlier answers. */
export interface BudgetsBefore {
  /** By the subjects of the calls. */
  readonly spent: ReadonlyMap<string, Amounts>;
  /** The tokens of earlier answers, by workflow and node (`nodePlace`). */
  readonly outputs: ReadonlyMap<string, readonly number[]>;
  /** The contents of the calls that the attempt adopts (`contentOf`): they cost nothing anew. */
  readonly adopted: ReadonlySet<string>;
}

export type CallEvent = CallAnswered | CallFailed | CallRefused;

export interface CallAnswered {
  readonly kind: 'call_answered';
  readonly key: string;
  /** The redacted view of a JSON answer; of a chat source its `ChatAnswer`. */
  readonly value: Json;
  /** Of a generation, as the provider counts them, if it does; an adopted call was paid for before. */
  readonly usage?: TokenUsage | 'paid_before';
  readonly duration_ms: number;
}

export interface CallFailed {
  readonly kind: 'call_failed';
  readonly key: string;
  readonly failure_class: InvocationFailureClass;
  readonly message: string;
  /** It may have had its side effect all the same, and may not be made again. */
  readonly outcome_unknown?: true;
  /** Of a service that answered with an error; present only where the class is `http_status`. */
  readonly http_status?: number;
  /** The service's `Retry-After`, in milliseconds from the end of the call. */
  readonly retry_after_ms?: number;
  readonly duration_ms?: number;
  /** Of a generation, as the provider counts them, if it does. */
  readonly usage?: TokenUsage;
  /** The service's own account of the failure, as redaction shows it; present only where there is one. */
  readonly said?: Json;
  /** Recorded as the failure after which the turn continued: no retry follows. */
  readonly is_final?: true;
  /** The service had accepted the call, to answer it later: no retry follows. */
  readonly was_pending?: true;
}

/** The pipeline refused a call before anything was sent. */
export interface CallRefused {
  readonly kind: 'call_refused';
  readonly key: string;
  readonly failure_class: InvocationFailureClass;
  readonly message: string;
  /** Of one that a budget refuses which is renewed: when, in milliseconds from the refusal. */
  readonly retry_after_ms?: number;
}

/** The policy leaves the call to a person: nothing was sent. It stays awaited. */
export interface ApprovalAsked {
  readonly kind: 'approval_asked';
  readonly key: string;
  /** The moment at which nobody is waited for any more, in milliseconds since 1970. */
  readonly deadline: number;
}

/** A person has decided, or nobody has in time: the call is issued once more, and what was decided holds for it. */
export interface ApprovalDecided {
  readonly kind: 'approval_decided';
  readonly key: string;
}

/** The source has accepted the call and answers later. It stays awaited. */
export interface CallPended {
  readonly kind: 'call_pended';
  readonly key: string;
  /** The deadline of its answer, in milliseconds since 1970; the record's own, so that a refold handles the same. */
  readonly deadline: number;
}
