import type { Output, Terminal } from '../../../engine/surfaces/cli/terminal.js';

/** A terminal that keeps what is written to it. */
export interface TestTerminal extends Terminal {
  out_text(): string;
  error_text(): string;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** The codes with which the process was left at once. */
  readonly left: readonly number[];
}

export interface TestTerminalSettings {
  readonly is_live?: boolean;
  readonly columns?: number;
  readonly working_folder?: string;
  /** Told of each write to standard output, after it. */
  readonly onWrite?: (terminal: TestTerminal) => void;
}

/** Opens a terminal: piped unless it is said to be live. */
export function openTestTerminal(settings: TestTerminalSettings = {}): TestTerminal {
  const out: string[] = [];
  const error: string[] = [];
  const listeners = new Set<() => void>();
  const left: number[] = [];
  const toOutput = (texts: string[], written: () => void): Output => ({
    write(text) {
      texts.push(text);
      written();
    },
    is_terminal: settings.is_live ?? false,
    is_live: settings.is_live ?? false,
    columns: settings.columns,
  });
  const terminal: TestTerminal = {
    out: toOutput(out, () => settings.onWrite?.(terminal)),
    error: toOutput(error, () => {}),
    working_folder: settings.working_folder ?? process.cwd(),
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave: (code) => void left.push(code),
    out_text: () => out.join(''),
    error_text: () => error.join(''),
    interrupt: () => listeners.forEach((listener) => listener()),
    left,
  };
  return terminal;
}
