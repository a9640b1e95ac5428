import { hanging } from './render/line.js';
import { EXIT } from './exit-code.js';
import { printLines } from './session.js';
import type { Terminal } from './terminal.js';

/** A wish to stop, as long as somebody listens for it. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Stops listening. */
  end(): void;
}

/** The first request to stop aborts the signal; the second leaves at once. */
export function listenForInterrupt(terminal: Terminal): Interruption {
  const controller = new AbortController();
  const end = terminal.onInterrupt(() => {
    if (controller.signal.aborted) return terminal.leave(EXIT.interrupted);
    controller.abort();
  });
  return { signal: controller.signal, end };
}

/** Tells, at the first request, that stopping takes its time. */
export function announceStop({ error }: Terminal, { signal }: Interruption): void {
  signal.addEventListener('abort', () =>
    printLines(error, [
      hanging(2, 'Stopping: calls that may change something are waited for. Ask again to leave at once.'),
    ]),
  );
}
