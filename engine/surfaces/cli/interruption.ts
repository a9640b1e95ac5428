import { EXIT } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** A wish to stop, as long as somebody listens for it. */
export interface Interruption {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The first request to stop aborts the signal; the second leaves at once.
 * @param onLeave called before, for last words
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
