import type { Location, Problem } from '../../contract/problem.js';
import type { ProblemCode } from '../../contract/problems/index.js';

/** One problem of a file, as people and programs are shown it. Line and column are 0 where it is about the path. */
export interface Finding extends Location {
  readonly pointer: string;
  readonly code: ProblemCode;
  readonly message: string;
  readonly repair: string;
  readonly severity: 'error' | 'note';
}

export function toFinding(problem: Problem, location: Location): Finding {
  const { file, line, column } = problem.location ?? location;
  const { code, message, pointer = '', repair, severity = 'error' } = problem;
  return { file, line, column, pointer, code, message, repair, severity };
}

/** Each finding once, in the order of files, lines and columns. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const distinct = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...distinct.values()].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.pointer, b.pointer) ||
      compare(a.code, b.code),
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
