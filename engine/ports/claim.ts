import type { InboxMessageType } from '../core/inbox/message.js';

/** How much of what is due somebody takes. */
export interface ClaimRequest {
  readonly most: number;
  /** How long nobody else takes it up, by the clock of the database: long enough to begin. */
  readonly reserve_ms: number;
  /** These worlds only; left out for all. */
  readonly worlds?: readonly string[];
}

/** A world in which something is to be done, and the message that says so. */
export interface Claimed {
  readonly world_slug: string;
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  readonly retry_count: number;
  /** How long it was due, by the clock of the database. */
  readonly waited_ms: number;
}
