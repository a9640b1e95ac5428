import type { Patience } from '../../operations/wait-for-database.js';
import { EXIT } from './exit-code.js';
import { hanging } from './render/line.js';
import { printLines } from './session.js';
import type { Terminal } from './terminal.js';

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
      // Printed after the listener is there: whoever reads of Ctrl-C may press it at once.
      const text = `${message} Waiting ${seconds} s for it at most (--wait); Ctrl-C ends the wait.`;
      printLines(terminal.error, [hanging(2, text)]);
      return { signal: controller.signal, end };
    },
  };
}
