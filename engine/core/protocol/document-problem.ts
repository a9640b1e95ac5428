import type { Problem } from '../../contract/problem.js';
import type { ComponentReference } from './component.js';

/** A problem, and the stored document that has it; its pointer is into that document. */
export interface DocumentProblem extends Problem {
  readonly document: ComponentReference;
  readonly pointer: string;
}

/** A check's complaint about one place: everything but the document. */
export interface Complaint extends Pick<Problem, 'code' | 'message' | 'offset' | 'repair' | 'severity'> {
  readonly pointer: string;
}

/** A complaint where something holds, else none. */
export function complainIf(holds: boolean, complaint: Complaint): readonly Complaint[] {
  return holds ? [complaint] : [];
}

/** A list of a document, of which each item has a name of its own. */
interface NamedList {
  /** The list itself. */
  readonly pointer: string;
  /** The member that names an item. */
  readonly member: 'id' | 'label' | 'name';
  readonly noun: string;
  /** The noun at length, where it says more. */
  readonly each?: string;
}

/** A complaint of each item that has the name of an earlier one. */
export function complainOfTwins(
  code: Complaint['code'],
  names: readonly string[],
  { pointer, member, noun, each = noun }: NamedList,
): readonly Complaint[] {
  const known = new Set<string>();
  return names.flatMap((name, index) => {
    const is_twin = known.has(name);
    known.add(name);
    return complainIf(is_twin, {
      code,
      message: `The ${noun} ${name} is listed a second time here.`,
      pointer: `${pointer}/${index}/${member}`,
      repair: `Give each ${each} ${member === 'id' ? 'an' : 'a'} ${member} of its own.`,
    });
  });
}

/** Whether a problem keeps a document from being used; a note does not. */
export function isError(problem: Pick<Problem, 'severity'>): boolean {
  return problem.severity !== 'note';
}

/** Complaints of one document as problems. */
export function inDocument(document: ComponentReference, complaints: readonly Complaint[]): readonly DocumentProblem[] {
  return complaints.map((complaint) => ({ ...complaint, document }));
}
