import { present } from '../../../contract/present.js';
import { Option } from 'commander';
import { serve } from '../../../operations/serve.js';
import type { StageRequest } from '../../../operations/stage.js';
import type { LoadedTokens } from '../../../operations/tokens.js';
import { wholeOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { verbatim } from '../render/line.js';
import { printEvent, printLines, type Session } from '../session.js';
import { WORKER_DEFAULTS, WORKER_OPTIONS, type WorkerOptions, workUntilStopped } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface ServeOptions extends WorkerOptions {
  readonly host?: string;
  readonly port?: number;
}

const LEASE_MS = 10_000;

export const serveWorlds: CommandEntry = {
  name: 'serve',
  lives_long: true,
  says: 'Show all records in a browser, accept late answers over HTTP, and run queued turns, until it is stopped.',
  takes: [
    new Option('--host <address>', 'listen on this address; by default CHUKWA_HOST, or 127.0.0.1'),
    wholeOption('--port <n>', 'listen on this port; by default CHUKWA_PORT, or 4747', [0, 65_535]),
    ...Object.values(WORKER_OPTIONS),
  ],
  run: (session, options: ServeOptions) => run(session, options),
};

/**
 * Serves after a run until Ctrl-C, so that a browser can show it.
 * @param code the exit code of the run; an interrupted or refused run is not served
 * @param stage the services and model that the run had beside the environment: turns queued from the pages use them as
 * well
 */
export async function serveAfterRun(session: Session, code: ExitCode, stage: StageRequest): Promise<ExitCode> {
  if (code !== EXIT.done && code !== EXIT.attempt_failed && code !== EXIT.suspended) return code;
  const served = await run(session, WORKER_DEFAULTS, stage);
  return served === EXIT.done ? code : served;
}

function run(session: Session, { host, port, ...options }: ServeOptions, stage?: StageRequest): Promise<ExitCode> {
  return workUntilStopped(session, options, (settings) =>
    serve(session.composition, {
      ...settings,
      place: present({ host, port }),
      lease_ms: LEASE_MS,
      ...present({ stage }),
      onReady: ({ url, database, tokens, sign_in_link }) => {
        const sentence = `serving at ${url}; ${database}; tokens in ${tokens.file}`;
        printEvent(session, sentence, { kind: 'serving', url, database, tokens_file: tokens.file });
        // Logs are kept: the sign-in token is written to the token file only.
        if (session.composition.log !== undefined) return;
        if (tokens.is_new) showTokens(session, tokens);
        showSignInLink(session, sign_in_link);
      },
    }),
  );
}

/** Once, when they have just been made; afterwards they are in their file alone. */
function showTokens({ terminal }: Session, { token, operator_token }: LoadedTokens): void {
  printLines(terminal.error, [
    verbatim('New tokens were made. They are shown only once:'),
    verbatim(`  CHUKWA_TOKEN           ${token}`),
    verbatim(`  CHUKWA_OPERATOR_TOKEN  ${operator_token}`),
  ]);
}

/** On standard error, as tokens are: standard output may be kept in a file. */
function showSignInLink({ terminal }: Session, link: string): void {
  printLines(terminal.error, [
    verbatim('To look at the records in a browser, open this link. It signs in once, within ten minutes:'),
    verbatim(`  ${link}`),
  ]);
}
