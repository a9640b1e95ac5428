import { type Problem, problem } from '../../contract/problem.js';

/** The most problems of one value that are listed. */
export const PROBLEMS_MAX = 200;

/** The first problems of a value, and one that says so where there are more. @param isWhole whether all are among these */
export function listProblems(problems: readonly Problem[], isWhole = true): readonly Problem[] {
  if (problems.length <= PROBLEMS_MAX && isWhole) return problems;
  const listed = problems.slice(0, PROBLEMS_MAX);
  return [...listed, problem('TOO_MANY_PROBLEMS', { listed: listed.length }, { pointer: '' })];
}
