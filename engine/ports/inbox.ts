import type { Json, JsonObject } from '../contract/json.js';
import type { InboxMessageType, InboxStatus } from '../core/inbox/message.js';
import type { AttemptLease } from './attempts.js';

/** Turns that a world is to have, one after the other. */
export interface TurnsToQueue {
  readonly world_slug: string;
  /** Fresh ids, ordered by time: one for each turn. */
  readonly inbox_ids: readonly string[];
}

/** What became of turns that were queued. */
export type Queued =
  /** `waiting`: turns of the world that are not over, these and the one that is being done among them. */
  { readonly kind: 'queued'; readonly waiting: number } | { readonly kind: 'unknown_world' };

export interface ClaimRequest {
  readonly most: number;
  /** How long nobody else takes it up, by the clock of the database: long enough to begin. */
  readonly reserve_ms: number;
  /** These worlds only; left out for all. */
  readonly worlds?: readonly string[];
}

export type LapsedRequest = Pick<ClaimRequest, 'most' | 'worlds'> & {
  /** Also those whose lease ends so soon, unless it is renewed. */
  readonly within_ms: number;
};

/** A world whose attempt has lost its driver, or will have in so many milliseconds. */
export interface Lapse {
  readonly world_slug: string;
  /** 0 where it has. */
  readonly in_ms: number;
  /** How many drivers have left the attempt without a word, or broke, before this one. */
  readonly take_overs: number;
}

/** A world in which something is to be done, and the message that says so. */
export interface Claimed {
  readonly world_slug: string;
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  readonly retry_count: number;
}

/** Why a message cannot be done now, and when it is due again. */
export interface Deferral {
  readonly reason: string;
  readonly delay_ms: number;
}

/** A message to an attempt that waits for the end of one of its calls, or is to stop. */
export interface Report {
  readonly inbox_id: string;
  readonly message_type: 'tool_result' | 'timeout';
  /** The call that is meant. */
  readonly source_invocation_id: string;
  readonly payload: JsonObject;
}

export interface Stop {
  readonly inbox_id: string;
  readonly attempt_id: string;
  readonly payload: JsonObject;
}

/**
 * What became of a message to an attempt. `duplicate`: the same was said before, and stands. `late`: the call, or its
 * attempt, is over. All of them are good news to whoever said it; nothing is to be said again.
 */
export type Reported =
  | { readonly kind: 'accepted' | 'duplicate' | 'late'; readonly world_slug: string; readonly attempt_id: string }
  | { readonly kind: 'unknown' };

/** A message to an attempt that nobody has taken in yet. */
export interface InboxMessage {
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  /** The call that is meant; of a stop, the attempt. */
  readonly correlation_id: string | null;
  readonly payload: Json;
}

/** How many messages stand where, for people. */
export interface InboxCount {
  readonly message_type: InboxMessageType;
  readonly status: InboxStatus;
  readonly count: number;
}

/** What the watchdog found lying about. */
export interface Tidied {
  /** Worlds whose next turn had been forgotten, and is to be taken up now. */
  readonly promoted: number;
  /** Messages to attempts that are over. */
  readonly consumed: number;
}

/** What there may be to do. */
export interface Glance {
  /** Messages are due. */
  readonly is_due: boolean;
  /** Calls that were to be answered later have run out of time. */
  readonly is_expired: boolean;
  /** Attempts have lost their driver, or may soon. */
  readonly is_lapsing: boolean;
}

/** What is to be done: the only truth about it. */
export interface Inbox {
  /** Puts turns at the end of a world's queue; the first is to be taken up at once where none was waiting. */
  enqueueTurns(request: TurnsToQueue): Promise<Queued>;
  /**
   * Whether there may be anything to do, in whatever world. One statement.
   * @param within_ms how soon a driver may be lost to count
   */
  glance(within_ms: number): Promise<Glance>;
  /** Takes what is due, longest due first, and keeps others off it for a while. One statement. */
  claim(request: ClaimRequest): Promise<readonly Claimed[]>;
  /** Puts off what was claimed and not begun. One statement. */
  defer(claimed: Claimed, deferral: Deferral): Promise<void>;
  /** Gives up what was claimed and can never be done; the next turn of the world is to be taken up. */
  discard(claimed: Claimed, reason: string): Promise<void>;
  /** Tells an attempt how one of its calls ended: idempotent. One statement. */
  report(report: Report): Promise<Reported>;
  /** Tells an attempt to stop: idempotent. One statement. */
  stop(stop: Stop): Promise<Reported>;
  /** What an attempt has been told and has not taken in, oldest first. */
  messagesOf(lease: AttemptLease): Promise<readonly InboxMessage[]>;
  /** Worlds whose attempt has lost its driver, longest ago first, and then those that may lose it soon. One statement. */
  lapsed(request: LapsedRequest): Promise<readonly Lapse[]>;
  /** Finds the way out for what lost it: turns that nobody promoted, messages to attempts that are over. */
  tidy(): Promise<Tidied>;
  /** All that is not over, by kind. */
  count(): Promise<readonly InboxCount[]>;
}
