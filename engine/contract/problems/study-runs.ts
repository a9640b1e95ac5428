import { content, environment, unknown } from './entry.js';
import { type KnownNames, meant } from './phrases.js';

const ANOTHER_LABEL =
  'Give the study another label, which is another study; or put the old files back, and it goes on where it was.';

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
  STUDY_CHANGED: content({
    meaning: 'The documents of a study have changed after its first run, so that its runs could not be compared.',
    message: ({ label, sealed_at, changed }) =>
      `The study ${label} was sealed at ${sealed_at}, before its first run, and since then ${changed.join(', ')} changed.`,
    repair: ANOTHER_LABEL,
    example: {
      label: 'public-goods',
      sealed_at: '2026-05-01T09:00:00.000Z',
      changed: ['"measures" of its document', 'the scenario of community'],
    },
  }),
  STUDY_WORLDS_TAKEN: content({
    message: ({ label, worlds }) =>
      `The study ${label} would make worlds that are there already: ${worlds.join(', ')}.`,
    repair: ({ worlds }) => `Give the study another label; or delete them: chukwa world delete ${worlds[0]}`,
    example: { label: 'public-goods', worlds: ['public-goods-community-s1'] },
  }),
  STUDY_WORLD_CHANGED: environment({
    message: ({ world_slug }) => `The world ${world_slug} goes on by another scenario than its study began with.`,
    repair: ({ world_slug }) =>
      `It does not count any more. Delete it, and the study makes it anew: chukwa world delete ${world_slug}`,
    example: { world_slug: 'public-goods-community-s1' },
  }),
};
