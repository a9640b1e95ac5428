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

export interface PendingCalls {
  /**
   * Finds the calls of a correlation id: the call's own id, or the service's. Several where services gave the same id
   * to awaited calls; of others, the latest.
   */
  find(correlation: string): Promise<readonly MeantCall[]>;
  /** The calls that an attempt awaits, the nearest deadline first. */
  awaitedBy(attempt_id: string): Promise<readonly AwaitedCall[]>;
  /**
   * Notifies attempts of expired calls, by the clock of the database. One statement.
   * @param inbox_ids fresh ids: one for each call that may be found
   * @returns how many were notified
   */
  expire(inbox_ids: readonly string[]): Promise<number>;
}
