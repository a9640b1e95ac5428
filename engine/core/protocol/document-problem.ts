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

/** Whether a problem keeps a document from being used; a note does not. */
export function isError(problem: Pick<Problem, 'severity'>): boolean {
  return problem.severity !== 'note';
}

/** Complaints of one document as problems. */
export function inDocument(document: ComponentReference, complaints: readonly Complaint[]): readonly DocumentProblem[] {
  return complaints.map((complaint) => ({ ...complaint, document }));
}
