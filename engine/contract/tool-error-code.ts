import type { InvocationFailureClass } from './failure-class.js';

/** The codes by which programs are told why a tool gave no value. */
export const TOOL_ERROR_CODES = [
  'unavailable',
  'policy_denied',
  'authz_denied',
  'validation',
  'execution',
  'redaction_failed',
  'invalid_json',
] as const;

export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** The failure classes, and details of what a model has said, that have a code of their own; every other is `execution`. */
const CODES: Readonly<Partial<Record<string, ToolErrorCode>>> = {
  unavailable: 'unavailable',
  policy_denied: 'policy_denied',
  authz_denied: 'authz_denied',
  redaction_failed: 'redaction_failed',
  bad_arguments: 'validation',
} satisfies Partial<Record<InvocationFailureClass | 'bad_arguments', ToolErrorCode>>;

/** The code of a failed call of a tool. @param detail of the content of a model's answer, where that is at fault */
export function toolErrorCodeOf(failure_class: string, detail?: string | null): ToolErrorCode {
  if (failure_class === 'model_content' && detail === 'non_json') return 'invalid_json';
  return CODES[failure_class === 'model_content' ? (detail ?? '') : failure_class] ?? 'execution';
}
