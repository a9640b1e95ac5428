/** How the time until the next try grows. */
interface Backoff {
  readonly first_ms: number;
  readonly most_ms: number;
}

/** How many retries a turn has after transient failures, unless a limit is given. */
export const TURN_RETRIES = 5;

/** How the wait grows before a turn is tried anew. */
const TURN_BACKOFF: Backoff = { first_ms: 2_000, most_ms: 300_000 };

/** No service puts a turn off for longer: quotas are renewed within a day. */
const ASKED_MS_MAX = 86_400_000;

/**
 * How long a turn waits before it is tried anew.
 * @param retries how often it has been already
 * @param jitter from 0 up to 1
 * @param asked_ms how long the service that failed asks to be left alone
 */
export function turnBackoffMs(retries: number, jitter: number, asked_ms = 0): number {
  return Math.max(backoffMs(TURN_BACKOFF, retries, jitter), Math.min(asked_ms, ASKED_MS_MAX));
}

/**
 * How long to wait before trying again: twice as long each time, up to a limit, and somewhere in the upper half of that,
 * so that those who were turned away together do not come back together.
 * @param retries how often it has been tried again already
 * @param jitter from 0 up to 1
 * @returns whole milliseconds
 */
export function backoffMs({ first_ms, most_ms }: Backoff, retries: number, jitter: number): number {
  // Beyond 2^30 the factor is past every limit, and an infinite one would make nothing of zero.
  const whole = Math.min(most_ms, first_ms * 2 ** Math.min(retries, 30));
  return Math.round(whole / 2 + (whole / 2) * jitter);
}
