import type { TurnBegan } from '../../protocol/event.js';
import type { Program } from '../../protocol/program.js';
import { type Recorded, refold, type Refolded } from '../refold.js';

/**
 * Folds up to where an earlier driver was, whether it ran the subjects in order or concurrently: a person in place of a
 * model is asked in order, and the record fits one of both ways.
 * @param fits whether a way will do; left out, one in which every record has its place
 * @returns the program with which the turn continues, too
 */
export function refoldAsPlayed(
  program: Program,
  began: TurnBegan,
  records: readonly Recorded[],
  fits: (refolded: Refolded) => boolean = (refolded) => !isMismatch(refolded),
): Refolded & { readonly program: Program } {
  const { execution: _, ...authored } = program;
  const ways = [authored, ...EXECUTIONS.map((execution) => ({ ...authored, execution }))];
  const first = { ...refold(program, began, records), program };
  if (fits(first)) return first;
  const others = ways.filter(({ execution }: Program) => execution !== program.execution);
  const folded = others.map((other) => ({ ...refold(other, began, records), program: other }));
  return folded.find(fits) ?? first;
}

const EXECUTIONS = ['per_subject_ordered', 'per_subject_concurrent'] as const;

function isMismatch({ commands: [end] }: Refolded): boolean {
  return end?.kind === 'fail' && end.failure_class === 'record_mismatch';
}
