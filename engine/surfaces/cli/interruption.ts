import { EXIT } from './exit-code.js';
import type { Terminal } from './terminal.js';
import type { Patience } from '../../operations/wait-for-database.js';
import { hanging } from './render/line.js';
import { printLines } from './session.js';

/**
 * Runs a task. The first request to stop aborts its signal; the second ends the process at once.
 * @param onLeave called before the process ends, to print what is still under way
 */
export async function untilStopped<Value>(
  terminal: Terminal,
  task: (signal: AbortSignal) => Promise<Value>,
  onLeave: () => void = () => {},
): Promise<Value> {
  const controller = new AbortController();
  const end = terminal.onInterrupt(() => {
    if (!controller.signal.aborted) return controller.abort();
    onLeave();
    terminal.leave(EXIT.interrupted);
  });
  return task(controller.signal).finally(end);
}

/** Waits for so many seconds, says so once on standard error, and ends early where a person interrupts it. */
export function toPatience(terminal: Terminal, seconds: number): Patience {
  return {
    for_ms: seconds * 1000,
    onWait: ({ message }) => {
      const controller = new AbortController();
      const end = terminal.onInterrupt(() => {
        controller.abort();
        // Nothing is under way yet, so the process may end.
        terminal.leave(EXIT.interrupted);
      });
      // Printed after the listener is there: a reader of the message may press Ctrl-C at once.
      const text = `${message} Waiting ${seconds} s for it at most (--wait); Ctrl-C ends the wait.`;
      printLines(terminal.error, [hanging(2, text)]);
      return { signal: controller.signal, end };
    },
  };
}
