import { present } from '../../../contract/present.js';
import { Option } from 'commander';
import type { Outcome } from '../../../contract/problem.js';
import type { MadeCheckpoint } from '../../../operations/evidence/checkpoint.js';
import type { RequestFault } from '../../../operations/composition.js';
import { serve } from '../../../operations/serving/serve.js';
import type { StageRequest } from '../../../operations/running/stage.js';
import type { LoadedTokens } from '../../../operations/serving/tokens.js';
import { type ServeAfterOptions, wholeOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { verbatim } from '../render/line.js';
import { printEvent, printLines, printRefused, printStack, type Session } from '../session.js';
import { LEASE_MS, WORKER_DEFAULTS, WORKER_OPTIONS, type WorkerOptions, workUntilStopped } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface ServeOptions extends WorkerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly work?: boolean;
}

export const serveWorlds: CommandEntry = {
  name: 'serve',
  lives_long: true,
  says: 'Show all records in a browser, accept late answers over HTTP, and run turns, until it is stopped.',
  takes: [
    new Option('--host <address>', 'listen on this address; by default CHUKWA_HOST, or 127.0.0.1'),
    wholeOption('--port <n>', 'listen on this port; by default CHUKWA_PORT, or 4747', [0, 65_535]),
    new Option('--work', 'over an embedded database, run also the turns that were queued elsewhere'),
    ...Object.values(WORKER_OPTIONS),
  ],
  run: (session, { work, ...options }: ServeOptions) => run(session, options, work === true ? {} : { worlds: [] }),
};

/** Runs, and serves afterwards where that is asked: the port is tried first, so that no turn is played in vain. */
export async function serveAfter(
  session: Session,
  { serve: is_asked, port }: ServeAfterOptions,
  play: () => Promise<ExitCode>,
  asked: () => Asked,
): Promise<ExitCode> {
  if (is_asked !== true) return play();
  const { composition } = session;
  const place = composition.servePlace();
  const free = place.ok ? await composition.tryPlace({ ...place.value, ...present({ port }) }) : place;
  if (!free.ok) return printRefused(session, free);
  return serveAfterRun(session, await play(), { ...WORKER_DEFAULTS, ...present({ port }) }, asked());
}

/**
 * Serves after a run until Ctrl-C, so that a browser can show it.
 * @param code the exit code of the run; an interrupted or refused run is not served
 * @param asked the world of the run; and the services and model that it had beside the environment, which turns queued
 * from the pages use as well
 */
async function serveAfterRun(session: Session, code: ExitCode, options: ServeOptions, asked: Asked): Promise<ExitCode> {
  if (code !== EXIT.done && code !== EXIT.attempt_failed && code !== EXIT.suspended) return code;
  const served = await run(session, options, asked);
  return served === EXIT.done ? code : served;
}

interface Asked {
  /** Where turns run over an embedded database; left out for all worlds. */
  readonly worlds?: readonly string[];
  readonly stage?: StageRequest;
}

function run(session: Session, { host, port, ...options }: ServeOptions, asked: Asked): Promise<ExitCode> {
  return workUntilStopped(session, options, (settings) =>
    serve(session.composition, {
      ...settings,
      place: present({ host, port }),
      lease_ms: LEASE_MS,
      ...asked,
      onCheckpoint: (made) => printCheckpoint(session, made),
      onFault: (fault) => printFault(session, fault),
      onReady: ({ url, database, tokens, sign_in_link, waiting }) => {
        const sentence = `serving at ${url}; ${database}; tokens in ${tokens.file ?? 'the environment'}`;
        printEvent(session, sentence, { kind: 'serving', url, database, tokens_file: tokens.file ?? null });
        if (waiting > 0) printEvent(session, toWaiting(waiting), { kind: 'waiting', messages: waiting });
        // Logs are kept: the sign-in token is written to the token file only.
        if (session.composition.log !== undefined) return;
        if (tokens.is_new) showTokens(session, tokens);
        showSignInLink(session, sign_in_link);
      },
    }),
  );
}

/** A bug of the program: the answer hides it, so the log alone says what it is. */
function printFault({ composition, ...session }: Session, { method, path, error }: RequestFault): void {
  const { withoutSecrets } = composition;
  const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
  const sentence = `${method} ${path} met an error that nobody expected: ${reason}`;
  printEvent({ composition, ...session }, sentence, { kind: 'request_broke', method, path, error: reason });
  printStack(session.terminal, error, withoutSecrets);
}

/** A checkpoint, or why there is none: an anchor that has failed has to be seen. */
function printCheckpoint(session: Session, made: Outcome<MadeCheckpoint>): void {
  const failed = made.ok ? made.value.unanchored : made.problems[0];
  if (failed !== undefined)
    return printEvent(session, `${failed.message} ${failed.repair}`, { kind: 'checkpoint_failed', code: failed.code });
  const { tree_size, missing } = (made as Extract<typeof made, { ok: true }>).value;
  const gone = missing.map(({ world_slug, how, seals }) => `; ${seals} of ${world_slug} ${how}`).join('');
  printEvent(session, `checkpoint of ${tree_size} seals${gone}`, { kind: 'checkpoint_made', tree_size, missing });
}

function toWaiting(messages: number): string {
  const subject =
    messages === 1 ? 'one message waits, such as a queued turn' : `${messages} messages wait, such as queued turns`;
  return `${subject}: chukwa serve --work runs all turns, chukwa run SLUG those of one world`;
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
