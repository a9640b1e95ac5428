import type { Outcome, Problem } from '../../contract/problem.js';
import type { RunReport } from '../../operations/running/run-turns.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { untilStopped } from './interruption.js';
import { type Narration, openNarration } from './narration.js';
import { problemLines } from './render/problems.js';
import { printJson, printLines, printRefused, type Session } from './session.js';

interface Audience {
  readonly signal: AbortSignal;
  readonly narration: Narration;
}

/** Runs turns, prints progress for a person or a program, stops on request, and ends with a report. */
export function playTurns(
  session: Session,
  run: (audience: Audience) => Promise<Outcome<RunReport>>,
): Promise<ExitCode> {
  return untilStopped(session.terminal, async (signal) => {
    const narration = openNarration(session);
    signal.addEventListener('abort', () => narration.announceStop());
    narration.wait('opening the database');
    const done = await run({ signal, narration }).finally(() => narration.close());
    const code = done.ok ? report(session, narration, done.value) : printRefused(session, done);
    return signal.aborted ? EXIT.interrupted : code;
  });
}

/** Standard output has the run's report; standard error gets the commands that follow. */
function printProblems({ terminal }: Session, problems: readonly Problem[]): ExitCode {
  printLines(terminal.error, problemLines(problems));
  return EXIT.refused;
}

function report(session: Session, narration: Narration, run: RunReport): ExitCode {
  if (session.as_json) printJson(session.terminal, run);
  else narration.end(run);
  const missing = run.dry_run?.missing_answers ?? [];
  if (missing.length > 0) return printProblems(session, missing);
  if (run.turns.at(-1)?.status === 'suspended') return EXIT.suspended;
  // A failed turn that was tried anew has another report after it.
  const last = run.turns.at(-1);
  return last === undefined || last.status === 'committed' ? EXIT.done : EXIT.attempt_failed;
}
