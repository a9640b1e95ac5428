import type { Json, JsonObject } from '../contract/json.js';
import type { InboxMessageType, InboxStatus } from '../core/inbox/message.js';
import type { AttemptLease } from './attempts.js';
import type { Claimed, ClaimRequest } from './claim.js';

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

/** Why a message cannot be done now, and when it is due again. */
export interface Deferral {
  readonly reason: string;
  readonly delay_ms: number;
}

/** A message to an attempt that waits for the end of one of its calls. */
export interface Report {
  readonly inbox_id: string;
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
 * What became of a message to an attempt. `duplicate`: the same was reported before. `late`: the call, or its
 * attempt, is over. `undecided`: a driver is ending the call, or has died of it; it is kept nowhere, and is to be said
 * again in a moment.
 */
export type Reported =
  | {
      readonly kind: 'accepted' | 'duplicate' | 'late' | 'undecided';
      readonly world_slug: string;
      readonly attempt_id: string;
    }
  | { readonly kind: 'unknown' };

/** A message to an attempt that nobody has taken in yet. */
export interface InboxMessage {
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  /** The call that is meant; of a stop, the attempt. */
  readonly correlation_id: string | null;
  readonly payload: Json;
}

/** A report that was accepted at the moment in which its attempt ended, and that no driver has handled. */
export interface UnheardReport {
  readonly world_slug: string;
  readonly inbox_id: string;
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  readonly payload: Json;
}

/** The turns of a world that are to be done and that no attempt has been begun for. */
export interface WorldQueue {
  readonly world_slug: string;
  readonly queued_turns: number;
  /** Why the first of them could not be done yet, and when it is tried again (RFC 3339). */
  readonly put_off: { readonly reason: string; readonly until: string } | null;
}

/** How many messages have which state, for people. */
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
  /** Notifies an attempt of how one of its calls ended: idempotent. One statement where it is accepted, else two. */
  report(report: Report): Promise<Reported>;
  /** Asks an attempt to stop: idempotent. One statement where it is accepted, else two. */
  stop(stop: Stop): Promise<Reported>;
  /** Takes back the turns of a world that no attempt has been begun for. One transaction. @returns how many; undefined for an unknown world */
  takeBack(world_slug: string, reason: string): Promise<number | undefined>;
  /** Of one world, or of all that have any; those that have none are left out. One statement. */
  queues(world_slug?: string): Promise<readonly WorldQueue[]>;
  /** The messages that an attempt has not handled yet, oldest first. */
  messagesOf(lease: AttemptLease): Promise<readonly InboxMessage[]>;
  /** Reports that were accepted when their attempt ended, and that nobody has handled; at most so many. One statement. */
  unheard(most: number): Promise<readonly UnheardReport[]>;
  /** Such a report has been dealt with. One statement. */
  consumeUnheard(report: Pick<UnheardReport, 'world_slug' | 'inbox_id'>): Promise<void>;
  /** Worlds whose attempt has lost its driver, longest ago first, and then those that may lose it soon. One statement. */
  lapsed(request: LapsedRequest): Promise<readonly Lapse[]>;
  /** Finds the way out for what lost it: turns that nobody promoted, messages to attempts that are over. */
  tidy(): Promise<Tidied>;
  /** All that is not over, by kind. */
  count(): Promise<readonly InboxCount[]>;
}
