import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { succeed } from '../../engine/contract/problem.js';
import { compose } from '../../engine/main.js';
import type { Composition } from '../../engine/operations/composition.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { printLog } from '../../engine/surfaces/cli/session.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { FIRST_COMPILED } from '../support/program.js';

/** The compiled program. */
export const PROGRAM = join(ROOT, 'dist/engine/chukwa.js');

/** The folder of the user who runs these commands. */
const USER_FOLDER = mkdtempSync(join(tmpdir(), 'chukwa-user-'));
process.once('exit', () => rmSync(USER_FOLDER, { recursive: true, force: true }));

/** How a process ended. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program, running. */
export interface Running {
  readonly pid: number;
  kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Its standard output so far. */
  said(): string;
  /** The same of standard error. */
  complained(): string;
  readonly ended: Promise<Ended>;
}

type Variables = Readonly<Record<string, string>>;

/** Starts the compiled program with these words, and no variables of this machine's but the search path. */
export function startChukwa(words: readonly string[], variables: Variables, cwd = ROOT): Running {
  // The test command builds first; a single file that is run by itself may find nothing.
  if (!existsSync(PROGRAM)) execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'ignore' });
  const env = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: USER_FOLDER, ...variables };
  const child = spawn(process.execPath, [...FIRST_COMPILED, PROGRAM, ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
  assert.ok(child.pid);
  return { pid: child.pid, kill: (signal) => void child.kill(signal), said: stdout, complained: stderr, ended };
}

/** The time limit of a command that ends by itself, in milliseconds. */
const RUN_MS = 300_000;

/** Runs the compiled program to its end, or kills it. */
export async function runChukwa(words: readonly string[], variables: Variables): Promise<Ended> {
  const running = startChukwa(words, variables);
  const timer = setTimeout(() => running.kill('SIGKILL'), RUN_MS);
  return running.ended.finally(() => clearTimeout(timer));
}

/** Runs it with `--json`, expects this code, and reads the one document on standard output. */
export async function askChukwa<Answer>(words: readonly string[], variables: Variables, code = 0): Promise<Answer> {
  const ended = await runChukwa([...words, '--json'], variables);
  assert.equal(ended.code, code, ended.stderr);
  return JSON.parse(ended.stdout) as Answer;
}

/**
 * The program within this process. A dry run plays on a copy of the empty database of the tests' server, for a fifth of the CPU
 * that a database in memory takes.
 */
export async function composeHere(...given: Parameters<typeof compose>): Promise<Composition> {
  const composition = await compose(...given);
  const openDryEngine: Composition['openDryEngine'] = async (answerCall) => {
    let drop = async (): Promise<void> => {};
    const { CHUKWA_DATABASE_URL } = await emptyDatabase({ after: (end) => void (drop = end) });
    const opened = await composition.openDryEngine(answerCall, CHUKWA_DATABASE_URL);
    if (!opened.ok) return opened;
    const close = async (): Promise<void> => {
      await opened.value.close();
      await drop();
    };
    return succeed({ ...opened.value, close });
  };
  return { ...composition, openDryEngine };
}

/** A command that runs within this process. `interrupt` asks it to stop, as a signal asks a program. */
export type RunningHere = Pick<Running, 'said' | 'complained' | 'ended'> & { interrupt(): void };

/** Starts a command within this process, which is several times cheaper: for what commands do, and not how processes end. */
export function startHere(words: readonly string[], variables: Variables, cwd = ROOT): RunningHere {
  const terminal = openTestTerminal({ working_folder: cwd });
  const { out_text, error_text, interrupt } = terminal;
  const run = async (): Promise<Ended> => {
    const own = { PATH: process.env['PATH'], XDG_CONFIG_HOME: USER_FOLDER };
    const composition = await composeHere({ ...own, ...variables }, (line, format) => printLog(terminal, line, format));
    const code = await runCommandLine(composition, words, terminal);
    return { code, stdout: out_text(), stderr: error_text() };
  };
  return { said: out_text, complained: error_text, ended: run(), interrupt };
}

/** Runs a command to its end within this process. */
export function runHere(words: readonly string[], variables: Variables, cwd = ROOT): Promise<Ended> {
  return startHere(words, variables, cwd).ended;
}

/** Runs a command with `--json` within this process, expects this code, and reads the one document that it prints. */
export async function askHere<Answer>(words: readonly string[], variables: Variables, code = 0): Promise<Answer> {
  const ended = await runHere([...words, '--json'], variables);
  assert.equal(ended.code, code, ended.stderr);
  return JSON.parse(ended.stdout) as Answer;
}

/** Waits for something that a running process brings about. @throws AssertionError where it ends instead */
export async function whileRunning<Value>(running: Pick<Running, 'ended'>, event: Promise<Value>): Promise<Value> {
  const early = running.ended.then((ended) => assert.fail(`it ended too early: ${JSON.stringify(ended)}`));
  return Promise.race([event, early]);
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString('utf8');
}
