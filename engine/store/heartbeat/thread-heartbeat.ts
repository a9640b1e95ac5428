import { Worker } from 'node:worker_threads';
import type { OpenHeartbeat } from '../../ports/heartbeat.js';
import type { BeatSettings, FromBeat } from './beat-message.js';
import { openBoard, postLease, sayAwake } from './lease-board.js';

/** The main thread says so often that its event loop turns. */
const AWAKE_MS = 1_000;

/**
 * Starts a thread that keeps the leases of this process, through long waits and through work of the main thread.
 * @param program the compiled thread: threads run no TypeScript
 */
export function startThreadHeartbeat(program: string, settings: Omit<BeatSettings, 'board'>): OpenHeartbeat {
  const kept = new Map<string, (why: 'overtaken' | Error) => void>();
  const board = openBoard();
  const workerData: BeatSettings = { ...settings, board };
  const thread = new Worker(program, { workerData, execArgv: [], stdin: false });
  const loseAll = (error: Error): void => {
    for (const lose of kept.values()) lose(error);
  };
  thread.on('message', ({ lost }: FromBeat) => {
    for (const attempt_id of lost) kept.get(attempt_id)?.('overtaken');
  });
  thread.on('error', loseAll);
  thread.on('exit', () => loseAll(new Error('the thread that keeps leases has ended')));
  thread.unref();
  const awake = setInterval(() => sayAwake(board), AWAKE_MS);
  awake.unref();
  return {
    lease_ms: settings.lease_ms,
    keep(lease, onLost) {
      const takeOff = postLease(board, lease);
      const drop = (): void => {
        if (kept.delete(lease.attempt_id)) takeOff();
      };
      kept.set(lease.attempt_id, (why) => {
        drop();
        onLost(why);
      });
      return drop;
    },
    async close() {
      clearInterval(awake);
      kept.clear();
      await thread.terminate();
    },
  };
}
