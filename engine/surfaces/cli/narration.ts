import type { RunReport } from '../../operations/run-turns.js';
import type { OnProgress } from '../../runtime/progress.js';
import { openLiveLine } from './live-line.js';
import { hanging, type Line } from './render/line.js';
import { endingLines, type RunTitle, titleLines } from './render/run.js';
import { type Story, tell, UNTOLD, waitingFor } from './render/story.js';
import { printLines, type Session } from './session.js';
import type { Output } from './terminal.js';

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

const STOPPING = hanging(2, 'Stopping: calls with side effects are waited for. Ask again to leave at once.');

/** Opens a narration on standard output; with `--json` it prints nothing there. */
export function openNarration({ terminal, as_json }: Session): Narration {
  const live = openLiveLine(as_json ? UNSEEN : terminal.out);
  let story: Story = UNTOLD;
  const print = (lines: readonly Line[]): void => {
    live.show();
    if (!as_json) printLines(terminal.out, lines);
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
      const { database, has_stand_in, rerun } = title;
      story = { ...story, is_kept: database.is_kept, has_stand_in, rerun };
      print(titleLines(title));
    },
    announceStop() {
      live.show();
      printLines(terminal.error, [STOPPING]);
    },
    end: (report) => print(endingLines(report, story)),
    close: () => live.show(),
  };
}

const UNSEEN: Output = { write: () => {}, is_terminal: false, is_live: false, columns: undefined, program: '' };
