import { type Command, Option } from 'commander';
import { serve } from '../../../operations/serve.js';
import type { LoadedTokens } from '../../../operations/tokens.js';
import { maxRetriesOption, toWhole } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { listenForInterrupt } from '../interruption.js';
import { verbatim } from '../render/line.js';
import { leftLines, toSentence, toWorkerJson } from '../render/worker.js';
import { type Perform, printEvent, printLines, printRefused, type Session } from '../session.js';
import { afterEvent, type UnderWay } from '../under-way.js';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly concurrency: number;
  readonly grace: number;
  readonly maxRetries: number;
}

const DAY_SECONDS = 86_400;
const LEASE_MS = 10_000;

/** `chukwa serve` */
export function addServe(program: Command, perform: Perform): void {
  const whole = (flags: string, description: string, [from, to]: readonly [number, number]): Option =>
    new Option(flags, description).argParser((text) => toWhole(text, from, to));
  program
    .command('serve')
    .helpGroup('Worlds:')
    .option('--host <address>', 'listen there; CHUKWA_HOST where it is left out, and 127.0.0.1 without that')
    .addOption(whole('--port <n>', 'listen on this port; CHUKWA_PORT where it is left out, and 4747', [0, 65_535]))
    .addOption(whole('--concurrency <n>', 'how many attempts are driven at a time', [1, 1_000]).default(4))
    .addOption(
      whole('--grace <seconds>', 'how long attempts may go on once it is to stop', [0, DAY_SECONDS]).default(20),
    )
    .addOption(maxRetriesOption())
    .description(
      'Take answers that come later over HTTP, and run what is queued or told something, until it is told to stop.',
    )
    .action((options: ServeOptions) => perform((session) => run(session, options)));
}

async function run(session: Session, { host, port, concurrency, grace, maxRetries }: ServeOptions): Promise<ExitCode> {
  let under_way: UnderWay = new Map();
  const interruption = listenForInterrupt(session.terminal, () =>
    printLines(session.terminal.error, leftLines([...under_way.values()])),
  );
  try {
    const served = await serve(session.composition, {
      place: { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) },
      concurrency,
      grace_ms: grace * 1000,
      lease_ms: LEASE_MS,
      turn_retries: maxRetries,
      signal: interruption.signal,
      onEvent: (event) => {
        under_way = afterEvent(under_way, event);
        printEvent(session, toSentence(event), toWorkerJson(event));
      },
      onReady: ({ url, database, tokens }) => {
        printEvent(session, `serving at ${url}; ${database}; tokens in ${tokens.file}`, {
          kind: 'serving',
          url,
          database,
          tokens_file: tokens.file,
        });
        if (tokens.is_new) showTokens(session, tokens);
      },
    });
    if (!served.ok) return printRefused(session, served);
    printEvent(session, 'stopped', { kind: 'stopped' });
    return EXIT.done;
  } finally {
    interruption.end();
  }
}

/** Once, when they have just been made; afterwards they stand in their file alone. */
function showTokens({ terminal }: Session, { token, operator_token }: LoadedTokens): void {
  printLines(terminal.error, [
    verbatim('New tokens were made. They are shown this once:'),
    verbatim(`  CHUKWA_TOKEN           ${token}`),
    verbatim(`  CHUKWA_OPERATOR_TOKEN  ${operator_token}`),
  ]);
}
