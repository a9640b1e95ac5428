import type { Command } from 'commander';
import { runWorker } from '../../../operations/run-worker.js';
import { concurrencyOption, graceOption, leaseOption, maxRetriesOption } from '../arguments.js';
import { type Perform, printEvent, withEngine } from '../session.js';
import { type WorkerOptions, workUntilStopped } from '../worker-task.js';

interface Options extends WorkerOptions {
  readonly lease: number;
  readonly worlds?: readonly string[];
}

export function addWorker(program: Command, perform: Perform): void {
  program
    .command('worker')
    .description(
      'Run queued turns of any world, until it is stopped. Any number of workers may share a PostgreSQL database.',
    )
    .addOption(concurrencyOption())
    .addOption(graceOption())
    .addOption(leaseOption())
    .addOption(maxRetriesOption())
    .option('--worlds <slug...>', 'run turns of these worlds only')
    .action(({ lease, worlds, ...options }: Options) =>
      perform((session) =>
        workUntilStopped(session, options, (settings) =>
          withEngine(session, (engine) =>
            runWorker(engine, {
              ...settings,
              lease_ms: lease * 1000,
              ...(worlds === undefined ? {} : { worlds }),
              onReady: ({ database, doorbell }) => {
                const { concurrency } = options;
                const sentence = `working, ${concurrency} at a time; ${database}; doorbell: ${doorbell}`;
                printEvent(session, sentence, { kind: 'working', concurrency, database, doorbell });
              },
            }),
          ),
        ),
      ),
    );
}
