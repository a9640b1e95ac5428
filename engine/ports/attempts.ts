import type { Json } from '../contract/json.js';
import type { TokenUsage } from '../contract/source.js';
import type { AgentHeadRecord } from '../core/agents/agent-turn.js';
import type { Ruling } from '../core/policy/policy.js';
import type { AcceptedPatch, Fail, Invoke } from '../core/protocol/command.js';
import type { Adoption } from '../core/turn/adopt.js';
import type { Recorded } from '../core/turn/refold.js';
import type { AttemptFailureClass, InvocationFailureClass } from '../core/protocol/failure.js';
import type { CountedTokens } from '../core/protocol/token-counts.js';
import type { Verdict } from '../core/protocol/verdict.js';
import type { FoundMemory, MemoryQuery } from '../core/world/retrieval.js';
import type { World } from '../core/world/world.js';
import type { Fact } from '../core/facts/fact.js';
import type { Seal } from '../core/ledger/seal.js';
import type { AskedState, NamedApproval, UsedGrant } from './approvals.js';
import type { Claimed, ClaimRequest } from './claim.js';
import type { CallFact, CallOutcome, CallPended, ChunkBatch, ResolvedSource } from './sources.js';

export interface Holder {
  readonly host: string;
  readonly pid: number;
}

export interface BeginAttempt {
  /** Of a new attempt; one that is still open keeps its own. */
  readonly attempt_id: string;
  readonly world_slug: string;
  /** The scenario of its driver: where the world has adopted another one meanwhile, nothing is begun. */
  readonly scenario_hash: string;
  readonly holder: Holder;
  readonly started_at: number;
  /** The lease duration, by the clock of the database, so that clients' clocks need not agree. */
  readonly lease_ms: number;
  readonly renderer_version: string;
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** The events of how many turns before this one are wanted. */
  readonly event_turns: number;
  /** The number of latest memories of each agent that are wanted, with those of the scenario; left out, all are. */
  readonly memories?: number;
  /** The queued message that asks for it, which ends with the attempt; absent where a person runs it directly. */
  readonly inbox_id?: string;
  /** Resumes an open attempt, and begins none. */
  readonly continues_only?: boolean;
  /** The last turn that is asked for: another driver may have played it meanwhile. */
  readonly until_turn?: number;
  /** Begins a new attempt without adopting, and sets calls in doubt aside. */
  readonly anew?: boolean;
  /** Decides what a new attempt adopts. Pure: called within a transaction. */
  readonly adopt: (left: LeftAttempt) => Adoption;
}

/** The failed attempt before, at the same turn and without calls in doubt. */
export interface LeftAttempt {
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly scenario_hash: string;
  readonly failure_class: AttemptFailureClass;
  readonly is_transient: boolean;
  readonly failed_source_invocation_id: string | null;
  /** The world at the beginning of the attempt, unchanged since. */
  readonly world: World;
  /** In the order of their end, with those that it had adopted. */
  readonly calls: readonly RecordedCall[];
}

/** An open attempt. Every write of a driver carries it, and writes nothing once the driver has been overtaken. */
export interface AttemptLease {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly epoch: number;
  /** The random part of the client request ids of its world. */
  readonly request_mark: string;
}

/** A world after a commit of its driver: while its head is the same, it needs no reading. */
export interface LeftWorld {
  /** The attempt that committed the turn. */
  readonly attempt_id: string;
  /** Of the lease under which the turn was committed. */
  readonly epoch: number;
  readonly request_mark: string;
  readonly world: World;
  readonly heads: AgentHeads;
}

/** The state head of an agent, as its driver knows it. */
export interface AgentHead {
  readonly turn_epoch: number;
  /** Whether the head names the agent's turn in the attempt. */
  readonly is_active: boolean;
}

export type AgentHeads = ReadonlyMap<string, AgentHead>;

/**
 * The change of the state head of an agent with a turn in the attempt. Unless all heads are as the driver knows them,
 * the statement writes nothing.
 */
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
      /** Present for an attempt that is resumed, or adopts something. */
      readonly past?: AttemptPast;
      /** The previous attempt, from which a new one adopts. */
      readonly adopts?: string;
      /** The previous attempt, where this one was begun anew. */
      readonly sets_aside?: SetAside;
    }
  | { readonly kind: 'unknown_world' }
  /** The world has adopted another scenario meanwhile. */
  | { readonly kind: 'other_scenario' }
  /** The message is over, or another attempt serves it; or no attempt is open to resume. */
  | { readonly kind: 'not_asked_for' }
  /** An attempt is suspended, and no message has come. */
  | ({ readonly kind: 'still_suspended' } & AttemptOfTurn)
  /** A call of the latest attempt is in doubt. */
  | ({ readonly kind: 'in_doubt' } & Doubt)
  /** A new attempt would repeat side effects of the latest one. */
  | ({ readonly kind: 'not_adoptable'; readonly reason: string } & AttemptOfTurn)
  | { readonly kind: 'held'; readonly holder: Holder; readonly attempt_id: string; readonly until: number };

export interface SetAside {
  readonly attempt_id: string;
  /** The command keys of its calls in doubt. */
  readonly in_doubt: readonly string[];
  /** The command keys of its calls that had their side effect. */
  readonly side_effects: readonly string[];
}

export interface AttemptOfTurn {
  readonly attempt_id: string;
  readonly attempted_turn: number;
}

/** A call of a failed attempt that has to be settled before a turn begins. */
export interface Doubt extends AttemptOfTurn {
  readonly source_invocation_id: string;
  readonly command_key: string;
}

/** The record of an attempt before this driver. */
export interface AttemptPast {
  /** How many drivers were lost, or broke. */
  readonly take_overs: number;
  readonly renderer_version: string;
  readonly plugin_versions: Readonly<Record<string, string>>;
  /** The latest performance of each call, and each failed one before it, in the order of their end. */
  readonly calls: readonly RecordedCall[];
  /** The highest number of a call of this attempt, adopted ones included. */
  readonly last_invocation_seq: number;
}

export interface RecordedCall
  extends Omit<Recorded, 'event' | 'is_adopted'>,
    Pick<CallStart, 'source_invocation_id' | 'llm_call_id' | 'invocation_seq' | 'started_at'> {
  /** The number of this performance in this attempt; 0 where it was adopted. */
  readonly performance: number;
  /** The earlier attempt that made it. */
  readonly adopted_from?: string;
  /** Its end; absent where none was recorded. */
  readonly fact?: CallFact;
}

/** What earlier attempts at a turn have used, and what is known of earlier answers. */
export interface EarlierSpending {
  readonly spent: readonly EarlierCall[];
  /** By node, and of its gate apart, the latest answers first. */
  readonly outputs: readonly {
    readonly workflow_hash: string;
    readonly node_id: string;
    readonly invocation_kind: 'llm_generation' | 'quality_gate';
    readonly output_tokens: readonly number[];
  }[];
}

/** A generation of an earlier attempt. */
export interface EarlierCall {
  readonly subject_id: string;
  readonly source_hash: string;
  readonly failure_class: InvocationFailureClass | null;
  readonly http_status: number | null;
  readonly duration_ms: number;
  /** As its provider counted; null where it did not. */
  readonly usage: TokenUsage | null;
  /** What its budget counted in the place of that. */
  readonly estimated: CountedTokens | null;
  /** Of its texts, where it has no counts. */
  readonly prompt_bytes: number | null;
  readonly said_bytes: number | null;
}

/** Whether a fenced write was accepted: not where another driver has the world, or has moved one of its agents. */
export type Written = 'written' | 'overtaken';

/** The rows of a call, written before its first byte. */
export interface CallStart {
  readonly source_invocation_id: string;
  /** Present for generations. */
  readonly llm_call_id?: string;
  readonly invocation_seq: number;
  readonly command: Invoke;
  /** 1-based: counts failed performances of the same command, and those without an end. */
  readonly performance: number;
  readonly parent_source_invocation_id?: string;
  readonly started_at: number;
  /** The resolved settings of its source; absent where it was refused before that. */
  readonly resolved?: ResolvedSource;
  /** The decision of policy; absent where the call needs no leave. Of a refused call its end has it. */
  readonly ruling?: Ruling;
  /** A refused call is written with its end, by the same statement. */
  readonly refused?: CallFinish;
}

export interface CallFinish {
  readonly source_invocation_id: string;
  readonly llm_call_id?: string;
  readonly outcome: CallOutcome;
  readonly verdict?: Verdict;
  /** The call was pending: the same statement consumes its report. */
  readonly is_reported?: boolean;
}

/** Calls that end and calls that begin together. No call does both. */
export interface CallsWrite {
  readonly finished: readonly CallFinish[];
  readonly started: readonly CallStart[];
}

export interface SuspendAttempt {
  readonly at: number;
  readonly agents: readonly AgentMove[];
}

/** The outcome of suspending an attempt; `called`: a message has come meanwhile, and it continues. */
export type SuspendOutcome = 'suspended' | 'called' | 'overtaken';

export interface CommitTurn {
  readonly patches: readonly (AcceptedPatch & {
    /** The generation whose answer it is. */
    readonly source_invocation_id: string;
  })[];
  readonly simulation_time: string;
  readonly ended_at: number;
  /** The end of the generation of the last patch, where that is not recorded yet. */
  readonly answer?: CallFinish;
  readonly agents: readonly AgentMove[];
  /** Whether a message asks for the attempt; left out by a driver that has not begun it. */
  readonly is_asked_for?: boolean;
  /** The driver continues: the message longest due, else the next queued turn of the world, is reserved for it. */
  readonly goes_on?: Omit<ClaimRequest, 'most'>;
  /** Of the ledgers of the attempt. */
  readonly seal: Seal;
}

/** The turn is written, and the driver's next message is reserved. */
export interface Reserved {
  readonly kind: 'reserved';
  readonly next: Claimed;
}

export interface FailAttempt {
  readonly failure: Fail;
  /**
   * The backoff of a queued turn, in milliseconds, by the number of its transient failures. Without a delay for the
   * next one, the turn is over.
   */
  readonly retry_delays_ms?: readonly number[];
  readonly source_invocation_id?: string;
  readonly ended_at: number;
  readonly agents: readonly AgentMove[];
  /** Of the ledgers of the attempt. */
  readonly seal: Seal;
}

/** A queued turn that failed transiently, and is retried. */
export interface PutOff {
  readonly kind: 'put_off';
  readonly retry: number;
  readonly delay_ms: number;
}

/** How a driver leaves an open attempt. */
export interface HandOver {
  readonly at: number;
  /** A fault of the program stopped it: the attempt counts one more lost driver. */
  readonly has_broken: boolean;
}

export interface SettleCall {
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  /** Its answer; absent where it was never performed. */
  readonly answer?: Json;
  readonly settled_at: number;
  readonly settled_by: SettledBy;
  readonly holder: Holder;
  readonly reason?: string;
}

/** The origin of a settlement: a person at the database, or a report. */
export type SettledBy = 'operator' | 'report';

export type Settled =
  | { readonly kind: 'settled'; readonly world_slug: string; readonly left_in_doubt: number }
  /** The call does not exist in that attempt, its end is known, or it may be repeated. */
  | { readonly kind: 'not_in_doubt' }
  | { readonly kind: 'already_settled' }
  /** The attempt is open: its driver may still learn the end of the call. */
  | { readonly kind: 'not_ended' }
  /** The world has committed the turn, or a new attempt has set the call aside. */
  | { readonly kind: 'too_late' };

/** Calls of a run whose subject has read something else since: their results are not used. */
export interface SupersedeCalls {
  readonly source_invocation_ids: readonly string[];
  readonly at: number;
}

/** Whether a call is closed to reports; `reported`: a report was accepted before, and is the end of the call. */
export type Closed = 'closed' | 'reported' | 'overtaken';

/** The record of attempts, written by their drivers. */
export interface AttemptStore {
  /**
   * Claims the world's lease with the next epoch, and reads the world at its turn. An open attempt is resumed: calls
   * under way are marked interrupted, and its record is returned.
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
  /** One statement; of an attempt that has begun. */
  findEarlierSpending(lease: AttemptLease): Promise<EarlierSpending>;
  /** Searches the memories of an agent, as they were committed. */
  retrieve(lease: Pick<AttemptLease, 'world_slug'>, query: MemoryQuery): Promise<readonly FoundMemory[]>;
  /** What is on record of the attempt so far. */
  facts(lease: AttemptLease): Promise<readonly Fact[]>;
  /** One statement: all of it is durable when it resolves, or nothing of it is written. */
  writeCalls(lease: AttemptLease, calls: CallsWrite): Promise<Written>;
  /** One statement. */
  flushChunks(lease: AttemptLease, llm_call_id: string, batch: ChunkBatch): Promise<Written>;
  /** One statement. @returns its deadline in milliseconds since 1970, by the clock of the database */
  pendCall(lease: AttemptLease, source_invocation_id: string, pended: CallPended): Promise<number | 'overtaken'>;
  /** Asks a person for a call, once, and says how that stands. One statement. */
  askApproval(lease: AttemptLease, asked: NamedApproval): Promise<AskedState | 'overtaken'>;
  /** Approves a call by a grant. One statement. @returns its fact; none where the grant has no use left */
  useGrant(lease: AttemptLease, use: UsedGrant): Promise<AskedState['facts'] | 'overtaken'>;
  /** Suspends the attempt and releases the lease, unless a message has come. One statement. */
  suspend(lease: AttemptLease, suspension: SuspendAttempt): Promise<SuspendOutcome>;
  /** Notes in the timeline that these calls are superseded. One statement. */
  supersede(lease: AttemptLease, superseded: SupersedeCalls): Promise<Written>;
  /** Consumes a message without an effect. One statement. */
  discard(lease: AttemptLease, inbox_id: string): Promise<Written>;
  /** Claims the timeout of a call before it is handled: later reports of the call are refused. One statement. */
  claimTimeout(lease: AttemptLease, source_invocation_id: string): Promise<Closed>;
  /** Closes a call that was answered at once to reports. One statement. @param call with a fresh `inbox_id` */
  closeToReports(
    lease: AttemptLease,
    call: { readonly source_invocation_id: string; readonly inbox_id: string },
  ): Promise<Closed>;
  /** One transaction: changed rows, patches, audit, the turn, the attempt's end, the lease. */
  commit(lease: AttemptLease, turn: CommitTurn): Promise<Written | Reserved>;
  /** One transaction; the world does not change, and the queued turn is over or retried later. */
  fail(lease: AttemptLease, failure: FailAttempt): Promise<Written | PutOff>;
  /** Releases the lease with the attempt open, so that the next driver can resume it at once. */
  handOver(lease: AttemptLease, left: HandOver): Promise<Written>;
  /** Settles a call; once none is in doubt, the next attempt adopts from this one. One transaction. */
  settle(settlement: SettleCall): Promise<Settled>;
  /** Renews the lease from now, by the clock of the database. */
  renew(lease: AttemptLease, lease_ms: number): Promise<Written>;
}
