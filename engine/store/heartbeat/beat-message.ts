import type { AttemptLease } from '../../ports/attempts.js';

/** What the thread that beats is born with. */
export interface BeatSettings {
  /** Where the leases stand that are kept. */
  readonly board: SharedArrayBuffer;
  readonly connectionString: string;
  readonly lease_ms: number;
  /** How long the main thread may be deaf and dumb before its leases are kept no more. */
  readonly hang_ms: number;
  /** How long before the process is ended, which handles no signal either. */
  readonly end_ms: number;
}

/** What the main thread gets back: leases of worlds that somebody else has. */
export interface FromBeat {
  readonly lost: readonly AttemptLease[];
}
