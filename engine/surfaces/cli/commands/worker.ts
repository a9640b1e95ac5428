import { present } from '../../../contract/present.js';
import { Option } from 'commander';
import { runWorker } from '../../../operations/running/run-worker.js';
import { wholeOption } from '../arguments.js';
import { printEvent, withEngine } from '../session.js';
import { WORKER_OPTIONS, type WorkerOptions, workUntilStopped } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface Options extends WorkerOptions {
  readonly lease: number;
  readonly worlds?: readonly string[];
}

const { concurrency, grace, maxRetries } = WORKER_OPTIONS;

export const worker: CommandEntry = {
  name: 'worker',
  lives_long: true,
  says: 'Run queued turns of any world, until it is stopped. Any number of workers may share a PostgreSQL database.',
  takes: [
    concurrency,
    grace,
    wholeOption('--lease <seconds>', 'how long the lease of a silent worker lasts', [1, 3_600]).default(10),
    maxRetries,
    new Option('--worlds <slug...>', 'run turns of these worlds only'),
  ],
  run: (session, { lease, worlds, ...options }: Options) =>
    workUntilStopped(session, options, (settings) =>
      withEngine(session, (engine) =>
        runWorker(engine, {
          ...settings,
          lease_ms: lease * 1000,
          ...present({ worlds }),
          onReady: ({ database, doorbell }) => {
            const sentence = `working, ${options.concurrency} at a time; ${database}; doorbell: ${doorbell}`;
            printEvent(session, sentence, { kind: 'working', concurrency: options.concurrency, database, doorbell });
          },
        }),
      ),
    ),
};
