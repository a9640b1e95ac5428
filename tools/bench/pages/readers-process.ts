import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { answerAll } from '../helper.js';
import { getPage, type Serving } from './serving.js';

// Live pages without a browser: each listens to the events of a page and asks for the page again when something has
// happened, as often as the script of pages does.

/** How many readers are to have a page open. */
export interface ReadersOrder {
  readonly serving: Pick<Serving, 'url' | 'token'>;
  readonly path: string;
  readonly readers: number;
  /** Whether they ask for the page again when something has happened. */
  readonly asks_again: boolean;
}

/** Between two looks of one reader at its page, at least; more of one that takes long. */
const PAUSE_MS = 500;
const PAUSE_FACTOR = 5;

let leave = new AbortController();

answerAll('open', follow);

/** Lets all readers leave, and as many as are wanted begin. @returns once all of them listen */
async function follow(order: ReadersOrder): Promise<void> {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  setMaxListeners(0, signal);
  await Promise.all(Array.from({ length: order.readers }, (_none, number) => begin(order, number, signal)));
}

/** @returns once the reader listens */
function begin(order: ReadersOrder, number: number, signal: AbortSignal): Promise<void> {
  const { serving, path, asks_again } = order;
  let hasNews = false;
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    for (; hasNews && !signal.aborted; ) {
      hasNews = false;
      const { ms } = await getPage(serving, path);
      await wait(Math.max(PAUSE_MS, PAUSE_FACTOR * ms), undefined, { signal });
    }
    isAsking = false;
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${serving.url}${path}/events?since=now`, {
      headers: { authorization: `Bearer ${serving.token}` },
      // A server lets one address have so many streams.
      localAddress: `127.0.0.${2 + Math.floor(number / 100)}`,
      agent: false,
      signal,
    });
    asked.once('response', (response) => {
      response.once('data', () => resolve());
      response.on('data', () => {
        hasNews = true;
        if (asks_again) ask().catch(() => {});
      });
      response.on('error', () => {});
    });
    asked.on('error', (error) => (signal.aborted ? resolve() : reject(error)));
    asked.end();
  });
}
