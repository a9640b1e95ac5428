/**
 * Programs that sources talk to. A program is started within a call and outlives it; the next call finds it, or starts
 * another where it has died. One variable has one program at a time. Each leads a process group of its own and is ended
 * with all of it: when its source asks for it, when the sources close, and when this process ends by itself. (Killed,
 * this process only closes their standard inputs, at which well-behaved servers end.)
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Alarm, Child, ChildEnd, Spawn } from '../contract/source.js';
import { findCallBounds } from './call-bounds.js';
import type { Command } from './command.js';
import { noLongerThan } from './no-longer-than.js';
import type { LookUpVariable } from './origin.js';
import { errorCodes, makeSourceFailure } from './source-failure.js';
import { toStorableText } from '../core/content/i-json.js';

/** Starts programs, and ends all of them. */
export interface Children {
  bind(command: Command, log: (line: string) => void): Spawn;
  close(): Promise<void>;
}

type Process = ChildProcessByStdio<Writable, Readable, Readable>;

/** The variables that a program needs to find itself; none that the operator set for others. */
const HANDED_ON = 'PATH HOME USER LOGNAME TMPDIR TZ LANG LC_ALL NODE_EXTRA_CA_CERTS SYSTEMROOT TEMP APPDATA'.split(' ');

/** How long a program has to end after the request to. */
const GRACE_MS = 1_000;

const IS_WINDOWS = process.platform === 'win32';

/** How long its last words may take to arrive. */
const LINGER_MS = 1_000;

/** How much may wait for a program to read it. A short message takes far more memory than its bytes. */
const UNREAD_MAX = { messages: 4_000, bytes: 16_777_216 };

/** How long to wait for a program that reads no more: most often it is ending, and its end says why. */
const END_MS = 2_000;

/** Opens the keeper of programs. @param lookUp the operator's environment, of which a program is handed very little */
export function openChildren(lookUp: LookUpVariable, alarm: Alarm): Children {
  const running = new Map<Process, Child>();
  const env = Object.fromEntries(HANDED_ON.map((name) => [name, lookUp(name)]).filter(([, value]) => value));
  let closed = false;
  const killAll = (): void => [...running.keys()].forEach((child) => signalGroup(child, 'SIGKILL'));
  const forget = (child: Process): void => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  };
  const start = async (command: Command, log: (line: string) => void): Promise<Child> => {
    const launched = await launch(command, env);
    if (running.size === 0) process.once('exit', killAll);
    launched.once('exit', () => forget(launched));
    const child = toChild(launched, command, log, alarm);
    running.set(launched, child);
    if (closed) await child.stop();
    return child;
  };
  return {
    bind: (command, log) => {
      let last: Promise<Child> | undefined;
      return async () => {
        if (closed || !findCallBounds()) throw makeSourceFailure('transport', 'a program is started only for a call');
        last = replace(last, () => start(command, log));
        return last;
      };
    },
    close: async () => {
      closed = true;
      await Promise.all([...running.values()].map((child) => child.stop()));
    },
  };
}

async function replace(last: Promise<Child> | undefined, start: () => Promise<Child>): Promise<Child> {
  const earlier = await last?.catch(() => undefined);
  await earlier?.stop();
  return start();
}

function launch(command: Command, env: NodeJS.ProcessEnv): Promise<Process> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void =>
      reject(makeSourceFailure('unavailable', `the program that ${command.variable} names ${describeRefusal(error)}`));
    try {
      const child = spawn(command.file, command.arguments, {
        shell: false,
        detached: !IS_WINDOWS,
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
        env,
      });
      child.once('error', refuse);
      child.once('spawn', () => {
        child.off('error', refuse);
        child.on('error', () => {});
        resolve(child);
      });
    } catch (error) {
      refuse(error);
    }
  });
}

function describeRefusal(error: unknown): string {
  const codes = errorCodes(error);
  if (codes.includes('ENOENT')) return 'does not exist: is it installed, and in PATH?';
  if (codes.includes('EACCES')) return 'may not be executed';
  return `cannot be started${codes[0] === undefined ? '' : ` (${codes[0]})`}`;
}

function toChild(child: Process, { variable }: Command, log: (line: string) => void, alarm: Alarm): Child {
  const lastWords = listenToErrors(child.stderr, (line) => log(`${variable}: ${line}`));
  child.stdin.on('error', () => {});
  let over = false;
  let unread = 0;
  let reason: string | undefined;
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      // The program's own children would otherwise stay, and hold its pipes open.
      signalGroup(child, 'SIGKILL');
      over = true;
      const message = `the program that ${variable} names ${reason ?? `ended (${signal ?? `code ${code}`})`}`;
      void drain(child).then(() => resolve({ message, last_words: lastWords() }));
    });
  });
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
    if (!over) signalGroup(child, name);
  };
  return {
    output: child.stdout,
    ended,
    write: async (text) => {
      const bytes = child.stdin.writableLength;
      if (unread > UNREAD_MAX.messages || bytes > UNREAD_MAX.bytes) {
        reason ??= `left ${unread} messages unread (${bytes} bytes), and was ended`;
        signal('SIGKILL');
      }
      unread += 1;
      const is_written = await isWritten(child.stdin, text);
      unread -= 1;
      if (is_written) return;
      const end = await noLongerThan(END_MS, ended, alarm);
      if (end === undefined) throw makeSourceFailure('transport', `the program that ${variable} names takes no more`);
      throw makeSourceFailure('transport', end.message, { body: end.last_words });
    },
    stop: async () => {
      child.stdin.end();
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Reads the rest of its pipes, and then closes them, whatever process may still hold them. */
async function drain({ stdout, stderr }: Process): Promise<void> {
  setTimeout(() => stdout.destroy(), LINGER_MS).unref();
  if (stderr.closed) return;
  await new Promise<void>((resolve) => {
    stderr.once('close', resolve);
    setTimeout(() => stderr.destroy(), LINGER_MS);
  });
}

function isWritten(stdin: Writable, text: string): Promise<boolean> {
  return new Promise((resolve) => stdin.write(text, (error) => resolve(!error)));
}

/** A group outlives its leader. A group without processes gets no signal. */
function signalGroup(child: Process, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (IS_WINDOWS) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // ESRCH: all of them have ended.
  }
}

const LINES_MAX = 200;
const LINE_LENGTH_MAX = 1_000;
const TAIL_BYTES_MAX = 4_096;

/**
 * Reads what a program says beside its answers, for as long as it says anything, so that it never waits for a reader.
 * The first lines go to the log.
 * @returns what gives the end of it
 */
function listenToErrors(stream: Readable, log: (line: string) => void): () => Uint8Array {
  let [tail, line, lines] = [Buffer.alloc(0), '', 0];
  const logLine = (text: string): void => {
    lines += 1;
    if (lines > LINES_MAX || text.trim() === '') return;
    log(toStorableText(text).slice(0, LINE_LENGTH_MAX));
    if (lines === LINES_MAX) log(`after ${LINES_MAX} lines the rest is left out`);
  };
  stream.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]).subarray(-TAIL_BYTES_MAX);
    const [first = '', ...rest] = piece.toString('utf8').split('\n');
    const pieces = [line + first, ...rest];
    line = (pieces.pop() ?? '').slice(0, LINE_LENGTH_MAX);
    pieces.forEach(logLine);
  });
  stream.on('end', () => logLine(line));
  stream.on('error', () => {});
  return () => tail;
}
