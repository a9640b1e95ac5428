import type { Fact } from '../core/facts/fact.js';
import type { AcceptedPatch, Fail, Invoke, Retry } from '../core/protocol/command.js';
import type { AttemptFailureClass } from '../core/protocol/failure.js';
import type { Program } from '../core/protocol/program.js';
import type { Verdict } from '../core/protocol/verdict.js';
import type { AppliedEffect } from '../core/world/world-patch.js';
import type { AttemptLease, PutOff, RecordedCall, AttemptOfTurn, SetAside } from '../ports/attempts.js';
import type { CallOutcome, ResolvedSource } from '../ports/sources.js';

/** An event of a running turn, for watchers. Nothing depends on whether there are any. */
export type Progress =
  | (AttemptOfTurn & {
      readonly kind: 'attempt_began';
      readonly simulation_time: string;
      /** Present where it resumes: how many calls are answered from their records, and how many nobody saw end. */
      readonly continued?: { readonly answered: number; readonly interrupted: number };
      /** Present where it adopts: how many calls, of which attempt. */
      readonly adopts?: { readonly attempt_id: string; readonly calls: number };
      /** Present where it was begun anew after an attempt that failed. */
      readonly sets_aside?: SetAside;
      /** How long the queued turn that asked for it was due, in milliseconds; left out where none did. */
      readonly waited_ms?: number;
    })
  | {
      /** The working world has taken a patch, in the order of subjects: of an answer of this driver, or from the record. */
      readonly kind: 'patch_accepted';
      readonly patch: AcceptedPatch;
      /** The place of its subject, as commands name it. */
      readonly rank: number;
    }
  | (ResolvedSource & {
      readonly kind: 'call_started';
      readonly source_invocation_id: string;
      readonly command: Invoke;
    })
  | {
      readonly kind: 'call_finished';
      readonly source_invocation_id: string;
      readonly command: Invoke;
      readonly outcome: CallOutcome;
      readonly verdict?: Verdict;
      /** The effects of the patch that the working world took from this answer. */
      readonly effects?: readonly AppliedEffect[];
      /** Earlier subjects are not done: their changes may still supersede this call. */
      readonly is_ahead?: true;
    }
  | {
      /** A call has failed and is made again when the wait is over. */
      readonly kind: 'retry_waits';
      readonly command: Invoke;
      readonly retry: Retry;
      readonly wait_ms: number;
    }
  | {
      /** An earlier subject has changed this one's inputs: these calls are superseded, and it makes new ones. */
      readonly kind: 'calls_superseded';
      readonly subject_id: string;
      readonly keys: readonly string[];
    }
  | {
      readonly kind: 'call_pended';
      readonly source_invocation_id: string;
      readonly command: Invoke;
      /** The deadline of its answer, in milliseconds since 1970. */
      readonly deadline: number;
    }
  | {
      /** The policy leaves a call to a person. */
      readonly kind: 'approval_asked';
      readonly approval_id: string;
      readonly command: Invoke;
      /** In milliseconds since 1970. */
      readonly deadline: number;
    }
  | (AttemptOfTurn & { readonly kind: 'attempt_suspended'; readonly resume_deadline: number })
  | (AttemptOfTurn & { readonly kind: 'turn_committed'; readonly patches: readonly AcceptedPatch[] })
  | {
      /** The turn has failed for something that may pass by itself, and is tried anew when the wait is over. */
      readonly kind: 'turn_waits';
      readonly attempted_turn: number;
      /** 1-based. */
      readonly retry: number;
      readonly retries: number;
      readonly wait_ms: number;
      /** For what it failed. */
      readonly failure_class: AttemptFailureClass;
    }
  | (AttemptOfTurn & {
      readonly kind: 'attempt_failed';
      readonly failure: Fail;
      /** The call that ended it. */
      readonly source_invocation_id?: string;
      /** The queued turn that asked for it gets a retry. */
      readonly put_off?: PutOff;
    });

export type OnProgress = (progress: Progress) => void;

/** An attempt, as its watchers first learn of it. */
export interface ObservedAttempt {
  readonly lease: AttemptLease;
  readonly program: Program;
  /** What is on record of it: more follows with each statement of its driver. */
  readonly facts: readonly Fact[];
}

/** A call that is on record when a driver begins, and the command that it answers. */
export interface RecalledCall {
  readonly command: Invoke;
  readonly call: RecordedCall;
}

/** A further observer of one attempt, such as telemetry. */
export interface AttemptObserver {
  readonly onProgress: OnProgress;
  /** Called after the attempt has begun, where it resumes from calls on record. */
  readonly onRecalled: (calls: readonly RecalledCall[]) => void;
}

/** Begins to observe an attempt. Nothing depends on what it does, and it must not throw. */
export type Observe = (attempt: ObservedAttempt) => AttemptObserver;
