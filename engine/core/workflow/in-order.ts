import type { Program } from '../protocol/program.js';

/**
 * The program with its subjects one after the other, whatever their workflows say: the turn is the same, and no call of it is
 * superseded. For answers that are written down, or that a person gives, nothing is gained by asking at once.
 */
export function inOrder(program: Program): Program {
  const subjects = program.subjects.map((subject) => ({
    ...subject,
    workflow: { ...subject.workflow, max_speculative: 0 },
  }));
  return { ...program, subjects };
}
