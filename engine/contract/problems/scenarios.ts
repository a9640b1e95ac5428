import { content, note, unknown } from './entry.js';
import { type KnownNames, suggested } from './phrases.js';
import { twice } from './twice.js';

function suggestedOrNone(names: KnownNames): string {
  return names.known.length === 0 ? 'Add it to the scenario.' : suggested(names);
}

export interface UnknownNamed extends KnownNames {
  readonly name: string;
}

export const SCENARIO_PROBLEMS = {
  ENTITY_ID_NOT_CANONICAL: content<
    { readonly written: string } & ({ readonly id: string } | { readonly reason: string })
  >({
    meaning: 'The id does not follow the [grammar](terms.md#entity-ids).',
    message: (facts) =>
      `${JSON.stringify(facts.written)} is not a canonical entity id${'id' in facts ? '' : `: ${facts.reason}`}.`,
    repair: (facts) =>
      'id' in facts
        ? `Write ${JSON.stringify(facts.id)}.`
        : 'Use lower-case letters, digits, _ and -, in parts joined by dots.',
    example: { written: 'Bob', id: 'bob' },
  }),
  ENTITY_TWICE: twice({ noun: 'entity', member: 'id', example: 'bob' }),
  ENTITY_UNKNOWN: unknown<UnknownNamed & { readonly worlds?: readonly string[] }>({
    message: ({ name, worlds }) =>
      worlds === undefined
        ? `The scenario has no entity ${JSON.stringify(name)}.`
        : `There is no entity ${JSON.stringify(name)} in ${worlds.join(' or ')}.`,
    repair: suggestedOrNone,
    example: { name: 'bbo', nearest: 'bob', known: ['bob'] },
  }),
  ENVIRONMENT_TWICE: twice({
    noun: 'environment',
    member: 'label',
    example: 'park',
  }),
  ENVIRONMENT_UNKNOWN: content<UnknownNamed>({
    message: ({ name }) => `The scenario has no environment ${JSON.stringify(name)}.`,
    repair: suggestedOrNone,
    example: { name: 'prak', nearest: 'park', known: ['park'] },
  }),
  BLANK_TEXT: content('This text has no visible character.', 'Write some text, or remove the field if it is optional.'),
  AGENT_ONLY: content<{ readonly id: string; readonly member: 'goal' | 'memory' }>({
    message: ({ id, member }) => `${id} is a prop and cannot have a ${member}.`,
    repair: ({ id, member }) => `Remove the ${member}, or make ${id} an agent.`,
    example: { id: 'bench', member: 'goal' },
  }),
  START_TIME_UNUSABLE: content({
    meaning: 'A leap second, a year outside 0001 to 9999, or an offset of more than 15 hours.',
    message: ({ start_time, reason }) => `${JSON.stringify(start_time)} ${reason}.`,
    repair: 'Write a time such as "2026-05-01T09:00:00Z".',
    example: { start_time: '2016-12-31T23:59:60Z', reason: 'names a leap second, which no calendar here has' },
  }),
  CHRONON_TOO_LONG: content({
    message: (facts) => `Turns of ${facts.chronon_seconds} seconds reach the year 9999 before turn ${facts.turns}.`,
    repair: ({ longest }) =>
      longest > 0 ? `Write at most ${longest}, or an earlier start_time.` : 'Write an earlier start_time.',
    example: { chronon_seconds: 31_536_000, longest: 25_160_000, turns: 10_000 },
  }),
  SUBJECT_NOT_AGENT: content({
    message: ({ id }) => `The subject ${id} is a prop; only agents think.`,
    repair: ({ id }) => `Make ${id} an agent, or remove it from the subjects.`,
    example: { id: 'bench' },
  }),
  AGENT_NEVER_ACTS: note({
    message: ({ id }) => `The agent ${id} never acts: no profile of "cognition" has it as a subject.`,
    repair: 'Add it to the "subjects" of a profile, or keep it if it is not to act.',
    example: { id: 'bob' },
  }),
  SUBJECT_TWICE: content({
    meaning: 'An item is listed a second time.',
    message: ({ id }) => `The subject ${id} is listed a second time here; a subject thinks once a turn.`,
    repair: 'Remove it from one of the two lists.',
    example: { id: 'bob' },
  }),
};
