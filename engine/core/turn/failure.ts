import type { SourceFailureClass } from '../../contract/source.js';

/** Why a source invocation failed. The names are part of the public contract. */
export type InvocationFailureClass =
  | SourceFailureClass
  | 'schema_invalid'
  | 'policy_denied'
  | 'authz_denied'
  | 'redaction_failed'
  | 'model_content'
  | 'budget_exhausted'
  | 'stopped'
  | 'interrupted';

/** What exactly is wrong with an answer that a model gave. */
export type ModelContentDetail =
  | 'non_json'
  | 'schema_invalid'
  | 'unknown_tool'
  | 'policy_denied'
  | 'bad_arguments'
  | 'invalid_patch'
  | 'disallowed_effect'
  | 'unknown_entity'
  | 'near_miss_entity'
  | 'memory_on_prop'
  | 'unknown_environment';

/** Why an attempt failed. */
export type AttemptFailureClass =
  | InvocationFailureClass
  | 'template_unresolved'
  | 'max_tool_calls_exhausted'
  | 'generation_attempts_exhausted'
  | 'record_mismatch'
  | 'poisoned';
