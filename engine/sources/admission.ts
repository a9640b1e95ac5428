import type { SourceProgram } from '../core/protocol/program.js';

/** Keeps the calls under way of each source within the limit that its author sets; further calls wait in their order. */
export interface Admission {
  /**
   * Waits for a place. A call that is aborted meanwhile waits no longer.
   * @returns gives the place back
   */
  enter(source: Pick<SourceProgram, 'hash' | 'max_in_flight'>, signal: AbortSignal): Promise<() => void>;
}

interface Queue {
  under_way: number;
  readonly waiting: Set<() => void>;
}

/** An admission for all worlds of this process. */
export function openAdmission(): Admission {
  const queues = new Map<string, Queue>();
  const leave = (hash: string, queue: Queue): void => {
    const [next] = queue.waiting;
    if (next !== undefined) return next();
    queue.under_way -= 1;
    if (queue.under_way === 0) queues.delete(hash);
  };
  return {
    async enter({ hash, max_in_flight }, signal) {
      if (max_in_flight === undefined) return () => {};
      const queue = queues.get(hash) ?? { under_way: 0, waiting: new Set() };
      queues.set(hash, queue);
      if (queue.under_way < max_in_flight) queue.under_way += 1;
      else if (!(await waitForPlace(queue, signal))) return () => {};
      return () => leave(hash, queue);
    },
  };
}

/** @returns false where the call was aborted before it had a place */
function waitForPlace({ waiting }: Queue, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasPlace: boolean): void => {
      waiting.delete(take);
      signal.removeEventListener('abort', giveUp);
      resolve(hasPlace);
    };
    const take = (): void => settle(true);
    const giveUp = (): void => settle(false);
    waiting.add(take);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
  });
}
