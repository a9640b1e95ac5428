import type { AttemptLease } from './attempts.js';

/** Keeps leases while attempts take long: slow is not dead. */
export interface Heartbeat {
  /** How long a lease lasts that nobody renews. */
  readonly lease_ms: number;
  /**
   * Keeps a lease until the returned function is called.
   * @param onLost called where somebody else has taken the world, or why the lease can be kept no more
   */
  keep(lease: AttemptLease, onLost: (why: 'overtaken' | Error) => void): () => void;
}

/** Close it. */
export interface OpenHeartbeat extends Heartbeat {
  close(): Promise<void>;
}
