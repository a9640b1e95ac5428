import type { AgentTurnOutcome } from './status.js';

/** What a step of the attempt means for one of its agents. Calls are named by their keys. */
export type AgentTransition =
  | Dispatched
  | Entered
  | ToolCalled
  | ToolAnswered
  | Reported
  | Suspended
  | Answered
  | Ended;

/** A transition, and when it happened. */
export type TimedTransition = AgentTransition & Timed;

export interface Timed {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Transitions of one moment. */
export function timed<Transition extends AgentTransition>(
  transitions: readonly Transition[],
  at: number,
): readonly (Transition & Timed)[] {
  return transitions.map((transition) => ({ ...transition, at }));
}

/** The subject was given its turn. */
export interface Dispatched {
  readonly kind: 'dispatched';
  readonly subject_id: string;
}

/** All that it may know has been gathered, and its nodes begin. */
export interface Entered {
  readonly kind: 'entered';
  readonly subject_id: string;
  /** What it is told to do. */
  readonly workflow_hash: string;
  /** What it is offered to answer with. */
  readonly answer_schema_hash: string;
  /** The calls whose answers it is given. */
  readonly reading_keys: readonly string[];
}

export interface ToolCalled {
  readonly kind: 'tool_called';
  readonly subject_id: string;
  readonly call_key: string;
  readonly tool_name: string;
}

/** The tool's call has ended, well or badly. */
export interface ToolAnswered {
  readonly kind: 'tool_answered';
  readonly subject_id: string;
  readonly call_key: string;
  readonly tool_name: string;
}

/** A call that no model elected, and whose answer came later, has ended. */
export interface Reported {
  readonly kind: 'reported';
  readonly subject_id: string;
  readonly call_key: string;
}

/** All that its nodes wait for comes later. */
export interface Suspended {
  readonly kind: 'suspended';
  readonly subject_id: string;
  /** The calls that it waits for. */
  readonly call_keys: readonly string[];
  /** When the first of them is given up, in milliseconds since 1970. */
  readonly resume_deadline: number;
}

/** The subject has said its patch; whether it counts is known when the attempt ends. */
export interface Answered {
  readonly kind: 'answered';
  readonly subject_id: string;
  /** The generation that said it. */
  readonly call_key: string;
}

/** The attempt is over, and so is the turn of the agent. */
export interface Ended {
  readonly kind: 'ended';
  readonly subject_id: string;
  readonly outcome: AgentTurnOutcome;
  /** Of a success: the patch that was applied. */
  readonly patch_seq?: number;
  /** Of every other end. */
  readonly failure?: { readonly failure_class: string; readonly message: string; readonly call_key?: string };
}
