interface FailureClassFacts {
  /** Its origin: a plugin, a stage of the engine, or an attempt that no single call has failed. */
  readonly by: 'plugin' | 'engine' | 'attempt';
  /** A retry may succeed. Of `http_status` the status decides, here and below. */
  readonly is_transient?: true;
  /** The service, its reporter or a stage of the engine says that the call was not performed. */
  readonly denies?: true;
  /** The answer is the service's own account of the failure, which a model may be shown. */
  readonly is_told?: true;
  /** The reason that a model is shown. Absent where the turn cannot continue. */
  readonly reason_for_model?: string;
  /** Set for a class that no plugin gives, where written answers may name it all the same. */
  readonly may_be_written?: true;
}

/**
 * Every failure class; the names are part of the public contract. The enums of the schemas are made from this list by
 * `npm run generate`, the types are below, and a test holds the table in docs/terms.md to it.
 */
export const FAILURE_CLASSES = {
  transport: {
    by: 'plugin',
    is_transient: true,
    reason_for_model: 'the service was out of reach, or its answer broke off',
  },
  timeout: { by: 'plugin', is_transient: true, reason_for_model: 'the service did not answer in time' },
  http_status: { by: 'plugin', is_told: true, reason_for_model: 'the service answered with an error' },
  call_rejected: {
    by: 'plugin',
    denies: true,
    is_told: true,
    reason_for_model: 'the service rejects the call, and would again',
  },
  tool_error: {
    by: 'plugin',
    denies: true,
    is_told: true,
    reason_for_model: 'the service answered that the call failed',
  },
  internal_error: { by: 'plugin', is_told: true, reason_for_model: 'the service broke while it handled the call' },
  non_json: { by: 'plugin', reason_for_model: 'the service did not answer with JSON' },
  result_too_large: { by: 'plugin', reason_for_model: 'the answer of the service is too large' },
  unavailable: { by: 'plugin', is_transient: true, denies: true },
  structured_output_rejected: { by: 'plugin', denies: true },
  model_refusal: { by: 'plugin', denies: true },
  schema_invalid: {
    by: 'plugin',
    reason_for_model: 'the request or the answer does not have the form that was agreed',
  },
  policy_denied: { by: 'engine' },
  authz_denied: { by: 'engine' },
  approval_denied: { by: 'engine', may_be_written: true },
  approval_expired: { by: 'engine', may_be_written: true },
  redaction_failed: { by: 'engine' },
  model_content: { by: 'engine' },
  budget_exhausted: { by: 'engine' },
  stopped: { by: 'engine', may_be_written: true },
  interrupted: { by: 'engine' },
  template_unresolved: { by: 'attempt' },
  max_tool_calls_exhausted: { by: 'attempt' },
  generation_attempts_exhausted: { by: 'attempt' },
  escalated: { by: 'attempt' },
  record_mismatch: { by: 'attempt' },
  poisoned: { by: 'attempt' },
} as const satisfies Readonly<Record<string, FailureClassFacts>>;

type ClassBy<By extends FailureClassFacts['by']> = {
  [Name in keyof typeof FAILURE_CLASSES]: (typeof FAILURE_CLASSES)[Name]['by'] extends By ? Name : never;
}[keyof typeof FAILURE_CLASSES];

/** The failure classes that a plugin may use. */
export type SourceFailureClass = ClassBy<'plugin'>;

/** Why a source invocation failed. */
export type InvocationFailureClass = ClassBy<'plugin' | 'engine'>;

/** Why an attempt failed. */
export type AttemptFailureClass = ClassBy<'plugin' | 'engine' | 'attempt'>;

export function factsOfFailure(failure_class: AttemptFailureClass): FailureClassFacts {
  return FAILURE_CLASSES[failure_class];
}

/** Whether a text names a class that a written answer may have. */
export function isWritableFailure(name: string): boolean {
  return Object.hasOwn(FAILURE_CLASSES, name) && isWritable(factsOfFailure(name as AttemptFailureClass));
}

/** The classes that each enum of the schemas holds, by the name of its definition. */
export function listFailureEnums(): Readonly<Record<string, readonly string[]>> {
  const listed = Object.entries<FailureClassFacts>(FAILURE_CLASSES);
  const where = (isListed: (facts: FailureClassFacts) => boolean): readonly string[] =>
    listed.filter(([, facts]) => isListed(facts)).map(([name]) => name);
  return {
    plugin_class: where(({ by }) => by === 'plugin'),
    source_class: where(isWritable),
    call_class: where(({ by }) => by !== 'attempt'),
    attempt_class: where(() => true),
  };
}

function isWritable({ by, may_be_written }: FailureClassFacts): boolean {
  return by === 'plugin' || may_be_written === true;
}
