/** One of the streams of a terminal. */
export interface Output {
  write(text: string): void;
  /** What is written goes to a terminal, which obeys what it is sent. */
  readonly is_terminal: boolean;
  /** A person is looking, and escape sequences are welcome: colours, and a line that is written over. */
  readonly is_live: boolean;
  readonly columns: number | undefined;
}

/** What the command line needs of the process that it runs in. */
export interface Terminal {
  readonly out: Output;
  readonly error: Output;
  readonly working_folder: string;
  /** Calls the listener at every request to stop, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Leaves at once, whatever is under way. */
  leave(code: number): void;
}

/** Ctrl-C, a supervisor, and a terminal that goes away. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The terminal of a process. A reader that goes away is no error: what is written from then on is dropped. */
export function toTerminal(process: NodeJS.Process): Terminal {
  return {
    out: toOutput(process.stdout, process.env),
    error: toOutput(process.stderr, process.env),
    working_folder: process.cwd(),
    onInterrupt(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener);
      };
    },
    leave: (code) => process.exit(code),
  };
}

function toOutput(stream: NodeJS.WriteStream, variables: NodeJS.ProcessEnv): Output {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
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
      return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
    },
  };
}
