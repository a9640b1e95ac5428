import { type Problem, problem } from '../../contract/problem.js';
import type { ComponentReference } from './component.js';

/** A problem, and the stored document that has it; its pointer is into that document. */
export interface DocumentProblem extends Problem {
  readonly document: ComponentReference;
  readonly pointer: string;
}

/** A problem where something holds, else none. */
export function complainIf(holds: boolean, complaint: Problem): readonly Problem[] {
  return holds ? [complaint] : [];
}

type TwinCode =
  | 'AMBIENT_ID_TWICE'
  | 'ENTITY_TWICE'
  | 'ENVIRONMENT_TWICE'
  | 'HYPOTHESIS_TWICE'
  | 'MEASURE_TWICE'
  | 'NODE_ID_TWICE'
  | 'QUESTION_TWICE'
  | 'TOOL_NAME_TWICE';

/** A problem of each item of a list that has the name of an earlier one. @param pointerOf the place of an item's name */
export function complainOfTwins(
  code: TwinCode,
  names: readonly string[],
  pointerOf: (index: number) => string,
): readonly Problem[] {
  const known = new Set<string>();
  return names.flatMap((name, index) => {
    const is_twin = known.has(name);
    known.add(name);
    return complainIf(is_twin, problem(code, { name }, { pointer: pointerOf(index) }));
  });
}

/** Whether a problem keeps a document from being used; a note does not. */
export function isError(problem: Pick<Problem, 'severity'>): boolean {
  return problem.severity !== 'note';
}

export function inDocument(document: ComponentReference, problems: readonly Problem[]): readonly DocumentProblem[] {
  return problems.map((one) => ({ pointer: '', ...one, document }));
}
