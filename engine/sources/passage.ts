/**
 * A call on its way through the stages. Each stage hands on its input and its additions, so that the types say what a
 * stage may rely on: asked, routed, permitted, authorised, approved, granted, connected, checked, begun, ready, answered, validated, shown. A stage that refuses, or a call
 * that fails, halts it there.
 */
import type { Json } from '../contract/json.js';
import type { InvocationContext, Source, TokenUsage, TransportFacts } from '../contract/source.js';
import type { Invoke } from '../core/protocol/command.js';
import type { Ruling } from '../core/policy/policy.js';
import type { InvocationFailureClass } from '../core/protocol/failure.js';
import type { ApprovalState } from '../ports/approvals.js';
import type { CallRecorder, CallSurroundings, CallTrace } from '../ports/sources.js';
import type { Command } from './command.js';
import type { OpenConnection } from './connections/broker.js';
import type { Credentials } from './connections/credentials.js';
import type { Folder } from './folder.js';
import type { Origin } from './origin.js';
import type { DescribedPlugin } from './registry.js';
import type { Secret, SecretReplacer } from './secrets.js';

export interface Asked {
  readonly command: Invoke;
  readonly surroundings: CallSurroundings;
  readonly recorder: CallRecorder;
  /** Milliseconds since 1970. */
  readonly started_at: number;
}

export interface Route {
  readonly plugin: DescribedPlugin;
  readonly origin: Origin | undefined;
  /** In place of an origin. */
  readonly command?: Command;
  /** Of a source that reads files. */
  readonly folder?: Folder;
  /** Of a source that asks a model. */
  readonly model?: string;
  /** Secrets in variables that the source's own interface names. */
  readonly secrets: readonly Secret[];
  /** The id of the connection that its requests get. */
  readonly connection?: string;
}

export interface Routed extends Asked {
  readonly route: Route;
}

// Marks of the stages that add nothing to a call. No value has them: they keep the compiler from leaving a stage out.
declare const permitted: unique symbol;
declare const authorised: unique symbol;
declare const approved: unique symbol;
declare const granted: unique symbol;
declare const connected: unique symbol;

/** The policy does not deny the call; its ruling says whether a person has to approve it. */
export interface Permitted extends Routed {
  readonly [permitted]: true;
  /** Left out where the call needs no leave. */
  readonly ruling?: Ruling;
}

/** The operator's authorisation allows it. */
export interface Authorised extends Permitted {
  readonly [authorised]: true;
}

/** A person has approved it, where its ruling requires that. */
export interface Approved extends Authorised {
  readonly [approved]: true;
}

/** It is granted the connection that it names. */
export interface Granted extends Approved {
  readonly [granted]: true;
}

/** That connection is there, and is for its origin. */
export interface Connected extends Granted {
  readonly [connected]: true;
  /** Left out where the call names none. */
  readonly connection?: OpenConnection;
}

export interface Checked extends Connected {
  /** The plugin's input: canonical and deeply frozen. */
  readonly request: Json;
}

export interface Begun extends Checked {
  /** The record of the call is durable, or is being made so. */
  readonly begun: true;
  /** Resolves once the start is on record: nothing is sent before, and no outcome counts. Rejects where it never is. */
  readonly durable: Promise<void>;
}

export interface Ready extends Begun {
  readonly secrets: SecretReplacer;
  /** Of its connection. No plugin is handed them. */
  readonly credentials?: Credentials;
  readonly source: Source;
  /** The plugin's means to answer later; left out where it cannot. */
  readonly pending?: NonNullable<InvocationContext['pending']>;
}

/** The trace of a call, whether it succeeded or not; free of secrets. */
export interface Reply {
  readonly facts: TransportFacts;
  readonly usage?: TokenUsage;
  /** Of chat sources. */
  readonly trace?: CallTrace;
}

/** An answer, in time or reported later, before it is checked. */
export interface Answered extends Routed {
  readonly begun: true;
  /** A byte of the call may have left. */
  readonly sent: boolean;
  readonly secrets: SecretReplacer;
  readonly reply: Reply;
  /** As the plugin gave it: not checked yet. */
  readonly value: unknown;
}

export interface Validated extends Answered {
  /** Free of secrets, and fit to be stored. */
  readonly answer: Json;
  readonly validation_status: 'valid' | 'not_checked';
}

export interface Shown extends Validated {
  readonly view: Json;
}

/** The facts of a call that every stage may read. */
export type Passage = Asked &
  Partial<Pick<Shown & Begun, 'ruling' | 'route' | 'begun' | 'durable' | 'sent' | 'secrets' | 'reply'>> & {
    /** The service has taken the call, though the call failed here. */
    readonly taken?: true;
  };

/** A call that ended before its last stage. */
export interface Halt {
  readonly passage: Passage;
  readonly failure_class: InvocationFailureClass;
  readonly message: string;
  readonly rejected?: RejectedAnswer;
}

/** An answer that arrived whole and cannot be used. */
export interface RejectedAnswer {
  readonly answer: Json;
  /** Left out where the failure class says it. */
  readonly validation_status?: 'valid' | 'not_checked';
}

/** A call that waits for a person: it is issued again once somebody has decided. */
export interface Unapproved {
  readonly passage: Passage;
  readonly approval: Pick<ApprovalState, 'approval_id' | 'deadline'>;
}

/** A call whose answer comes later. */
export interface Pause {
  readonly passage: Passage;
  /** How long the answer may take from now on. */
  readonly deadline_ms: number;
  readonly correlation_alias?: string;
}

/** Ends a call for a reason. */
export function halt(
  passage: Passage,
  failure_class: InvocationFailureClass,
  message: string,
  rejected?: RejectedAnswer,
): Halt {
  return { passage, failure_class, message, ...(rejected ? { rejected } : {}) };
}

/** The reason why the turn no longer wants the answer, in the caller's words. */
export function whyUnwanted({ surroundings }: Pick<Passage, 'surroundings'>): string {
  const reason: unknown = surroundings.signal.reason;
  return typeof reason === 'string' ? reason : 'the answer was no longer needed';
}

/** Resolves once the start of the call is on record; undefined where the call never began. */
export function durableOf(end: Passage | Halt | Pause | Unapproved): Promise<void> | undefined {
  return ('passage' in end ? end.passage : end).durable;
}

/** One stage: takes a call, and hands it on, halts it, leaves it to a person, or pauses it for a later answer. */
export type Stage<From, To> = (passage: From) => Passed<To> | Promise<Passed<To>>;

type Passed<To> = To | Halt | Pause | Unapproved;

/** Stages in order; `next` adds one that takes what the last hands on, or less. */
export interface Stages<To extends Asked> {
  readonly names: readonly string[];
  readonly next: <Further extends Asked>(name: string, stage: Stage<To, Further>) => Stages<Further>;
  readonly run: (asked: Asked) => Promise<Passed<To>>;
}

export function first<To extends Asked>(name: string, stage: Stage<Asked, To>): Stages<To> {
  return stagesOf([name], async (asked) => stage(asked));
}

function stagesOf<To extends Asked>(names: readonly string[], run: Stages<To>['run']): Stages<To> {
  return {
    names,
    run,
    next: (name, stage) =>
      stagesOf([...names, name], async (asked) => {
        const passage = await run(asked);
        return isHalt(passage) || isPause(passage) || isUnapproved(passage) ? passage : stage(passage);
      }),
  };
}

export function isHalt(passage: Asked | Halt | Pause | Unapproved): passage is Halt {
  return 'failure_class' in passage;
}

export function isPause(passage: Asked | Halt | Pause | Unapproved): passage is Pause {
  return 'deadline_ms' in passage;
}

export function isUnapproved(passage: Asked | Halt | Pause | Unapproved): passage is Unapproved {
  return 'approval' in passage;
}
