import type { Problem } from '../contract/problem.js';

/** The most characters of a reason, over HTTP or on the command line: every page of its world shows it. */
export const REASON_LENGTH_MAX = 2_000;

/** The problem of a reason that is longer than is kept. */
export function findReasonProblem(reason: string | undefined): Problem | undefined {
  if (reason === undefined || reason.length <= REASON_LENGTH_MAX) return undefined;
  return {
    code: 'REASON_TOO_LONG',
    message: `The reason has ${reason.length} characters; the limit is ${REASON_LENGTH_MAX}.`,
    repair: 'Write a shorter reason.',
  };
}
