import { type Command, Option } from 'commander';
import { runWorker } from '../../../operations/run-worker.js';
import { maxRetriesOption, toWhole } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { listenForInterrupt } from '../interruption.js';

import { leftLines, toSentence, toWorkerJson } from '../render/worker.js';
import { type Perform, printEvent, printLines, printRefused, type Session, withEngine } from '../session.js';
import { afterEvent, type UnderWay } from '../under-way.js';

interface WorkerOptions {
  readonly concurrency: number;
  readonly grace: number;
  readonly lease: number;
  readonly maxRetries: number;
  readonly worlds?: readonly string[];
}

const DAY_SECONDS = 86_400;

/** `chukwa worker` */
export function addWorker(program: Command, perform: Perform): void {
  program
    .command('worker')
    .helpGroup('Worlds:')
    .description(
      'Run queued turns, of any world, until it is told to stop. Any number of workers may share a PostgreSQL.',
    )
    .addOption(wholeOption('--concurrency <n>', 'how many attempts are driven at a time', [1, 1_000], 4))
    .addOption(
      wholeOption(
        '--grace <seconds>',
        'how long attempts may go on once it is to stop, before another worker goes on with them',
        [0, DAY_SECONDS],
        20,
      ),
    )
    .addOption(wholeOption('--lease <seconds>', 'how long it is believed to live when it says nothing', [1, 3_600], 10))
    .addOption(maxRetriesOption())
    .option('--worlds <slug...>', 'take turns of these worlds only')
    .action((options: WorkerOptions) => perform((session) => work(session, options)));
}

function wholeOption(
  flags: string,
  description: string,
  [from, to]: readonly [number, number],
  standard: number,
): Option {
  return new Option(flags, description).argParser((text) => toWhole(text, from, to)).default(standard);
}

async function work(
  session: Session,
  { concurrency, grace, lease, maxRetries, worlds }: WorkerOptions,
): Promise<ExitCode> {
  let under_way: UnderWay = new Map();
  const interruption = listenForInterrupt(session.terminal, () =>
    printLines(session.terminal.error, leftLines([...under_way.values()])),
  );
  try {
    const worked = await withEngine(session, (engine) =>
      runWorker(engine, {
        concurrency,
        grace_ms: grace * 1000,
        lease_ms: lease * 1000,
        turn_retries: maxRetries,
        ...(worlds === undefined ? {} : { worlds }),
        signal: interruption.signal,
        onEvent: (event) => {
          under_way = afterEvent(under_way, event);
          printEvent(session, toSentence(event), toWorkerJson(event));
        },
        onReady: (about) => {
          const place = `${about.database}; doorbell: ${about.doorbell}`;
          printEvent(session, `working, ${concurrency} at a time; ${place}`, {
            kind: 'working',
            concurrency,
            ...about,
          });
        },
      }),
    );
    if (!worked.ok) return printRefused(session, worked);
    printEvent(session, 'stopped', { kind: 'stopped' });
    return EXIT.done;
  } finally {
    interruption.end();
  }
}
