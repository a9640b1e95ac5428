import type { CognitionWorkflow } from '../../generated/workflow.js';
import type { Complaint } from '../protocol/document-problem.js';
import { MAX_SPECULATIVE } from '../protocol/program.js';

/** The cost of concurrent subjects beyond ordered ones, and a complaint of a limit that nothing reads. */
export function checkSpeculation(
  { execution, max_speculative }: CognitionWorkflow,
  subjects: readonly string[],
): readonly Complaint[] {
  if (execution === 'per_subject_ordered') return max_speculative === undefined ? [] : [UNUSED];
  const most = (max_speculative ?? MAX_SPECULATIVE) * subjects.length;
  if (subjects.length < 2) return [];
  return [
    {
      code: 'SPECULATION_COSTS',
      severity: 'note',
      message: `Where its ${subjects.length} subjects change values that other subjects read, a turn discards the calls of at most ${most} runs.`,
      pointer: '/execution',
      repair: 'Lower max_speculative, or accept the cost.',
    },
  ];
}

const UNUSED: Complaint = {
  code: 'MAX_SPECULATIVE_UNUSED',
  severity: 'note',
  message: 'max_speculative has no effect: the subjects of this workflow run one after the other.',
  pointer: '/max_speculative',
  repair: 'Remove it, or write "execution": "per_subject_concurrent".',
};
