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
      message: `Where its ${subjects.length} subjects change what others of them read, a turn makes the calls of at most ${most} runs in vain.`,
      pointer: '/execution',
      repair: 'Write a lower max_speculative, or accept that.',
    },
  ];
}

const UNUSED: Complaint = {
  code: 'MAX_SPECULATIVE_UNUSED',
  severity: 'note',
  message: 'Nothing reads max_speculative: the subjects of this workflow run one after the other.',
  pointer: '/max_speculative',
  repair: 'Take it away, or write "execution": "per_subject_concurrent".',
};
