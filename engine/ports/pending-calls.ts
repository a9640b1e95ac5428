/** The call that a report is about. */
export interface MeantCall {
  readonly source_invocation_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  /** The call may become pending. */
  readonly may_pend: boolean;
}

/** The facts of a pending call. */
export interface PendedCall {
  /** The service's own id of the call. */
  readonly correlation_alias: string | null;
  /** RFC 3339. */
  readonly pended_at: string;
  readonly deadline: string;
}

/** A call that an attempt waits for, for people. */
export interface AwaitedCall extends PendedCall {
  readonly source_invocation_id: string;
  readonly command_key: string;
  readonly source_label: string;
}
