import type { AttemptStore } from '../ports/attempts.js';
import type { Heartbeat } from '../ports/heartbeat.js';
import type { RuntimeParts } from './runtime-parts.js';

/** How long a lease lasts that is renewed from here, in milliseconds. */
const LEASE_MS = 30_000;

/** What renews the leases of a driver. */
export function heartbeatOf({ heartbeat, attempts }: Pick<RuntimeParts, 'heartbeat' | 'attempts'>): Heartbeat {
  return heartbeat ?? beatAtIntervals(attempts);
}

/** Keeps leases from the thread that drives: enough where one attempt is driven at a time. */
function beatAtIntervals(attempts: Pick<AttemptStore, 'renew'>): Heartbeat {
  return {
    lease_ms: LEASE_MS,
    keep(lease, onLost) {
      const timer = setInterval(() => {
        attempts.renew(lease, LEASE_MS).then(
          (written) => written === 'overtaken' && onLost(written),
          (error: Error) => onLost(error),
        );
      }, LEASE_MS / 3);
      return () => clearInterval(timer);
    },
  };
}
