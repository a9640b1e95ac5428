import { content, environment, unknown } from './entry.js';
import { type KnownNames, meant } from './phrases.js';

/** Who was sealed as answering the calls of a study, and who would answer them now. */
export interface OtherAnswers {
  readonly before: string;
  readonly now: string;
}

/** Studies that cannot be run, or are not there. */
export const STUDY_RUN_PROBLEMS = {
  NO_STUDY: content({
    message: ({ path, count }) =>
      `There ${count === 1 ? 'is 1 study' : `are ${count} studies`} in ${path}, and one is wanted.`,
    repair: 'Name the file of one study, such as workflows/public-goods/study.json.',
    example: { path: 'workflows/park', count: 0 },
  }),
  STUDY_UNKNOWN: unknown<KnownNames & { readonly label: string }>({
    message: ({ label }) => `No study ${JSON.stringify(label)} has been run.`,
    repair: ({ nearest, known }) =>
      known.length === 0 ? 'Run one: chukwa study run FILE' : `${meant(nearest)}See chukwa study list.`,
    example: { label: 'public-godos', nearest: 'public-goods', known: ['public-goods'] },
  }),
  STUDY_CHANGED: content<{
    readonly label: string;
    readonly sealed_at: string;
    readonly changed: readonly string[];
    readonly answered: OtherAnswers | null;
  }>({
    meaning: "The study's documents, or who answers its calls, have changed since its first run.",
    message: ({ label, sealed_at, changed, answered }) => {
      const since = changed.length === 0 ? '' : `, and since then ${changed.join(', ')} changed`;
      const others = answered ? ` It was answered by ${answered.before}, and would now be by ${answered.now}.` : '';
      return `The study ${label} was sealed at ${sealed_at}, before its first run${since}.${others}`;
    },
    repair: ({ changed, answered }) => {
      const undone = [
        ...(changed.length > 0 ? ['put the old files back'] : []),
        ...(answered ? [`have it answered by ${answered.before} again`] : []),
      ];
      return `Give the study another label, which is another study; or ${undone.join(' and ')}, and it goes on where it was.`;
    },
    example: {
      label: 'public-goods',
      sealed_at: '2026-05-01T09:00:00.000Z',
      changed: ['"measures" of its document', 'the scenario of community'],
      answered: { before: 'scripted (public-goods, 3f2a91c07be4)', now: 'models (gpt-4.1-mini)' },
    },
  }),
  STUDY_WORLDS_TAKEN: content({
    meaning: 'Worlds of these names exist.',
    message: ({ label, worlds }) =>
      `The study ${label} would make worlds that are there already: ${worlds.join(', ')}.`,
    repair: ({ worlds }) => `Give the study another label; or delete them: chukwa world delete ${worlds[0]}`,
    example: { label: 'public-goods', worlds: ['public-goods-community-s1'] },
  }),
  STUDY_WORLD_CHANGED: environment({
    meaning: 'A world of the study goes on by another scenario.',
    message: ({ world_slug }) => `The world ${world_slug} goes on by another scenario than its study began with.`,
    repair: ({ world_slug }) =>
      `It does not count any more. Delete it, and the study makes it anew: chukwa world delete ${world_slug}`,
    example: { world_slug: 'public-goods-community-s1' },
  }),
};
