import { setTimeout } from 'node:timers/promises';
import type { Outcome, Problem } from '../contract/problem.js';
import { backoffMs } from '../core/inbox/backoff.js';
import type { Composition } from './composition.js';

/** How long to wait for a database that is out of reach, and who is notified. */
export interface Patience {
  /** 0 for no wait. */
  readonly for_ms: number;
  /** Called once, with the problem. @returns a signal that ends the wait early, and a function that releases it */
  readonly onWait: (problem: Problem) => { readonly signal: AbortSignal; readonly end: () => void };
}

const RETRY = { first_ms: 250, most_ms: 2_000 };

/** The same composition, which waits for its database at the start, as drivers do later. */
export function waitForDatabase(composition: Composition, patience: Patience): Composition {
  return {
    ...composition,
    openArchive: () => openPatiently(patience, () => composition.openArchive()),
    openEngine: (options) => openPatiently(patience, () => composition.openEngine(options)),
  };
}

/** @returns the opened thing, or the last refusal: a permanent one, or that of the end of the wait */
async function openPatiently<Opened>(
  patience: Patience,
  open: () => Promise<Outcome<Opened>>,
): Promise<Outcome<Opened>> {
  const until = performance.now() + patience.for_ms;
  let opened = await open();
  let obstacle = findPassing(opened);
  if (obstacle === undefined || patience.for_ms === 0) return opened;
  const { signal, end } = patience.onWait(obstacle);
  try {
    for (let tries = 0; obstacle !== undefined && !signal.aborted && performance.now() < until; tries += 1) {
      const wait_ms = Math.max(0, Math.min(backoffMs(RETRY, tries, Math.random()), until - performance.now()));
      // A signal ends the wait without an error.
      await setTimeout(wait_ms, undefined, { signal }).catch(() => {});
      opened = await open();
      obstacle = findPassing(opened);
    }
    return opened;
  } finally {
    end();
  }
}

function findPassing(opened: Outcome<unknown>): Problem | undefined {
  return opened.ok ? undefined : opened.problems.find(({ details }) => details?.['may_pass'] === true);
}
