import { EXIT } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** A request to stop, as long as it is listened for. */
interface Interruption {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The first request to stop aborts the signal; the second ends the process at once.
 * @param onLeave called before the process ends, to print what is still under way
 */
export function listenForInterrupt(terminal: Terminal, onLeave: () => void = () => {}): Interruption {
  const controller = new AbortController();
  const end = terminal.onInterrupt(() => {
    if (!controller.signal.aborted) return controller.abort();
    onLeave();
    terminal.leave(EXIT.interrupted);
  });
  return { signal: controller.signal, end };
}
