import { Console } from 'node:console';
import { hostname } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { EXIT } from './exit-code.js';
import { toProgramName } from './shell.js';

export interface Output {
  write(text: string): void;
  /** Output goes to a terminal, which obeys control sequences. */
  readonly is_terminal: boolean;
  /** A person is looking, and escape sequences are welcome: colours, and a line that is written over. */
  readonly is_live: boolean;
  readonly columns: number | undefined;
  /** The words that call this program, for commands to paste. */
  readonly program: string;
}

export interface Terminal {
  readonly out: Output;
  readonly error: Output;
  readonly working_folder: string;
  /** Names this process among others whose lines one log may hold. */
  readonly process: { readonly hostname: string; readonly pid: number };
  /** Calls the listener at every request to stop, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /**
   * Asks the person at the terminal for a line; absent without a terminal.
   * @param question holds no control character
   * @returns undefined where the input ends or Ctrl-C is pressed, which is also a request to stop
   */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Reads standard input to its end; absent where that is a terminal, which shows what is typed. */
  readonly readInput?: () => Promise<string>;
  /** Says that the process will end within seconds, before it opens a database. */
  readonly beBrief?: () => void;
  leave(code: number): void;
}

/** Notifies of Ctrl-C, of a supervisor's signal, and of a closed terminal. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The terminal of a process. Work continues when output can no longer be written. A closed reader is no error. Any
 * other fault is reported once on standard error, and the process ends with its exit code.
 */
export function toTerminal(process: NodeJS.Process): Terminal {
  const leaveFaulty = (): void => void process.once('exit', () => (process.exitCode = EXIT.environment));
  const error = toOutput(process.stderr, process, leaveFaulty);
  const out = toOutput(process.stdout, process, (fault) => {
    leaveFaulty();
    error.write(`chukwa: standard output takes no more (${fault.message}); the rest is not shown\n`);
  });
  return {
    out,
    error,
    working_folder: process.cwd(),
    process: { hostname: hostname(), pid: process.pid },
    onInterrupt(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener);
      };
    },
    ...(process.stdin.isTTY ? {} : { readInput: () => text(process.stdin) }),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: lineAsker(process) } : {}),
    // The embedded database is WebAssembly: in a short process, optimising it takes as much time and memory as all the rest.
    beBrief: () => setFlagsFromString('--liftoff-only'),
    leave: (code) => process.exit(code),
  };
}

/**
 * Asks for lines one by one. Pasted lines are kept for the questions that follow. While a line is edited, the terminal
 * gives Ctrl-C to its reader, who passes it on as a request to stop.
 */
function lineAsker(process: NodeJS.Process): NonNullable<Terminal['ask']> {
  const pasted: string[] = [];
  let lines: Interface | undefined;
  let settle: ((row: string | undefined) => void) | undefined;
  const give = (row: string | undefined): void => {
    const waiting = settle;
    settle = undefined;
    if (waiting) waiting(row);
    else if (row !== undefined) pasted.push(row);
  };
  const open = (): Interface => {
    const opened = createInterface({ input: process.stdin, output: process.stderr });
    opened.on('line', give);
    opened.on('SIGINT', () => opened.close());
    opened.on('close', () => {
      lines = undefined;
      give(undefined);
    });
    return opened;
  };
  return async (question) => {
    const row = pasted.shift();
    if (row !== undefined) return row;
    lines ??= open();
    lines.setPrompt(question);
    const answered = new Promise<string | undefined>((resolve) => {
      settle = resolve;
    });
    lines.prompt();
    const answer = await answered;
    // A paused input keeps no process alive.
    lines?.pause();
    if (answer === undefined) process.kill(process.pid, 'SIGINT');
    return answer;
  };
}

/**
 * Redirects what plugins print by a console to standard error: standard output is for results only.
 * @param console the process's own, which this program does not use
 */
export function keepConsoleOffOutput(console: Console, { stderr }: Pick<NodeJS.Process, 'stderr'>): void {
  Object.assign(console, new Console({ stdout: stderr, stderr }));
}

/** Waits until the output is flushed, however slow the reader is, or the reader is gone. */
export async function flush({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Promise<void> {
  await untilFlushed(stdout);
  // Standard error is last: a fault of standard output is reported there.
  await untilFlushed(stderr);
}

function untilFlushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

/** Whether the folder that the process was started in is still there: without one, no path means anything. */
export function hasWorkingFolder(process: Pick<NodeJS.Process, 'cwd'>): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

function toOutput(stream: NodeJS.WriteStream, process: NodeJS.Process, onFault: (fault: Error) => void): Output {
  const variables = process.env;
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isOpen && error.code !== 'EPIPE') onFault(error);
    isOpen = false;
  });
  const isPlain = (variables['NO_COLOR'] ?? '') !== '' || variables['TERM'] === 'dumb';
  return {
    write(text) {
      if (isOpen) stream.write(text);
    },
    is_terminal: stream.isTTY,
    is_live: stream.isTTY && !isPlain,
    get columns() {
      // A terminal of unknown width says 0.
      return stream.isTTY && stream.columns > 0 ? stream.columns : toColumns(variables['COLUMNS']);
    },
    program: toProgramName(process),
  };
}

/** The reader of a pipe may set its width. */
function toColumns(columns = ''): number | undefined {
  return /^[1-9]\d{0,5}$/.test(columns) ? Number(columns) : undefined;
}
