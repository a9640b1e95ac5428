import { succeed } from '../../../contract/problem.js';
import { Argument } from 'commander';
import { findTriedSource, tryModel } from '../../../operations/model-try/index.js';
import { CONNECTION, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { diagnosisLines } from '../render/diagnoses.js';
import { line } from '../render/line.js';
import { modelTrialLines } from '../render/model-trial.js';
import { answer, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

/** A source that has to be changed is refused; an unreachable model is no fault of its document. */
const TRIAL_CODES = {
  as_written: EXIT.done,
  with_changes: EXIT.refused,
  in_part: EXIT.refused,
  not: EXIT.environment,
  busy: EXIT.environment,
  over_budget: EXIT.environment,
} as const;

export const models: readonly CommandEntry[] = [
  { name: 'model', says: 'Models: try one.' },
  {
    name: 'model try',
    says: 'Ask a model three small questions, and print the settings with which it answers them.',
    takes: [new Argument('<source>', 'the file of a source, or the hash of a stored one'), CONNECTION, ROOT],
    async run(session, name: string, options: RootOptions & { readonly connection?: string }) {
      const { composition } = session;
      const trial = await composition.withSources(async (sources) => {
        const source = await findTriedSource(composition, sources.authoring, name, toPlace(session, options));
        if (!source.ok) return source;
        return sources.withinDay((callSource) =>
          tryModel({ ...sources, callSource }, source.value, options.connection),
        );
      });
      const code = answer(session, trial, { lines: modelTrialLines });
      return trial.ok ? TRIAL_CODES[trial.value.works] : code;
    },
  },
];

export const migrate: CommandEntry = {
  name: 'migrate',
  says: 'Bring the database up to date; every other command does so as well.',
  async run(session) {
    const migrated = await withEngine(session, async ({ store: { database } }) =>
      succeed({ database: database.description, applied: await database.migrate() }),
    );
    return answer(session, migrated, {
      lines: ({ database, applied }) => [
        line(`database: ${database}`),
        ...(applied.length === 0 ? [line('up to date')] : applied.map((name) => line(`applied ${name}`))),
      ],
    });
  },
};

export const doctor: CommandEntry = {
  name: 'doctor',
  says: 'Show what is configured, reachable and missing.',
  takes: [new Argument('[slug]', 'a world: also checks what this world needs, including its toys')],
  async run(session, slug: string | undefined) {
    const diagnoses = await session.composition.diagnose(slug);
    const ok = diagnoses.every(({ state }) => state !== 'broken');
    answer(session, succeed(diagnoses), { json: () => ({ ok, diagnoses }), lines: diagnosisLines });
    return ok ? EXIT.done : EXIT.environment;
  },
};
