import type { Problem } from '../contract/problem.js';

/** The most problems of one value that a failure names. */
const NAMED_MAX = 20;

/** A validator's problems, in one line that is kept with a call. */
export function listProblems(problems: readonly Problem[]): string {
  const more = problems.length - NAMED_MAX;
  return [
    ...problems.slice(0, NAMED_MAX).map(({ message, pointer }) => (pointer ? `${message} (at ${pointer})` : message)),
    ...(more > 0 ? ['and more'] : []),
  ].join('; ');
}
