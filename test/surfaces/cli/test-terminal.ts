import type { Output, Terminal } from '../../../engine/surfaces/cli/terminal.js';

/** A terminal that keeps what is written to it. */
export interface TestTerminal extends Terminal {
  out_text(): string;
  error_text(): string;
  /** The questions to the person. */
  readonly asked: readonly string[];
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** The codes with which the process was left at once. */
  readonly left: readonly number[];
}

export interface TestTerminalSettings {
  readonly is_live?: boolean;
  readonly columns?: number;
  readonly working_folder?: string;
  /** The lines that a person at it types; left out, nobody sits at it. */
  readonly types?: readonly string[];
  /** Standard input that is no terminal. */
  readonly readInput?: () => Promise<string>;
  /** Called after each write to standard output. */
  readonly onWrite?: (terminal: TestTerminal) => void;
  /** Called after each write to standard error. */
  readonly onErrorWrite?: (terminal: TestTerminal) => void;
}

/** Opens a terminal: piped unless it is to be live. */
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
    program: 'npx chukwa',
  });
  const asked: string[] = [];
  const typed = [...(settings.types ?? [])];
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    const answer = typed.shift();
    if (answer === undefined) terminal.interrupt();
    return answer;
  };
  const terminal: TestTerminal = {
    ...(settings.types === undefined ? {} : { ask }),
    ...(settings.readInput && { readInput: settings.readInput }),
    asked,
    out: toOutput(out, () => settings.onWrite?.(terminal)),
    error: toOutput(error, () => settings.onErrorWrite?.(terminal)),
    working_folder: settings.working_folder ?? process.cwd(),
    process: { hostname: 'here', pid: 4711 },
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
