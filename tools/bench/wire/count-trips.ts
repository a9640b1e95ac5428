/** Where the round trips of one turn went. */
export interface TripCount {
  /** Until the first call's start: the lease and the world. */
  readonly before_calls: number;
  /** From the first call's start to the last call's finish, whatever they were for; the last may go with the commit. */
  readonly of_calls: number;
  /** From there on. */
  readonly after_calls: number;
}

const OF_CALLS = /^chukwa_(write_calls_|commit_turn_with_answer)/;

/**
 * Counts a turn's round trips, given by the names of their statements in order.
 * @throws Error where no call was written
 */
export function countTrips(statements: readonly string[]): TripCount {
  const first = statements.findIndex((name) => OF_CALLS.test(name));
  const last = statements.findLastIndex((name) => OF_CALLS.test(name));
  if (first < 0) throw new Error(`no call among the statements ${statements.join(', ')}`);
  return { before_calls: first, of_calls: last - first + 1, after_calls: statements.length - last - 1 };
}
