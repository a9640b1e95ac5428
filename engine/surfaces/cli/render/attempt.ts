import type { AttemptRecord, AttemptSummary } from '../../../ports/records.js';
import { isUndriven } from '../../../core/protocol/work-state.js';
import type { ShownAttempt, WorldAttempts } from '../../../operations/browse/records.js';
import { attempt as declared, toAttemptPage } from '../../../catalogue/resources/attempt.js';
import { attemptColumns } from '../../../catalogue/tables.js';
import { table } from '../../../catalogue/view.js';
import { asOperator } from '../resource-command.js';
import { awaitedLines, doubtLines } from './open-call.js';
import { EMPTY, line, type Lines } from './line.js';
import { queueLines } from './queue.js';
import { blockLines, viewLines } from './view.js';
import { waysToRun } from './ways-to-run.js';

/** One attempt, and the commands by which a person decides what it waits for. @param wanted as `viewLines` takes it */
export function attemptLines(attempt: ShownAttempt, ...wanted: readonly string[]): Lines {
  const { failure_class, attempted_turn } = attempt;
  return [
    viewLines(declared.view(toAttemptPage(attempt), asOperator()), ...wanted),
    undrivenLines([attempt]),
    failure_class !== null && [EMPTY, line(`The world stayed at turn ${attempted_turn - 1}.`), doubtLines(attempt)],
    waitingLines(attempt),
  ];
}

export function attemptListLines({ world_slug, attempts, is_filtered, ...queue }: WorldAttempts): Lines {
  const queued = queueLines(world_slug, queue);
  if (attempts.length === 0 && is_filtered) return [line(`No attempt of ${world_slug} fits.`)];
  if (attempts.length > 0)
    return [blockLines(table(attempts, attemptColumns, '')), undrivenLines(attempts), queued && [EMPTY, queued]];
  if (queued) return [line(`No turn of ${world_slug} has been tried yet.`), queued];
  return [line(`No turn of ${world_slug} has been tried. Try one:`), waysToRun(world_slug)];
}

function undrivenLines(attempts: readonly AttemptSummary[]): Lines {
  return attempts
    .filter(isUndriven)
    .flatMap(({ world_slug, attempted_turn }) => [
      EMPTY,
      line(`The driver of turn ${attempted_turn} is gone. The next run resumes its attempt:`),
      waysToRun(world_slug),
    ]);
}

/** Only for a suspended attempt: the calls of a running one belong to its driver. */
function waitingLines({ status, world_slug, attempt_id, awaited, approvals }: AttemptRecord): Lines {
  const unapproved = approvals.filter((asked) => asked.status === 'waiting');
  if (status !== 'suspended') return [];
  return [
    EMPTY,
    awaitedLines(attempt_id, { awaited, unapproved }),
    line('Then a running worker or serve resumes it, and so does a run:'),
    waysToRun(world_slug),
  ];
}
