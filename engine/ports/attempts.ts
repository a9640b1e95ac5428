import type { Json } from '../contract/json.js';
import type { AgentHeadRecord } from '../core/agents/agent-turn.js';
import type { AcceptedPatch, Fail, Invoke } from '../core/protocol/command.js';
import type { Adoption } from '../core/turn/adopt.js';
import type { Recorded } from '../core/turn/refold.js';
import type { AttemptFailureClass } from '../core/protocol/failure.js';
import type { Verdict } from '../core/protocol/verdict.js';
import type { World } from '../core/world/world.js';
import type { Claimed, ClaimRequest } from './claim.js';
import type { CallFact, CallOutcome, CallPended, ChunkBatch, ResolvedSource } from './sources.js';

/** The process that drives an attempt. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
}

export interface BeginAttempt {
  /** Of a new attempt; one that is still open keeps its own. */
  readonly attempt_id: string;
  readonly world_slug: string;
  /** Of the program that drives it: a world that goes on by another scenario meanwhile is not begun with it. */
  readonly scenario_hash: string;
  readonly holder: Holder;
  readonly started_at: number;
  /** How long the lease lasts, by the clock of the database: those of its clients need not agree. */
  readonly lease_ms: number;
  readonly renderer_version: string;
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** Of how many turns before this one the world's events are wanted. */
  readonly event_turns: number;
  /** The message that asks for it, whose end is the attempt's; left out where a person runs it there and then. */
  readonly inbox_id?: string;
  /** Goes on with an attempt that another driver left, and begins none. */
  readonly continues_only?: boolean;
  /** Begins a new attempt anew: adopts nothing, and sets aside what is in doubt. */
  readonly anew?: boolean;
  /** Decides what a new attempt adopts. Pure: it is asked within a transaction. */
  readonly adopt: (left: LeftAttempt) => Adoption;
}

/** The attempt before, which failed at the same turn, and of which nothing is in doubt. */
export interface LeftAttempt {
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly scenario_hash: string;
  readonly failure_class: AttemptFailureClass;
  readonly is_transient: boolean;
  readonly failed_source_invocation_id: string | null;
  /** As it was when the attempt began, and still is. */
  readonly world: World;
  /** In the order in which they ended, those that it had adopted itself included. */
  readonly calls: readonly RecordedCall[];
}

/** An attempt under way. Every write of a driver carries it, and writes nothing once it has been overtaken. */
export interface AttemptLease {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly epoch: number;
}

/** A world as a driver left it when it committed a turn. Whoever finds it so knows what it holds without reading it. */
export interface LeftWorld {
  /** The attempt that committed the turn. */
  readonly attempt_id: string;
  /** Of the lease under which the turn was committed. */
  readonly epoch: number;
  /** At the end of that turn. */
  readonly world: World;
  readonly heads: AgentHeads;
}

/** The state head of an agent, as its driver knows it. */
export interface AgentHead {
  readonly turn_epoch: number;
  /** It names the agent's turn in the attempt. */
  readonly is_active: boolean;
}

/** The state heads of a world's agents, by agent. */
export type AgentHeads = ReadonlyMap<string, AgentHead>;

/** The state head of an agent after a statement. Unless all heads are as their driver knows them, nothing is written. */
export interface AgentMove {
  readonly agent_id: string;
  /** Before the statement. */
  readonly head: AgentHead;
  /** `idle` ends its turn. */
  readonly status: AgentHeadRecord['status'];
}

export type BeginOutcome =
  | {
      readonly kind: 'begun';
      readonly lease: AttemptLease;
      /** As it is at the end of the turn before. */
      readonly world: World;
      readonly heads: AgentHeads;
      /** Present where the lease is of an attempt that another driver left, or adopts something. */
      readonly past?: AttemptPast;
      /** The attempt before, from which a new one adopts. */
      readonly adopts?: string;
      /** The attempt before, where this one was begun anew. */
      readonly sets_aside?: SetAside;
    }
  | { readonly kind: 'unknown_world' }
  /** The world goes on by another scenario since it was looked at. */
  | { readonly kind: 'other_scenario' }
  /** The message is over, or another attempt does what it asks for; or none is open that would go on. */
  | { readonly kind: 'not_asked_for' }
  /** An attempt rests until somebody answers, and nobody has. */
  | ({ readonly kind: 'rests' } & Rest)
  /** Of a call of the latest attempt nobody knows whether it had its side effect. */
  | ({ readonly kind: 'in_doubt' } & Doubt)
  /** A new attempt would make side effects of the latest one again. */
  | ({ readonly kind: 'not_adoptable'; readonly reason: string } & Rest)
  | { readonly kind: 'held'; readonly holder: Holder; readonly attempt_id: string; readonly until: number };

/** An attempt that a new one goes past. */
export interface SetAside {
  readonly attempt_id: string;
  /** Keys of its calls that were in doubt. */
  readonly in_doubt: readonly string[];
  /** Keys of calls that had their side effect. */
  readonly side_effects: readonly string[];
}

/** An attempt that rests. */
export interface Rest {
  readonly attempt_id: string;
  readonly attempted_turn: number;
}

/** A call of a failed attempt that is to be settled before a turn is begun. */
export interface Doubt extends Rest {
  readonly source_invocation_id: string;
  readonly command_key: string;
}

/** What an attempt has come to before this driver. */
export interface AttemptPast {
  /** How many drivers have left it without a word, or broke. */
  readonly take_overs: number;
  readonly renderer_version: string;
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** The latest performance of each call, and each that failed before it, in the order in which they ended. */
  readonly calls: readonly RecordedCall[];
  /** The highest number that a call of this attempt has, or one that it has adopted. */
  readonly last_invocation_seq: number;
}

/** A call as its record holds it. */
export interface RecordedCall extends Omit<Recorded, 'event' | 'is_adopted'> {
  readonly source_invocation_id: string;
  /** Present for generations. */
  readonly llm_call_id?: string;
  readonly invocation_seq: number;
  readonly started_at: number;
  /** How often this attempt has asked for it; 0 where it was adopted. */
  readonly performance: number;
  /** The attempt that made it, where that is an earlier one. */
  readonly adopted_from?: string;
  /** How it ended; left out where nobody saw it end. */
  readonly fact?: CallFact;
}

/** Whether a fenced write landed: it does not where another driver has the world, or has moved one of its agents. */
export type Written = 'written' | 'overtaken';

/** The rows of a call, before its first byte. */
export interface CallStart {
  readonly source_invocation_id: string;
  /** Present for generations. */
  readonly llm_call_id?: string;
  readonly invocation_seq: number;
  readonly command: Invoke;
  /** 1-based: one more than that of the same command which failed, or which an earlier driver left without an end. */
  readonly performance: number;
  readonly parent_source_invocation_id?: string;
  readonly started_at: number;
  /** What the operator's settings made of its source; left out where it was refused before that. */
  readonly resolved?: ResolvedSource;
  /** A refusal is written finished at once, by the same statement. */
  readonly refused?: CallFinish;
}

/** The end of a call together with what the core made of it. */
export interface CallFinish {
  readonly source_invocation_id: string;
  readonly llm_call_id?: string;
  readonly outcome: CallOutcome;
  readonly verdict?: Verdict;
  /** The call was pending: what was said of it is taken in by the same statement. */
  readonly is_reported?: boolean;
}

/** Calls that end and calls that begin at one time. One call does not do both. */
export interface CallsWrite {
  readonly finished: readonly CallFinish[];
  readonly started: readonly CallStart[];
}

export interface SuspendAttempt {
  readonly at: number;
  /** Of all agents that have a turn in the attempt. */
  readonly agents: readonly AgentMove[];
}

/** What became of letting an attempt rest; `called`: a message has come meanwhile, and it goes on. */
export type Rested = 'rested' | 'called' | 'overtaken';

export interface CommitTurn {
  readonly patches: readonly (AcceptedPatch & {
    /** The generation that said it. */
    readonly source_invocation_id: string;
  })[];
  readonly simulation_time: string;
  readonly ended_at: number;
  /** The end of the generation that said the last patch, where that is not on record yet. */
  readonly answer?: CallFinish;
  /** Of all agents that have a turn in the attempt, which ends. */
  readonly agents: readonly AgentMove[];
  /** Whether a message asks for the attempt; left out by a driver that has not begun it. */
  readonly is_asked_for?: boolean;
  /** The driver goes on: what is due longest, else the next queued turn of the world, is reserved for it. */
  readonly goes_on?: Omit<ClaimRequest, 'most'>;
}

/** The turn is written, and what its driver is to do next is reserved for it. */
export interface Reserved {
  readonly kind: 'reserved';
  readonly next: Claimed;
}

export interface FailAttempt {
  readonly failure: Fail;
  /**
   * The queued turn that asked for the attempt is put off: for so many milliseconds, by how many attempts at it have
   * failed transiently before. Where no number is left for that, and where this is left out, the turn is over.
   */
  readonly retry_delays_ms?: readonly number[];
  readonly source_invocation_id?: string;
  readonly ended_at: number;
  /** Of all agents that have a turn in the attempt, which ends. */
  readonly agents: readonly AgentMove[];
}

/** A queued turn that failed for something that may pass by itself, and is tried anew. */
export interface PutOff {
  readonly kind: 'put_off';
  /** 1-based: how often it is tried anew with that. */
  readonly retry: number;
  readonly delay_ms: number;
}

/** How a driver leaves an attempt that is open. */
export interface HandOver {
  readonly at: number;
  /** It can go no further by a fault of the program: it counts among those that left without a word. */
  readonly has_broken: boolean;
}

/** What was found out about a call that is in doubt. */
export interface SettleCall {
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  /** What it answered; left out where it was never performed. */
  readonly answer?: Json;
  readonly settled_at: number;
  readonly settled_by: SettledBy;
  /** The process that writes it down. */
  readonly holder: Holder;
  /** As whoever settles it puts it. */
  readonly reason?: string;
}

/** Who says what became of a call in doubt: a person at the database, or a report. */
export type SettledBy = 'operator' | 'report';

export type Settled =
  | { readonly kind: 'settled'; readonly world_slug: string; readonly left_in_doubt: number }
  /** There is no such call in that attempt, how it ended is known, or it may be made again. */
  | { readonly kind: 'not_in_doubt' }
  | { readonly kind: 'already_settled' }
  /** The attempt goes on: its driver may still learn how the call ended. */
  | { readonly kind: 'not_ended' }
  /** The world has gone on, or the call was set aside. */
  | { readonly kind: 'too_late' };

/** Calls of a run whose subject has read something else since: nothing follows from them. */
export interface SupersedeCalls {
  readonly source_invocation_ids: readonly string[];
  readonly at: number;
}

/** Whether a call takes reports no more; `reported`: one was accepted before, and is how the call ended. */
export type Closed = 'closed' | 'reported' | 'overtaken';

/** The record of attempts, as their driver writes it. */
export interface AttemptStore {
  /**
   * Takes the world's lease with the next epoch and reads the world at its turn. An attempt that is still open goes on:
   * what its driver had under way is marked interrupted, and what is on record comes along.
   */
  begin(request: BeginAttempt, isAlive: (holder: Holder) => boolean): Promise<BeginOutcome>;
  /**
   * Begins an attempt in a world that is as it was left, with its first calls. One statement.
   * @param left_by the attempt that committed the turn before
   * @param lease what the lease will be: of the next turn, with the next epoch
   * @returns `overtaken` where another driver has been there since, something else is to be done first, or the message
   * asks for nothing any more: nothing is written
   */
  beginAsLeft(request: BeginAttempt, left_by: string, lease: AttemptLease, calls: CallsWrite): Promise<Written>;
  /** One statement: all of it is durable when it resolves, or nothing of it is written. */
  writeCalls(lease: AttemptLease, calls: CallsWrite): Promise<Written>;
  /** One statement. */
  flushChunks(lease: AttemptLease, llm_call_id: string, batch: ChunkBatch): Promise<Written>;
  /** One statement. @returns until when it is waited for, in milliseconds since 1970, by the clock of the database */
  pendCall(lease: AttemptLease, source_invocation_id: string, pended: CallPended): Promise<number | 'overtaken'>;
  /** Lets the attempt rest and gives the lease back, unless a message has come. One statement. */
  suspend(lease: AttemptLease, rest: SuspendAttempt): Promise<Rested>;
  /** Notes in the timeline that nothing follows from these calls any more. One statement. */
  supersede(lease: AttemptLease, superseded: SupersedeCalls): Promise<Written>;
  /** Takes in a message from which nothing follows. One statement. */
  discard(lease: AttemptLease, inbox_id: string): Promise<Written>;
  /** Claims the timeout of a call before it is handled: no report of the call is accepted afterwards. One statement. */
  takeTimeout(lease: AttemptLease, source_invocation_id: string): Promise<Closed>;
  /**
   * Accepts no report any more of a call that its service has answered at once. One statement.
   * @param call with a fresh `inbox_id`
   */
  closeToReports(
    lease: AttemptLease,
    call: { readonly source_invocation_id: string; readonly inbox_id: string },
  ): Promise<Closed>;
  /** One transaction: changed rows, patches, audit, the turn, the attempt's end, the lease. */
  commit(lease: AttemptLease, turn: CommitTurn): Promise<Written | Reserved>;
  /** One transaction; the world stays, and the queued turn is over or put off. */
  fail(lease: AttemptLease, failure: FailAttempt): Promise<Written | PutOff>;
  /** Gives the lease back with the attempt still open, for the next driver to go on at once. */
  handOver(lease: AttemptLease, left: HandOver): Promise<Written>;
  /** The next attempt adopts from this one, once none of its calls is in doubt. One transaction. */
  settle(settlement: SettleCall): Promise<Settled>;
  /** Lets the lease last so long from now, by the clock of the database. */
  renew(lease: AttemptLease, lease_ms: number): Promise<Written>;
}
