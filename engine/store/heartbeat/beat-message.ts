import type { AttemptLease } from '../../ports/attempts.js';
import type { HeartbeatSettings } from '../../ports/heartbeat.js';

export interface BeatSettings extends Omit<HeartbeatSettings, 'program'> {
  /** The leases that the thread renews. */
  readonly board: SharedArrayBuffer;
  readonly connectionString: string;
}

/** A message to the main thread: leases of worlds that another process has. */
export interface FromBeat {
  readonly lost: readonly AttemptLease[];
}
