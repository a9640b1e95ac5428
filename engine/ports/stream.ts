import type { Fact } from '../core/stream/fact.js';

/** How far the record of an attempt has been read. */
export interface FactCursor {
  readonly world_slug: string;
  readonly attempt_id: string;
  /** All facts up to this number have been read. Numbers grow from attempt to attempt of a world. */
  readonly after: number;
  /** The latest call that has been met, in the order of their issue, and those before it that have not been. */
  readonly last_invocation_seq: number;
  readonly missing_invocation_seqs: readonly number[];
  /** Calls that have begun and not ended. */
  readonly open: readonly string[];
}

/** What was found after a cursor. */
export interface FactPage {
  /** In the order of the record. */
  readonly facts: readonly Fact[];
  readonly cursor: FactCursor;
  /** More may be there already: the page was cut at its limit. */
  readonly has_more: boolean;
  /** The attempt is over, and all of it has been read. */
  readonly is_over: boolean;
}

/** Reads the record of attempts in the order in which it was written, from any place on. */
export interface FactReader {
  /** The beginning of an attempt. What is no id names nothing. */
  attempt(attempt_id: string): Promise<FactCursor | undefined>;
  /** The beginning of the attempt of a world that follows another one, or of its first. */
  next(world_slug: string, attempt_id?: string): Promise<FactCursor | undefined>;
  /** The beginning of the latest attempt of a world. */
  latest(world_slug: string): Promise<FactCursor | undefined>;
  /**
   * Facts after a cursor, by steps in indexes alone: what has been read costs nothing.
   * @param until not beyond this number
   */
  read(cursor: FactCursor, until?: number): Promise<FactPage>;
}
