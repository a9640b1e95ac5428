import { Worker } from 'node:worker_threads';
import type { AttemptLease } from '../../ports/attempts.js';
import type { OpenHeartbeat } from '../../ports/heartbeat.js';
import type { BeatSettings, FromBeat } from './beat-message.js';
import { openBoard, postLease, sayAwake } from './lease-board.js';

/** The main thread says so often that its event loop turns. */
const AWAKE_MS = 1_000;

/** With the epoch: this process may have claimed an attempt again before it learns that its former lease was lost. */
function nameOf({ attempt_id, epoch }: AttemptLease): string {
  return `${attempt_id} ${epoch}`;
}

/** A slot of the board that was given back may be another lease's. */
function once(task: () => void): () => void {
  let is_done = false;
  return () => {
    if (!is_done) task();
    is_done = true;
  };
}

/**
 * Starts a thread that keeps the leases of this process, through long waits and through work of the main thread. Leases are
 * lost with their thread; the next one that is to be kept starts another.
 * @param program the compiled thread: threads run no TypeScript
 */
export function startThreadHeartbeat(program: string, settings: Omit<BeatSettings, 'board'>): OpenHeartbeat {
  const kept = new Map<string, (why: 'overtaken' | Error) => void>();
  const board = openBoard();
  const workerData: BeatSettings = { ...settings, board };
  const loseAll = (error: Error): void => {
    for (const lose of kept.values()) lose(error);
  };
  const start = (): Worker => {
    const started = new Worker(program, { workerData, execArgv: [], stdin: false });
    started.on('message', ({ lost }: FromBeat) => {
      for (const lease of lost) kept.get(nameOf(lease))?.('overtaken');
    });
    started.on('error', loseAll);
    started.on('exit', () => {
      thread = undefined;
      loseAll(new Error('the thread that keeps leases has ended'));
    });
    started.unref();
    return started;
  };
  let thread: Worker | undefined = start();
  const awake = setInterval(() => sayAwake(board), AWAKE_MS);
  awake.unref();
  return {
    lease_ms: settings.lease_ms,
    keep(lease, onLost) {
      const name = nameOf(lease);
      const withdraw = postLease(board, lease);
      const lose = (why: 'overtaken' | Error): void => {
        drop();
        onLost(why);
      };
      const drop = once(() => {
        withdraw();
        if (kept.get(name) === lose) kept.delete(name);
      });
      kept.set(name, lose);
      thread ??= start();
      return drop;
    },
    async close() {
      clearInterval(awake);
      kept.clear();
      await thread?.terminate();
    },
  };
}
