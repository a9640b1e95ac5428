import type { AcceptedPatch, Fail, Invoke } from '../core/turn/command.js';
import type { Verdict } from '../core/turn/verdict.js';
import type { World } from '../core/world/world.js';
import type { CallOutcome, ChunkBatch } from './sources.js';

/** The process that drives an attempt. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
}

export interface BeginAttempt {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly holder: Holder;
  readonly started_at: number;
  /** How long the lease lasts, by the clock of the database: those of its clients need not agree. */
  readonly lease_ms: number;
  readonly renderer_version: string;
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** The message that asks for it, whose end is the attempt's; left out where a person runs it there and then. */
  readonly inbox_id?: string;
}

/** An attempt under way. Every write of a driver carries it, and writes nothing once it has been overtaken. */
export interface AttemptLease {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly epoch: number;
}

export type BeginOutcome =
  | {
      readonly kind: 'begun';
      readonly lease: AttemptLease;
      readonly world: World;
      readonly interrupted_attempts: readonly string[];
    }
  | { readonly kind: 'unknown_world' }
  /** The message is over, or another attempt does what it asks for. */
  | { readonly kind: 'not_asked_for' }
  | { readonly kind: 'held'; readonly holder: Holder; readonly attempt_id: string; readonly until: number };

/** An attempt whose driver is gone, and which has been ended as interrupted. */
export interface Swept {
  readonly world_slug: string;
  readonly attempt_id: string;
}

export interface SweepRequest {
  /** A world that is about to begin, which closes what was left of it by itself. */
  readonly except?: string;
  /** At most so many worlds; left out for all. */
  readonly most?: number;
  readonly ended_at: number;
}

/** Whether a fenced write landed. */
export type Written = 'written' | 'overtaken';

/** The rows of a call, before its first byte. */
export interface CallStart {
  readonly source_invocation_id: string;
  /** Present for generations. */
  readonly llm_call_id?: string;
  readonly invocation_seq: number;
  readonly command: Invoke;
  readonly parent_source_invocation_id?: string;
  readonly started_at: number;
  /** A refusal is written finished at once, by the same statement. */
  readonly refused?: CallFinish;
}

/** The end of a call together with what the core made of it. */
export interface CallFinish {
  readonly source_invocation_id: string;
  readonly llm_call_id?: string;
  readonly outcome: CallOutcome;
  readonly verdict?: Verdict;
}

export interface CommitTurn {
  readonly patches: readonly (AcceptedPatch & {
    readonly source_invocation_id: string;
    readonly llm_call_id: string;
    readonly source_hash: string;
  })[];
  readonly simulation_time: string;
  readonly ended_at: number;
}

export interface FailAttempt {
  readonly status: 'failed' | 'interrupted';
  readonly failure: Fail;
  readonly source_invocation_id?: string;
  readonly ended_at: number;
}

/** The record of attempts, as their driver writes it. */
export interface AttemptStore {
  /** Takes the world's lease with the next epoch, closes what a dead driver left, and reads the world at its turn. */
  begin(request: BeginAttempt, isAlive: (holder: Holder) => boolean): Promise<BeginOutcome>;
  /** Ends what drivers left whose lease has ended, except in a database that one process has for itself. */
  sweep(request: SweepRequest): Promise<readonly Swept[]>;
  /** One statement. */
  startCall(lease: AttemptLease, start: CallStart): Promise<Written>;
  /** One statement. */
  flushChunks(lease: AttemptLease, llm_call_id: string, batch: ChunkBatch): Promise<Written>;
  /** One statement. */
  finishCall(lease: AttemptLease, finish: CallFinish): Promise<Written>;
  /** One transaction: changed rows, patches, audit, the turn, the attempt's end, the lease. */
  commit(lease: AttemptLease, turn: CommitTurn): Promise<Written>;
  /** One transaction; the world stays. */
  fail(lease: AttemptLease, failure: FailAttempt): Promise<Written>;
  /** Lets the lease last so long from now, by the clock of the database. */
  renew(lease: AttemptLease, lease_ms: number): Promise<Written>;
}
