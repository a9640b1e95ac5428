import type { WorkflowSetting } from './compile-parts.js';
import { nearestName } from '../content/nearest-name.js';
import type { Complaint, DocumentProblem } from '../protocol/document-problem.js';

/**
 * The problem with a name that the tool policy does not allow. Its place is the entry of the policy that was probably
 * meant: one that is spelt nearly so and names nothing in the workflow. Without one, its place is the use of the name.
 * @param complaint of the workflow
 */
export function notAllowed(
  { document, policy }: WorkflowSetting,
  name: string,
  complaint: Omit<Complaint, 'code'> & { readonly code: 'TOOL_NOT_ALLOWED' | 'POLICY_DENIES' },
): DocumentProblem {
  const meant = nearestName(name, policy?.names_nothing ?? []);
  if (policy === undefined || meant === undefined) return { ...complaint, document };
  return {
    ...complaint,
    message: `The policy allows ${meant}, which is not in the workflow. ${complaint.message}`,
    document: { kind: 'tool_policy', hash: policy.hash },
    pointer: `/allow/${[...policy.allow].indexOf(meant)}`,
    repair: `Did you mean ${JSON.stringify(name)}?`,
    severity: 'error',
  };
}
