import type { Json } from '../contract/json.js';
import type { InboxMessageType } from '../core/inbox/message.js';
import type { AttemptLease } from './attempts.js';
import type { Claimed, ClaimRequest } from './claim.js';

export type LapsedRequest = Pick<ClaimRequest, 'most' | 'worlds'> & {
  /** Includes leases that end within this time unless they are renewed. */
  readonly within_ms: number;
};

/** A world whose attempt has lost its driver, or loses its lease within this time. */
export interface Lapse {
  readonly world_slug: string;
  /** 0 where the driver is lost. */
  readonly in_ms: number;
  /** How many drivers of the attempt were lost, or broke, before this one. */
  readonly take_overs: number;
}

/** Why a message is deferred, and when it is due again. */
export interface Deferral {
  readonly reason: string;
  readonly delay_ms: number;
}

/**
 * The outcome of a message to an attempt. `duplicate`: the same was reported before. `late`: the call, or its attempt,
 * is over. `undecided`: a driver is just ending the call, or was lost while it did; nothing is stored, and the report
 * has to be sent again.
 */
export type Reported =
  | {
      readonly kind: 'accepted' | 'duplicate' | 'late' | 'undecided';
      readonly world_slug: string;
      readonly attempt_id: string;
    }
  | { readonly kind: 'unknown' };

/** An unhandled message to an attempt. */
export interface InboxMessage {
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  /** The call that it is about; of a stop, the attempt. */
  readonly correlation_id: string | null;
  readonly payload: Json;
}

/** The queued turns of a world that have no attempt yet. */
export interface WorldQueue {
  readonly world_slug: string;
  readonly queued_turns: number;
  /** Why the first one is deferred, and until when (RFC 3339). */
  readonly put_off: { readonly reason: string; readonly until: string } | null;
}

/** The repairs of the watchdog. */
export interface Tidied {
  /** Worlds whose next queued turn had not been promoted. */
  readonly promoted: number;
  /** Messages to attempts that are over. */
  readonly consumed: number;
}

/** Whether there may be work. */
export interface Glance {
  readonly is_due: boolean;
  /** Pending calls have expired. */
  readonly is_expired: boolean;
  /** Attempts have lost their driver, or may soon. */
  readonly is_lapsing: boolean;
}

/** The inbox, as workers use it: the only truth about work to do. */
export interface Inbox {
  /**
   * Whether there may be work in any world. One statement.
   * @param within_ms also counts leases that end within this time
   */
  glance(within_ms: number): Promise<Glance>;
  /** Claims due messages, longest due first, for a visibility timeout. One statement. */
  claim(request: ClaimRequest): Promise<readonly Claimed[]>;
  /** Defers a claimed message that was not begun. One statement. */
  defer(claimed: Claimed, deferral: Deferral): Promise<void>;
  /** Discards a claimed message that can never be handled, and promotes the next turn of the world. */
  discard(claimed: Claimed, reason: string): Promise<void>;
  /** The unhandled messages of an attempt, oldest first. */
  messagesOf(lease: AttemptLease): Promise<readonly InboxMessage[]>;
  /** Worlds without a driver, longest ago first, and then those that may lose it soon. One statement. */
  lapsed(request: LapsedRequest): Promise<readonly Lapse[]>;
  /** Repairs lost work: turns that were never promoted, messages to attempts that are over. */
  tidy(): Promise<Tidied>;
}
