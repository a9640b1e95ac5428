/** Where the round trips of one turn went. */
export interface TripCount {
  /** Until the first call's start: the lease and the world. */
  readonly before_calls: number;
  /** From the first call's start to the last call's finish, whatever they were for. */
  readonly of_calls: number;
  /** From there on: the commit. */
  readonly after_calls: number;
}

const STARTS = /^chukwa_start_/;
const FINISHES = /^chukwa_finish_/;

/**
 * Counts a turn's round trips, given by the names of their statements in order.
 * @throws Error where no call was started and finished
 */
export function countTrips(statements: readonly string[]): TripCount {
  const first = statements.findIndex((name) => STARTS.test(name));
  const last = statements.findLastIndex((name) => FINISHES.test(name));
  if (first < 0 || last < first) throw new Error(`no call among the statements ${statements.join(', ')}`);
  return { before_calls: first, of_calls: last - first + 1, after_calls: statements.length - last - 1 };
}
