/** Shows the current step on one line that is overwritten; silent without a terminal. */
export interface ProgressLine {
  say(text: string): void;
  end(): void;
}

/** A progress line on standard error, where that is a terminal. */
export function openProgressLine(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): ProgressLine {
  const write = (text: string): void => {
    if (output.isTTY) output.write(`\r\u001B[K${text}`);
  };
  return { say: (text) => write(`${text} ...`), end: () => write('') };
}
