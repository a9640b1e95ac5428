import type { RunReport } from '../../operations/running/run-turns.js';
import type { OnProgress } from '../../runtime/progress.js';
import { estimateLines } from './render/estimate.js';
import { EMPTY, hanging, type Lines } from './render/line.js';
import { endingLines, type RunTitle, titleLines } from './render/run.js';
import { type Story, narrate, STORY_BEGINNING, waitingFor } from './render/story.js';
import { printLines, type Session } from './session.js';
import type { Output } from './terminal.js';
import { neutralise } from './render/neutralise.js';
import { toDuration } from '../../catalogue/words.js';

export interface Narration {
  readonly onProgress: OnProgress;
  wait(what: string): void;
  begin(title: RunTitle): void;
  /** Says that stopping takes a while. */
  announceStop(): void;
  end(report: RunReport): void;
  /** Removes the live line, however the run ended. */
  close(): void;
}

const STOPPING = hanging(2, 'Stopping after calls with side effects have ended. Ask again to leave at once.');

/** Opens a narration on standard output; with `--json` it prints nothing there. */
export function openNarration({ terminal, as_json }: Session): Narration {
  const live = openLiveLine(as_json ? UNSEEN : terminal.out);
  let story: Story = STORY_BEGINNING;
  const print = (lines: Lines): void => {
    live.show();
    if (!as_json) printLines(terminal.out, lines);
  };
  return {
    onProgress(progress) {
      const narrated = narrate(story, progress);
      story = narrated.story;
      print(narrated.lines);
      live.show(waitingFor(story));
    },
    wait: (what) => live.show(what),
    begin(title) {
      const { database, has_stand_in, rerun } = title;
      story = { ...story, is_kept: database.is_kept, has_stand_in, rerun };
      print(titleLines(title));
      if (title.news?.estimate && !as_json) printLines(terminal.error, [EMPTY, estimateLines(title.news.estimate)]);
    },
    announceStop() {
      live.show();
      printLines(terminal.error, [STOPPING]);
    },
    end: (report) => print(endingLines(report, story)),
    close: () => live.show(),
  };
}

/** Shows nothing. */
export const UNSEEN: Output = { write: () => {}, is_terminal: false, is_live: false, columns: undefined, program: '' };

/** One line at the foot of a terminal that names the calls under way, written over and over. */
export interface LiveLine {
  /** Shows the calls under way from now on; nothing when left out. */
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
