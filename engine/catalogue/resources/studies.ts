import { listStudiesPart, showStudy, type ShownRun, type StudyPage } from '../../operations/studies/show-study.js';
import { type IntervalPlot, toBars, toFigure, toRange } from '../interval-scale.js';
import { listResource, listView, resource } from '../resource.js';
import {
  type Block,
  code,
  type Columns,
  exact,
  extra,
  facts,
  failure,
  linkTo,
  list,
  moment,
  note,
  outcome,
  picture,
  prose,
  type RecordView,
  section,
  state,
  strong,
  table,
} from '../view.js';
import { costFacts, count, words } from '../words.js';

export const studyList = listResource({
  path: '/studies',
  command: 'study list',
  reader: 'consumer',
  says: 'Studies by label, with how many of their runs are done.',
  gives: 'Studies',
  cursor: 'name',
  keyOf: ({ study_label }) => study_label,
  read: (archive, _asked, part) => listStudiesPart(archive, part),
  view: listView<'Studies'>({
    about: () => ({ title: 'Studies' }),
    order: 'By label',
    columns: {
      study: ({ study_label }) => linkTo('study', study_label),
      question: ({ question }) => question,
      'runs done': ({ runs, runs_done }) => `${runs_done} of ${runs}`,
      'sealed (UTC)': ({ sealed_at }) => moment(sealed_at),
    },
    empty: 'No study has been run yet.',
  }),
});

export const study = resource({
  path: '/studies/:study_label',
  command: 'study show',
  reader: 'consumer',
  says: 'What a study has found out: its verdicts, its measures by condition, and its runs.',
  gives: 'Study',
  extras: { runs: 'list every run, with the world of each' },
  read: (archive, { parameters: { study_label } }) => showStudy(archive, { study_label }),
  view: viewStudy,
});

function viewStudy(shown: StudyPage): RecordView {
  const { study_label, question, description, runs, measures, hypotheses } = shown;
  return {
    eyebrow: 'Study',
    title: study_label,
    trail: [{ path: '/studies', command: ['study', 'list'], text: 'Studies' }],
    lede: question,
    sections: [
      outcome('verdicts', 'Verdicts', hypotheses.length > 0 && list(hypotheses.map(drawVerdict))),
      section('facts', 'Facts', description !== null && prose(description), facts(factsOf(shown))),
      section(
        'measures',
        'Measures by condition',
        table('Measures by condition', measures, MEASURES),
        drawPlots(plotMeasures(measures)),
      ),
      section('differences', 'Differences, seed by seed', drawPlots(hypotheses.map(plotDifferences))),
      section(
        'failed',
        'Runs that failed',
        table(
          'Runs that failed',
          runs.filter((run) => run.state === 'failed'),
          RUNS,
        ),
      ),
      extra('runs', 'Runs', table('Runs', runs, { ...RUNS, ...valueColumns(shown) })),
    ],
  };
}

function factsOf({ runs, runs_done, runs_failed, conditions, seeds, answered_by, ...shown }: StudyPage) {
  const { sealed_at, study_hash, cost } = shown;
  const left = runs.length - runs_done - runs_failed;
  return {
    runs: [
      `${runs_done} of ${count(runs.length, 'run')} done`,
      runs_failed > 0 ? [', ', failure(`${runs_failed} failed`)] : null,
      left > 0 ? `, ${left} not ended` : null,
    ],
    conditions: conditions.join(', '),
    seeds,
    'answered by': answered_by,
    sealed: moment(sealed_at),
    hash: code(study_hash.slice(0, 12)),
    ...costFacts(cost),
  };
}

const TONES = { supported: 'succeeded', not_supported: 'failed', undecided: 'waits' } as const;

function drawVerdict({ hypothesis, says, verdict, n, because, ...found }: StudyPage['hypotheses'][number]) {
  const { left_out, caution, measure, compare, difference, interval, confidence } = found;
  const sides = compare.map((side) => Object.values(side).join(' and '));
  return [
    note(strong(`${hypothesis}: `), says),
    note(
      state(words(verdict), TONES[verdict]),
      ` with ${count(n, 'seed')}. `,
      because,
      caution === null ? '' : ` ${caution}`,
    ),
    facts({
      difference: difference === null ? null : `${toFigure(difference)} in ${measure}, ${sides.join(' less ')}`,
      [`${toFigure(100 * confidence)} % interval`]: toRange(interval),
      'left out': left_out === 0 ? null : `${count(left_out, 'seed')}, of which a run has failed or measured nothing`,
    }),
  ];
}

const MEASURES: Columns<StudyPage['measures'][number]> = {
  condition: ({ condition }) => condition,
  measure: ({ measure }) => measure,
  n: ({ n }) => n,
  failed: ({ failed }) => (failed === 0 ? null : failed),
  'nothing measured': ({ empty }) => (empty === 0 ? null : empty),
  mean: ({ mean }) => (mean === null ? null : toFigure(mean)),
  '95 % interval': ({ interval }) => toRange(interval),
};

const RUNS: Columns<ShownRun> = {
  world: ({ world_slug, turn }) => (turn === null ? world_slug : linkTo('world', world_slug)),
  condition: ({ condition }) => condition,
  seed: ({ seed }) => seed,
  state: ({ state: said }) => state(said, said === 'done' ? 'committed' : said),
  turn: ({ turn, until_turn }) => (turn === null ? null : `${turn} of ${until_turn}`),
  failure: ({ failure_class }) => failure_class && failure(failure_class),
};

/** A column for each measure. */
function valueColumns({ measures }: StudyPage): Columns<ShownRun> {
  const names = [...new Set(measures.map(({ measure }) => measure))];
  const valueOf =
    (name: string) =>
    ({ values }: ShownRun) => {
      const value = values[name] ?? null;
      return value === null ? null : toFigure(value);
    };
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** A plot for each measure, with a row for each condition that has a mean. */
function plotMeasures(measures: StudyPage['measures']): readonly IntervalPlot[] {
  return [...new Set(measures.map(({ measure }) => measure))].map((title) => ({
    title,
    has_zero: false,
    rows: measures.flatMap(({ measure, condition: label, mean, interval, n }) =>
      measure === title && mean !== null ? [{ label, mean, interval, n }] : [],
    ),
  }));
}

function plotDifferences({
  hypothesis,
  says,
  difference,
  interval,
  n,
  pairs,
}: StudyPage['hypotheses'][number]): IntervalPlot {
  const values = pairs.map((pair) => pair.difference);
  const rows = difference === null ? [] : [{ label: hypothesis, mean: difference, interval, n, values }];
  return { title: says, has_zero: true, rows };
}

/** A page draws them, and a terminal prints bars. */
function drawPlots(plots: readonly IntervalPlot[]): Block | false {
  const drawn = plots.filter(({ rows }) => rows.length > 0);
  return (
    drawn.length > 0 &&
    picture({ of: 'intervals', shown: drawn }, ...drawn.map((plot) => [note(plot.title), exact(toBars(plot))]))
  );
}
