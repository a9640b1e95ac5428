import type { RunReport } from '../../operations/run-turns.js';
import type { OnProgress } from '../../runtime/progress.js';
import { openLiveLine } from './live-line.js';
import type { Line } from './render/line.js';
import { endingLines, type RunTitle, titleLines } from './render/run.js';
import { type Story, tell, UNTOLD, waitingFor } from './render/story.js';
import { printLines, type Session } from './session.js';

/** Tells a run while it happens. */
export interface Narration {
  readonly onProgress: OnProgress;
  wait(what: string): void;
  begin(title: RunTitle): void;
  end(report: RunReport): void;
  /** Takes the live line away, however the run ended. */
  close(): void;
}

const IN_MEMORY = /\bmemory\b/;

const SILENT: Narration = { onProgress: () => {}, wait: () => {}, begin: () => {}, end: () => {}, close: () => {} };

/** Opens a narration on standard output; with `--json` it says nothing. */
export function openNarration({ terminal, as_json }: Session): Narration {
  if (as_json) return SILENT;
  const live = openLiveLine(terminal.out);
  let story: Story = UNTOLD;
  let database = '';
  const print = (lines: readonly Line[]): void => {
    live.show();
    printLines(terminal.out, lines);
  };
  return {
    onProgress(progress) {
      const told = tell(story, progress);
      story = told.story;
      print(told.lines);
      live.show(waitingFor(story));
    },
    wait: (what) => live.show(what),
    begin(title) {
      database = title.database;
      print(titleLines(title));
    },
    end: (report) => print(endingLines(report, story, !IN_MEMORY.test(database))),
    close: () => live.show(),
  };
}
