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

/** The failure classes that have a code of their own; every other is `execution`. */
const CODES: Readonly<Partial<Record<string, ToolErrorCode>>> = {
  unavailable: 'unavailable',
  policy_denied: 'policy_denied',
  authz_denied: 'authz_denied',
  redaction_failed: 'redaction_failed',
} satisfies Partial<Record<InvocationFailureClass, ToolErrorCode>>;

/** The code of a call of a tool that failed. */
export function toolErrorCodeOf(failure_class: string): ToolErrorCode {
  return CODES[failure_class] ?? 'execution';
}

/** What a model is told whose tool call has arguments that are no JSON. Nothing of them is quoted. */
export const INVALID_ARGUMENTS = 'Invalid tool arguments JSON';

/** The code of a tool call that was not made, because the answer of its model was rejected: by the complaint. */
export function toolErrorCodeOfRejection({
  detail,
  message,
}: {
  readonly detail: string | null;
  readonly message: string | null;
}): ToolErrorCode {
  if (message === INVALID_ARGUMENTS) return 'invalid_json';
  if (detail === 'unknown_tool') return 'unavailable';
  return detail === 'policy_denied' ? detail : 'validation';
}

/** A tool call of a model that was not made. */
export interface RejectedToolCall {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly error_code: ToolErrorCode;
  readonly message: string;
}
