import type { Invoke, Retry } from '../core/protocol/command.js';

// A wait is the driver's own: no part of it is on record. A driver that takes an attempt over waits all of it again,
// since the clocks of two machines need not agree and a service is never called sooner than it wants.

/** Calls that are made again once their wait is over. */
export type Waits = Map<string, NodeJS.Timeout>;

/** How long a driver waits before a retry, in milliseconds: at random within what the turn allows. */
export function chooseWait({ least_ms, most_ms }: Retry): number {
  return Math.round(least_ms + (most_ms - least_ms) * Math.random());
}

/** Performs a command when its wait is over, unless the wait is ended before. */
export function waitFor(waits: Waits, { key }: Invoke, wait_ms: number, perform: () => void): void {
  const timer = setTimeout(() => {
    waits.delete(key);
    perform();
  }, wait_ms);
  waits.set(key, timer);
}

/**
 * Ends waits: all of them, or those of the given commands.
 * @returns the keys of the commands that are not performed therefore
 */
export function endWaits(waits: Waits, only?: ReadonlySet<string>): readonly string[] {
  const ended = [...waits].filter(([key]) => only === undefined || only.has(key));
  for (const [key, timer] of ended) {
    clearTimeout(timer);
    waits.delete(key);
  }
  return ended.map(([key]) => key);
}
