import type { StudyAuditRequest } from '../../operations/studies/audit-study.js';
import type { StudyRunRequest } from '../../operations/studies/run-study.js';
import type { StudyProgress } from '../../operations/studies/tally.js';
import { openLiveLine, UNSEEN } from './narration.js';
import { EMPTY, faint, hanging, line, strong } from './render/line.js';
import { planLines, progressLines, toProgress } from './render/study.js';
import { printLines, type Session } from './session.js';

export interface StudyNarration {
  readonly begin: StudyRunRequest['onPlan'];
  readonly onPart: StudyAuditRequest['onPart'];
  readonly onProgress: (progress: StudyProgress) => void;
  /** Removes the live line, however the study ended. */
  readonly close: () => void;
}

/** Where a line cannot be written over, so much time is between two. */
const QUIET_MS = 5_000;

/** Says on standard error how a study goes on: a plan, a line for each run that fails, and how far it has come. */
export function openStudyNarration({ terminal, as_json }: Session, signal: AbortSignal): StudyNarration {
  const { error } = terminal;
  const live = openLiveLine(as_json ? UNSEEN : error);
  let last: StudyProgress | undefined;
  let said_at = 0;
  signal.addEventListener('abort', () => {
    live.show();
    printLines(error, [hanging(2, 'Stopping after the calls under way. Ask again to leave at once.')]);
  });
  return {
    begin(plan, { description }) {
      if (!as_json) printLines(error, [planLines(plan), line(faint(`database: ${description}`)), EMPTY]);
      live.show('the first run');
    },
    onPart({ variant, number, count }) {
      const named = variant === undefined ? 'the study as it is written' : `${variant.perturbation} ${variant.name}`;
      last = undefined;
      live.show();
      if (!as_json)
        printLines(error, [
          line(`${number} of ${count}  `, strong(named)),
          variant !== undefined && hanging(2, faint(`  ${variant.says}`)),
        ]);
    },
    onProgress(progress) {
      if (as_json) return;
      last = progress;
      const isDue = Date.now() - said_at >= QUIET_MS || progress.runs_done === progress.runs;
      if (progress.failed !== undefined || (!error.is_live && isDue)) {
        live.show();
        printLines(error, [progressLines(progress)]);
        said_at = Date.now();
      }
      live.show(toProgress(progress));
    },
    close() {
      live.show();
      if (!as_json && error.is_live && last !== undefined)
        printLines(error, [hanging(4, faint(`  ${toProgress(last)}`))]);
    },
  };
}
