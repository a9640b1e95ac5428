import { type Problem, problem } from '../../contract/problem.js';

/** The most characters of a reason, over HTTP or on the command line: every page of its world shows it. */
export const REASON_LENGTH_MAX = 2_000;

/** The problem of a reason that is longer than is kept. */
export function findReasonProblem(reason: string | undefined): Problem | undefined {
  if (reason === undefined || reason.length <= REASON_LENGTH_MAX) return undefined;
  return problem('REASON_TOO_LONG', { length: reason.length, length_max: REASON_LENGTH_MAX });
}
