import { problem } from '../../contract/problem.js';
import type { EffectClass } from '../../generated/workflow.js';
import { nearestName } from '../content/nearest-name.js';
import type { DocumentProblem } from '../protocol/document-problem.js';
import type { WorkflowSetting } from './compile-parts.js';

/**
 * The problem with a name that the tool policy does not allow. Its place is the entry of the policy that was probably
 * meant: one that is spelt nearly so and names nothing in the workflow. Without one, its place is the use of the name.
 * @param place of the use, in the workflow
 */
export function notAllowed(
  { document, policy }: WorkflowSetting,
  code: 'TOOL_NOT_ALLOWED' | 'POLICY_DENIES',
  { name, effect, rule }: { readonly name: string; readonly effect: EffectClass; readonly rule: string | null },
  place: { readonly pointer: string },
): DocumentProblem {
  // What a rule denies is no matter of spelling.
  const meant = rule === null ? nearestName(name, policy?.names_nothing ?? []) : undefined;
  const found = problem(code, { name, effect, meant, rule }, place);
  if (policy === undefined || meant === undefined) return { ...found, ...place, document };
  const pointer = `/allow/${policy.allow.indexOf(meant)}`;
  return { ...found, document: { kind: 'tool_policy', hash: policy.hash }, pointer, severity: 'error' };
}
