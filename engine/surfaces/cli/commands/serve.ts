import type { Command } from 'commander';
import { serve } from '../../../operations/serve.js';
import type { LoadedTokens } from '../../../operations/tokens.js';
import { concurrencyOption, graceOption, maxRetriesOption, wholeOption } from '../arguments.js';
import { verbatim } from '../render/line.js';
import { type Perform, printEvent, printLines, type Session } from '../session.js';
import { type WorkerOptions, workUntilStopped } from '../worker-task.js';

interface Options extends WorkerOptions {
  readonly host?: string;
  readonly port?: number;
}

const LEASE_MS = 10_000;

/** `chukwa serve` */
export function addServe(program: Command, perform: Perform): void {
  program
    .command('serve')
    .helpGroup('Worlds:')
    .description('Accept late answers over HTTP, and run queued and continued turns, until it is stopped.')
    .option('--host <address>', 'listen there; CHUKWA_HOST where it is left out, and 127.0.0.1 without that')
    .addOption(
      wholeOption('--port <n>', 'listen on this port; CHUKWA_PORT where it is left out, and 4747', [0, 65_535]),
    )
    .addOption(concurrencyOption())
    .addOption(graceOption())
    .addOption(maxRetriesOption())
    .action(({ host, port, ...options }: Options) =>
      perform((session) =>
        workUntilStopped(session, options, (settings) =>
          serve(session.composition, {
            ...settings,
            place: { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) },
            lease_ms: LEASE_MS,
            onReady: ({ url, database, tokens }) => {
              const sentence = `serving at ${url}; ${database}; tokens in ${tokens.file}`;
              printEvent(session, sentence, { kind: 'serving', url, database, tokens_file: tokens.file });
              if (tokens.is_new) showTokens(session, tokens);
            },
          }),
        ),
      ),
    );
}

/** Once, when they have just been made; afterwards they are in their file alone. */
function showTokens({ terminal }: Session, { token, operator_token }: LoadedTokens): void {
  printLines(terminal.error, [
    verbatim('New tokens were made. They are shown this once:'),
    verbatim(`  CHUKWA_TOKEN           ${token}`),
    verbatim(`  CHUKWA_OPERATOR_TOKEN  ${operator_token}`),
  ]);
}
