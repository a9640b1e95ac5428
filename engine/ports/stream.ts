import type { Told } from '../core/stream/told.js';

/** A position in the record of an attempt. */
export interface FactCursor {
  readonly world_slug: string;
  readonly attempt_id: string;
  /** All facts up to this number have been read. Numbers increase from attempt to attempt of a world. */
  readonly after: number;
  /** The latest call that was met, in the order of issue, and earlier ones that were not. */
  readonly last_invocation_seq: number;
  readonly missing_invocation_seqs: readonly number[];
  /** Calls that have begun and not ended. */
  readonly open: readonly string[];
}

export interface FactPage {
  /** In the order of the record. */
  readonly facts: readonly Told[];
  readonly cursor: FactCursor;
  /** There may be more: the page was cut at its limit. */
  readonly has_more: boolean;
  /** The attempt has ended, and all of it has been read. */
  readonly is_over: boolean;
}
