import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Serving } from './serve-process.js';

/** How many readers are to have a page open. */
export interface ReadersOrder {
  readonly serving: Pick<Serving, 'url' | 'token'>;
  readonly path: string;
  readonly readers: number;
  /** Whether they ask for the page again when something has happened. */
  readonly asks_again: boolean;
}

/** Readers of live pages, in a process of their own. */
export interface Readers {
  /** Lets those who read leave, and others begin. @returns once all of them listen */
  open(order: ReadersOrder): Promise<void>;
  close(): Promise<void>;
}

/** Starts the process of the readers. Close it. */
export function openReaders(): Readers {
  const child = fork(fileURLToPath(new URL('./readers-process.js', import.meta.url)), { execArgv: [] });
  return {
    open: async (order) => {
      const listening = once(child, 'message');
      child.send(order);
      await listening;
    },
    close: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
