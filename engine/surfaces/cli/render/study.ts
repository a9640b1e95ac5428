import { toFigure, toRange } from '../../../catalogue/interval-scale.js';
import type { AuditedVariant, AuditReport } from '../../../operations/studies/audit-study.js';
import type { StudyExport } from '../../../operations/studies/export-study.js';
import type { StudyPlan } from '../../../operations/studies/plan-study.js';
import type { StudyReport } from '../../../operations/studies/run-study.js';
import type { StudyProgress } from '../../../operations/studies/tally.js';
import { count, toDollars, toDuration, toThousands, words } from '../../../catalogue/words.js';
import { factLines } from './block.js';
import { estimateLines } from './estimate.js';
import { bad, command, EMPTY, faint, hanging, line, type Line, type Lines, strong } from './line.js';
import { tableLines } from './table.js';

/** What a study will run, and what that will use and cost. */
export function planLines(plan: StudyPlan): Lines {
  const { study_label, question, conditions, seeds, runs, runs_done, turns, turns_left, estimate } = plan;
  const shared =
    plan.shared_worlds === 0
      ? ''
      : `, ${plan.shared_turns} of them in ${count(plan.shared_worlds, 'world')} that conditions share; without, there would be ${turns + plan.turns_saved}`;
  return [
    line(strong(`study ${study_label}`), `  ${question}`),
    factLines([
      ['conditions', conditions.join(', ')],
      ['runs', `${runs}: ${count(conditions.length, 'condition')} by ${count(seeds, 'seed')}${doneOf(runs_done)}`],
      ['probes', plan.probes === 0 ? '' : plan.probes],
      ['turns', `${turns}${shared}`],
    ]),
    EMPTY,
    turns_left === 0
      ? line('Nothing is left to run.')
      : estimateLines({ ...estimate, world_slug: `study ${study_label}`, turns: turns_left }),
  ];
}

function doneOf(runs_done: number): string {
  return runs_done === 0 ? '' : `, ${runs_done} of them done`;
}

/** How far a study has come, and the run that has just failed. */
export function progressLines({ failed, ...progress }: StudyProgress): Lines {
  const why = failed && [bad('failed'), `  ${failed.world_slug}  ${failed.because.code}: ${failed.because.message}`];
  return [why !== undefined && hanging(4, '  ', ...why), hanging(4, faint(`  ${toProgress(progress)}`))];
}

/** Runs, tokens, money, and how long the rest will take. */
export function toProgress(progress: Omit<StudyProgress, 'failed'>): string {
  const { runs, runs_done, runs_failed, tokens, usd, left_ms } = progress;
  const money = toDollars(usd);
  return [
    `${runs_done} of ${count(runs, 'run')} done`,
    ...(runs_failed === 0 ? [] : [`${runs_failed} failed`]),
    `${toThousands(tokens)} tokens`,
    ...(money === null ? [] : [money]),
    ...(left_ms === null || left_ms === 0 ? [] : [`about ${toDuration(left_ms)} left`]),
  ].join(' · ');
}

/** What is left of a study, and what to do about it. */
export function leftLines({ left, turns_played }: StudyReport, rerun: readonly string[]): Lines {
  const rows: readonly Line[] = [
    left.failed > 0 &&
      line(bad(`${count(left.failed, 'world')} failed. `), 'The next run of the study tries them again.'),
    left.waits > 0 && line(`${count(left.waits, 'world')} wait for an answer from outside: `, command('approvals')),
    left.elsewhere > 0 && line(`${count(left.elsewhere, 'world')} are played by other processes.`),
    left.stopped + left.unbegun > 0 &&
      line(`${count(left.stopped + left.unbegun, 'world')} were not played to their end.`),
  ].filter((row) => row !== false);
  return [
    line(faint(`${count(turns_played, 'turn')} played now`)),
    rows,
    rows.length > 0 && hanging(2, 'To go on where it was: ', command(...rerun)),
  ];
}

/** How far each variant moves each measure, and which verdicts it changes. */
export function auditLines({ study_label, seeds, variants, untried }: AuditReport): Lines {
  const changed = variants.flatMap(({ perturbation, name, verdicts }) =>
    verdicts
      .filter(({ before, after }) => before !== after)
      .map((one) => ({ ...one, variant: `${perturbation} ${name}` })),
  );
  return [
    line(strong(`audit of ${study_label}`), `  ${count(variants.length, 'variant')} on ${count(seeds, 'seed')}`),
    EMPTY,
    tableLines(variants.flatMap(toMoveRows), {
      variant: ({ variant }) => variant,
      measure: ({ measure }) => measure,
      moves: ({ difference }) => (difference === null ? '' : toFigure(difference)),
      '95 % interval': ({ interval }) => toRange(interval),
      'most in': ({ most }) => most,
      failed: ({ failed }) => (failed === 0 ? '' : failed),
    }),
    EMPTY,
    changed.length === 0
      ? line('No verdict changes.')
      : changed.map(({ hypothesis, before, after, variant }) =>
          hanging(2, bad(`${hypothesis} changes`), ` from ${words(before)} to ${words(after)} with ${variant}.`),
        ),
    untried.length > 0 &&
      hanging(
        2,
        `Nothing to try of ${untried.join(', ')}${untried.includes('model') ? ': name models with --other-models' : ''}.`,
      ),
  ];
}

/** A row for each measure, with the condition that moves most. */
function toMoveRows({ perturbation, name, moves, runs_failed }: AuditedVariant) {
  return moves
    .filter(({ condition }) => condition === null)
    .map(({ measure, difference, interval }) => {
      const ofConditions = moves.filter((move) => move.measure === measure && move.condition !== null);
      const [most] = ofConditions.toSorted(
        (one, other) => Math.abs(other.difference ?? 0) - Math.abs(one.difference ?? 0),
      );
      const shown =
        most === undefined || most.difference === null ? '' : `${most.condition} ${toFigure(most.difference)}`;
      return { variant: `${perturbation} ${name}`, measure, difference, interval, most: shown, failed: runs_failed };
    });
}

/** Where a study was written, and which files. */
export function exportLines({ study_label, folder, files, runs, runs_done, runs_failed }: StudyExport): Lines {
  const failed = runs_failed === 0 ? '' : `, ${runs_failed} failed`;
  return [
    line(`${study_label}: ${runs_done} of ${count(runs, 'run')} done${failed}`),
    hanging(2, `Wrote ${files.join(', ')} into ${folder}.`),
  ];
}
