import { type Problem, problem } from '../../contract/problem.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { complainIf } from '../protocol/document-problem.js';
import { MAX_SPECULATIVE } from '../protocol/program.js';

/** The cost of concurrent subjects beyond ordered ones where no author has set its limit, and a limit that nothing reads. */
export function checkSpeculation(
  { execution, max_speculative }: CognitionWorkflow,
  subjects: readonly string[],
): readonly Problem[] {
  if (execution === 'per_subject_ordered')
    return complainIf(
      max_speculative !== undefined,
      problem('MAX_SPECULATIVE_UNUSED', undefined, { pointer: '/max_speculative' }),
    );
  const facts = { subjects: subjects.length, most: MAX_SPECULATIVE * subjects.length };
  return complainIf(
    subjects.length > 1 && max_speculative === undefined,
    problem('SPECULATION_COSTS', facts, { pointer: '/execution' }),
  );
}
