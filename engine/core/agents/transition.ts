import type { RecordedCall } from './recorded-attempt.js';

/** What happened in an agent's turn, and when. */
export type AgentTransition = { readonly agent_id: string; readonly at: string } & (
  | Dispatched
  | Entered
  | ToolCalled
  | ToolAnswered
  | Reported
  | Suspended
  | Answered
  | TakenOver
  | Ended
);

/** The subject was given its turn. */
export interface Dispatched {
  readonly kind: 'dispatched';
}

/** All that it may know has been gathered, and its nodes begin. */
export interface Entered {
  readonly kind: 'entered';
  /** What it is asked to do. */
  readonly workflow_hash: string | null;
  /** What it is offered to answer with; null until a model is asked for the answer. */
  readonly answer_schema_hash: string | null;
  /** The calls whose answers it is given. */
  readonly readings: readonly RecordedCall[];
}

export interface ToolCalled {
  readonly kind: 'tool_called';
  readonly call: RecordedCall;
}

/** The tool's call has ended, well or badly. */
export interface ToolAnswered {
  readonly kind: 'tool_answered';
  readonly call: RecordedCall;
}

/** A call that no model elected, and whose answer came later, has ended. */
export interface Reported {
  readonly kind: 'reported';
  readonly call: RecordedCall;
}

/** All that its nodes wait for comes later. */
export interface Suspended {
  readonly kind: 'suspended';
  readonly calls: readonly RecordedCall[];
  /** When the first of them is given up. */
  readonly resume_deadline: string;
}

/** The subject has said its patch; whether it counts is known when the attempt ends. */
export interface Answered {
  readonly kind: 'answered';
  /** The generation that said it. */
  readonly call: RecordedCall;
}

/** Another driver goes on with the attempt: the epoch of the turn rises. */
export interface TakenOver {
  readonly kind: 'taken_over';
}

/** The attempt has ended, and the turn with it. */
export interface Ended {
  readonly kind: 'ended';
  /** When the last of the subject's own calls ended; where it has none, when the attempt did. */
  readonly worked_until: string;
}
