import type { ModelTrial, QuestionName, Try } from '../../../operations/model-try/index.js';
import { bad, EMPTY, faint, good, hanging, type Line, line, type Lines, strong } from './line.js';

/** The outcome of a model trial: each question, its answers, and the settings to write. */
export function modelTrialLines(trial: ModelTrial): Lines {
  const { label, model, origin, questions } = trial;
  return [
    line(strong(model ?? 'no model'), ` at ${origin ?? 'no endpoint'}, by the source ${label}`),
    questions.flatMap(({ question, tries }) => [
      EMPTY,
      line(strong(question), faint(`  ${ASKED[question]}`)),
      ...tries.map(tryLine),
    ]),
    EMPTY,
    verdictLines(trial),
  ];
}

const ASKED: Readonly<Record<QuestionName, string>> = {
  plain: 'a single word',
  schema: 'a patch, by the schema that a turn asks for',
  long: 'the whole numbers from 1 to 400',
};

function tryLine({ changes, is_good, looked_like }: Try): Line {
  const how = Object.keys(changes).length === 0 ? 'as it is written' : `with ${writeChanges(changes)}`;
  return hanging(4, '  ', is_good ? good('good') : bad('bad'), `, ${how}: ${looked_like}`);
}

type Verdict = Pick<ModelTrial, 'works' | 'changes' | 'retry_after_ms' | 'questions'>;

function verdictLines({ works, changes, retry_after_ms, questions }: Verdict): Lines {
  const named = (is_good: boolean): string =>
    questions.flatMap(({ question, tries }) => (tries.at(-1)?.is_good === is_good ? question : [])).join(', ');
  switch (works) {
    case 'busy': {
      const after = retry_after_ms === undefined ? 'later' : `after ${Math.ceil(retry_after_ms / 1000)} s`;
      return [line(`The service is busy or limits the rate, so the settings could not be judged. Try again ${after}.`)];
    }
    case 'over_budget':
      return [line('A budget lets no further call through, so the settings could not be judged. The reason is above.')];
    case 'as_written':
      return [line('The source works as it is written.')];
    case 'with_changes':
      return [line('Write in the interface of the source:'), hanging(4, '  ', strong(writeChanges(changes)))];
    case 'in_part':
      return [
        hanging(0, `The patch of a turn is answered, so worlds can run. Not answered well: ${named(false)}. `, TERSE),
        Object.keys(changes).length > 0 && verdictLines({ works: 'with_changes', changes, questions }),
      ];
    case 'not':
      return [
        line('No settings were found with which all questions are answered. The reasons are above.'),
        named(true) !== '' && line(`Answered well: ${named(true)}.`),
      ];
  }
}

const TERSE = 'A terse model may answer so with any settings; a server that cuts answers also cuts long patches.';

function writeChanges(changes: Try['changes']): string {
  return Object.entries(changes)
    .map(([name, value]) =>
      value === null ? `no ${JSON.stringify(name)}` : `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    )
    .join(', ');
}
