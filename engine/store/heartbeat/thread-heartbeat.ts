import { Worker } from 'node:worker_threads';
import type { OpenHeartbeat } from '../../ports/heartbeat.js';
import type { BeatSettings, FromBeat, ToBeat } from './beat-message.js';

/** The main thread says so often that its event loop turns. */
const AWAKE_MS = 1_000;

/**
 * Starts a thread that keeps the leases of this process, through long waits and through work of the main thread.
 * @param program the compiled thread: threads run no TypeScript
 */
export function startThreadHeartbeat(program: string, settings: BeatSettings): OpenHeartbeat {
  const kept = new Map<string, (why: 'overtaken' | Error) => void>();
  const thread = new Worker(program, { workerData: settings, execArgv: [], stdin: false });
  const tell = (message: ToBeat): void => thread.postMessage(message, []);
  const lose = (attempt_id: string, why: 'overtaken' | Error): void => {
    kept.get(attempt_id)?.(why);
    kept.delete(attempt_id);
  };
  const loseAll = (error: Error): void => {
    for (const attempt_id of kept.keys()) lose(attempt_id, error);
  };
  thread.on('message', ({ lost }: FromBeat) => {
    for (const attempt_id of lost) lose(attempt_id, 'overtaken');
  });
  thread.on('error', loseAll);
  thread.on('exit', () => loseAll(new Error('the thread that keeps leases has ended')));
  thread.unref();
  const awake = setInterval(() => tell({ kind: 'awake' }), AWAKE_MS);
  awake.unref();
  return {
    lease_ms: settings.lease_ms,
    keep(lease, onLost) {
      kept.set(lease.attempt_id, onLost);
      tell({ kind: 'keep', lease });
      return () => {
        kept.delete(lease.attempt_id);
        tell({ kind: 'drop', attempt_id: lease.attempt_id });
      };
    },
    async close() {
      clearInterval(awake);
      kept.clear();
      await thread.terminate();
    },
  };
}
