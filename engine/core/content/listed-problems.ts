import type { Problem } from '../../contract/problem.js';

/** The most problems of one value that are listed. */
export const PROBLEMS_MAX = 200;

/** The first problems of a value, and one that says so where there are more. @param isWhole whether all are among these */
export function listProblems(problems: readonly Problem[], isWhole = true): readonly Problem[] {
  if (problems.length <= PROBLEMS_MAX && isWhole) return problems;
  const listed = problems.slice(0, PROBLEMS_MAX);
  const rest: Problem = {
    code: 'TOO_MANY_PROBLEMS',
    message: `there are more problems than the ${listed.length} that are listed`,
    pointer: '',
    repair: 'Correct the others first.',
  };
  return [...listed, rest];
}
