import type { AttemptLease } from '../../ports/attempts.js';

export interface BeatSettings {
  /** The leases that the thread renews. */
  readonly board: SharedArrayBuffer;
  readonly connectionString: string;
  readonly lease_ms: number;
  /** How long the main thread may be deaf and dumb before its leases are kept no more. */
  readonly hang_ms: number;
  /** How long before the process is ended, which handles no signal either. */
  readonly end_ms: number;
}

/** A message to the main thread: leases of worlds that another process has. */
export interface FromBeat {
  readonly lost: readonly AttemptLease[];
}
