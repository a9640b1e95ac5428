import { listStudiesPart } from '../../operations/studies/show-study.js';
import type { Answers } from '../answers.js';
import { listResource, listView, resource } from '../resource.js';
import { code, facts, failure, linkTo, moment, type RecordView, section, state, table } from '../view.js';
import { costFacts, count } from '../words.js';
import { showStudy } from '../../operations/studies/show-study.js';

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
    empty: 'No study has been run yet: chukwa study run FILE',
  }),
});

export const study = resource({
  path: '/studies/:study_label',
  command: 'study show',
  reader: 'consumer',
  says: 'What a study has found out: its verdicts, its measures by condition, and its runs.',
  gives: 'Study',
  read: (archive, { parameters: { study_label } }) => showStudy(archive, { study_label }),
  view: viewStudy,
});

function viewStudy(shown: Answers['Study']): RecordView {
  const { study_label, question, runs, runs_done, runs_failed, cost } = shown;
  return {
    eyebrow: 'Study',
    title: study_label,
    trail: [{ path: '/studies', command: ['study', 'list'], text: 'Studies' }],
    lede: question,
    sections: [
      section(
        'facts',
        'Facts',
        facts({
          runs: [
            `${runs_done} of ${count(runs.length, 'run')} done`,
            runs_failed > 0 ? [', ', failure(`${runs_failed} failed`)] : null,
          ],
          conditions: shown.conditions.join(', '),
          seeds: shown.seeds,
          sealed: moment(shown.sealed_at),
          hash: code(shown.study_hash.slice(0, 12)),
          ...costFacts(cost),
        }),
      ),
      section(
        'runs',
        'Runs',
        table('Runs', runs, {
          world: ({ world_slug, turn }) => (turn === null ? world_slug : linkTo('world', world_slug)),
          condition: ({ condition }) => condition,
          seed: ({ seed }) => seed,
          state: ({ state: said }) => state(said),
          turn: ({ turn, until_turn }) => (turn === null ? null : `${turn} of ${until_turn}`),
          failure: ({ failure_class }) => failure_class && failure(failure_class),
        }),
      ),
    ],
  };
}
