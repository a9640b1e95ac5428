import { type Problem, problem } from '../../contract/problem.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { complainIf } from '../protocol/document-problem.js';
import { MAX_SPECULATIVE } from '../protocol/program.js';

/** The cost of concurrent subjects beyond ordered ones, and a complaint of a limit that nothing reads. */
export function checkSpeculation(
  { execution, max_speculative }: CognitionWorkflow,
  subjects: readonly string[],
): readonly Problem[] {
  if (execution === 'per_subject_ordered')
    return complainIf(
      max_speculative !== undefined,
      problem('MAX_SPECULATIVE_UNUSED', undefined, { pointer: '/max_speculative' }),
    );
  const most = (max_speculative ?? MAX_SPECULATIVE) * subjects.length;
  const facts = { subjects: subjects.length, most };
  return complainIf(subjects.length > 1, problem('SPECULATION_COSTS', facts, { pointer: '/execution' }));
}
