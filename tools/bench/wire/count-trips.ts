/** The round trips of one turn, by purpose. */
export interface TripCount {
  /** Until the first call's start: the lease and the world, where they are not taken with it. */
  readonly before_calls: number;
  /** From the first call's start to the last call's finish; the last may be part of the commit. */
  readonly of_calls: number;
  /** Of those: pieces of streams that were written before their call ended. */
  readonly of_flushes: number;
  /** From there on. */
  readonly after_calls: number;
}

const FLUSH = /^chukwa_flush_chunks_/;
const OF_CALLS = /^chukwa_(begin_as_left|write_calls|commit_turn_with_answer)_/;

/**
 * Counts a turn's round trips, given by the names of their statements in order.
 * @throws Error where no call was written
 */
export function countTrips(statements: readonly string[]): TripCount {
  const first = statements.findIndex((name) => OF_CALLS.test(name));
  const last = statements.findLastIndex((name) => OF_CALLS.test(name));
  if (first < 0) throw new Error(`no call among the statements ${statements.join(', ')}`);
  const of_flushes = statements.filter((name) => FLUSH.test(name)).length;
  return { before_calls: first, of_calls: last - first + 1, of_flushes, after_calls: statements.length - last - 1 };
}
