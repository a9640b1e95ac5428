import { neutralise } from './render/neutralise.js';
import { toDuration } from './render/words.js';
import type { Output } from './terminal.js';

/** One line at the foot of a terminal that says what is being waited for, written over and over. */
interface LiveLine {
  /** Shows what is being waited for, from now on; nothing when left out. */
  show(what?: string): void;
}

const TICK_MS = 250;
/** A shorter wait is not shown. */
const PATIENCE_MS = 150;
const ERASE = '\r\u001b[2K';

/** Opens the line; it shows nothing where the output is not a live terminal. */
export function openLiveLine(output: Output): LiveLine {
  if (!output.is_live) return { show: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let isShown = false;
  const write = (text: string): void => {
    output.write(
      `${ERASE}\u001b[2m${Array.from(neutralise(text))
        .slice(0, (output.columns ?? 80) - 1)
        .join('')}\u001b[22m`,
    );
    isShown = true;
  };
  const clear = (): void => {
    clearInterval(timer);
    if (isShown) output.write(ERASE);
    isShown = false;
  };
  return {
    show(what) {
      clear();
      if (what === undefined) return;
      const since = Date.now();
      timer = setInterval(() => {
        const elapsed = Date.now() - since;
        if (elapsed >= PATIENCE_MS) write(`  ... ${what} (${toDuration(elapsed)})`);
      }, TICK_MS);
      timer.unref();
    },
  };
}
