import type { InboxMessageType } from '../core/inbox/message.js';

export interface ClaimRequest {
  readonly most: number;
  /** The visibility timeout of a claim, by the clock of the database: long enough to begin. */
  readonly reserve_ms: number;
  /** These worlds only; all by default. */
  readonly worlds?: readonly string[];
}

export interface Claimed {
  readonly world_slug: string;
  readonly inbox_id: string;
  readonly message_type: InboxMessageType;
  readonly retry_count: number;
  /** How long it had been due, by the clock of the database. */
  readonly waited_ms: number;
}
