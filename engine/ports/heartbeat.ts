import type { AttemptLease } from './attempts.js';

/** Renews leases during long attempts: a slow driver is not dead. */
export interface Heartbeat {
  /** The lease duration without renewal. */
  readonly lease_ms: number;
  /**
   * Renews a lease until the returned function is called.
   * @param onLost called where another driver has taken the world, or with the fault that prevents renewal
   */
  keep(lease: AttemptLease, onLost: (why: 'overtaken' | Error) => void): () => void;
}

/** Close it. */
export interface OpenHeartbeat extends Heartbeat {
  close(): Promise<void>;
}

export interface HeartbeatSettings {
  /** The compiled file of the heartbeat thread: threads run no TypeScript. */
  readonly program: string;
  readonly lease_ms: number;
  /** How long the main thread may be blocked before its leases are no longer renewed. */
  readonly hang_ms: number;
  /** How long the main thread may be blocked before the process is ended: longer than `hang_ms` and a lease. */
  readonly end_ms: number;
}
