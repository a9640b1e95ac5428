/** A call that is meant by somebody who wants to say how it ended. */
export interface MeantCall {
  readonly source_invocation_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  /** An answer may come later. */
  readonly may_pend: boolean;
}

/** What is known of a call whose service has said that it answers later. */
export interface PendedCall {
  /** What the service calls it. */
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

/** Calls whose answers come later. */
export interface PendingCalls {
  /**
   * Which call is meant by a correlation id: its own, or the name that its service gave it. Several where services
   * gave the same name to calls that are awaited; of those that are not, the latest.
   */
  find(correlation: string): Promise<readonly MeantCall[]>;
  /** What an attempt waits for, the nearest deadline first. */
  awaitedBy(attempt_id: string): Promise<readonly AwaitedCall[]>;
  /**
   * Notifies attempts whose calls have run out of time, by the clock of the database. One statement.
   * @param inbox_ids fresh ids: one for each call that may be found
   * @returns how many were notified
   */
  expire(inbox_ids: readonly string[]): Promise<number>;
}
