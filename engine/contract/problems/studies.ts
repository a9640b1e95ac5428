import { byKind, content, note, type Texts } from './entry.js';
import { type KnownNames, suggested } from './phrases.js';
import { twice } from './twice.js';

export interface NamedOf extends KnownNames {
  readonly name: string;
}

const suggestedOrNone = (names: KnownNames): string => (names.known.length === 0 ? 'There is none.' : suggested(names));

/** What a study names and does not have, or its scenario. */
const NAMED_NOWHERE = byKind(
  {
    variable: [({ name }: NamedOf) => `the study has no variable ${JSON.stringify(name)}`, suggestedOrNone],
    level: [
      ({ name, variable }: NamedOf & Texts<'variable'>) =>
        `the variable ${variable} has no level ${JSON.stringify(name)}`,
      suggestedOrNone,
    ],
    measure: [({ name }: NamedOf) => `the study has no measure ${JSON.stringify(name)}`, suggestedOrNone],
    probe: [
      ({ name }: NamedOf) => `the study does not ask ${JSON.stringify(name)}`,
      ({ known }: KnownNames) =>
        known.length === 0
          ? 'Add it to "probes", with the turns after which it is asked.'
          : `There are: ${known.join(', ')}.`,
    ],
    question: [
      ({ name, probe }: NamedOf & Texts<'probe'>) => `${probe} has no question ${JSON.stringify(name)}`,
      suggestedOrNone,
    ],
    entity: [({ name }: NamedOf) => `the scenario has no entity ${JSON.stringify(name)}`, suggestedOrNone],
    subject: [({ name }: NamedOf) => `no subject of the scenario is called ${JSON.stringify(name)}`, suggestedOrNone],
    tool: [({ name }: NamedOf) => `no agent of any condition has a tool ${JSON.stringify(name)}`, suggestedOrNone],
    file: [({ name }: NamedOf) => `the scenario does not use ${JSON.stringify(name)}`, suggestedOrNone],
    member: [
      ({ name }: NamedOf) => `the scenario has nothing at ${name}`,
      'Write the pointer of a member that is there, or of a new member of an object that is.',
    ],
  },
  { kind: 'measure', name: 'contributon', nearest: 'contribution', known: ['contribution'] },
);

/** A turn that no run has. */
const TURN_OUTSIDE = byKind(
  {
    variable: [
      ({ turn, turns }: TurnOutside) => `A variable that begins at turn ${turn} never does: runs have ${turns} turns.`,
      ({ turns }: TurnOutside) => `Write at most ${turns}, or more "turns".`,
    ],
    probe: [
      ({ turn, turns }: TurnOutside) => `A probe after turn ${turn} is never asked: runs have ${turns} turns.`,
      ({ turns }: TurnOutside) => `Write at most ${turns}, or more "turns".`,
    ],
    measure: [
      ({ turn, turns }: TurnOutside) => `A measure of turns from ${turn} on has none: runs have ${turns} turns.`,
      ({ turns }: TurnOutside) => `Write at most ${turns}, or more "turns".`,
    ],
    empty: [
      ({ turn, turns }: TurnOutside) => `No turn is at least ${turn} and at most ${turns}.`,
      'Write a "from" that is not greater than "to".',
    ],
  },
  { kind: 'variable', turn: 12, turns: 10 },
);

export interface TurnOutside {
  readonly turn: number;
  readonly turns: number;
}

/** Studies that would not answer their question. */
export const STUDY_PROBLEMS = {
  SEED_TWICE: content({
    meaning: 'An item is listed a second time.',
    message: ({ seed }) => `The seed ${seed} is listed a second time here: its run would count twice.`,
    repair: 'Write each seed once.',
    example: { seed: 3 },
  }),
  MEASURE_TWICE: twice({ noun: 'measure', member: 'id', example: 'contribution' }),
  HYPOTHESIS_TWICE: twice({ noun: 'hypothesis', member: 'id', example: 'h1' }),
  STUDY_PROBE_TWICE: content({
    meaning: 'An item is listed a second time.',
    message: ({ ask }) => `${ask} is asked by an earlier entry already.`,
    repair: 'Write all its turns into one entry.',
    example: { ask: './ask.json' },
  }),
  STUDY_TOO_LARGE: content({
    meaning: 'Conditions and seeds make too many runs.',
    message: ({ conditions, seeds }) =>
      `The study has ${conditions} conditions and ${seeds} seeds: ${conditions * seeds} runs.`,
    repair: ({ most }) => `Leave out levels or seeds: ${most} runs are possible.`,
    example: { conditions: 50_000, seeds: 25, most: 100_000 },
  }),
  STUDY_NAMES_NOTHING: content<typeof NAMED_NOWHERE.example>({
    meaning: 'The study names what it, or its scenario, does not have.',
    ...NAMED_NOWHERE,
  }),
  TURN_OF_NO_RUN: content<typeof TURN_OUTSIDE.example>({
    meaning: 'The study names turns that its runs do not have.',
    ...TURN_OUTSIDE,
  }),
  SIDES_SHARE_CONDITIONS: content({
    meaning: 'Both sides hold a condition, which would be compared with itself.',
    message: ({ conditions }) =>
      `Both sides hold ${conditions.join(', ')}: ${conditions.length === 1 ? 'it would be compared with itself' : 'they would be compared with themselves'}.`,
    repair: 'Name two different levels of one variable.',
    example: { conditions: ['community'] },
  }),
  RULE_NEVER_MET: content({
    meaning: 'The rule wants more seeds than the study has.',
    message: ({ at_least_runs, seeds }) =>
      `This can never be decided: the rule wants ${at_least_runs} seeds, and the study has ${seeds}.`,
    repair: ({ seeds }) => (seeds < 2 ? 'Write more seeds.' : `Write more seeds, or at most ${seeds} here.`),
    example: { at_least_runs: 20, seeds: 5 },
  }),
  VARIABLE_UNREAD: content({
    message: ({ variable }) => `What ${variable} changes is nothing that an agent is shown or a workflow reads.`,
    repair: 'Replace a prompt, or set what agents perceive.',
    example: { variable: 'framing' },
  }),
  CONDITIONS_EQUAL: content({
    meaning: 'Two conditions have the same scenario.',
    message: ({ conditions }) => `The conditions ${conditions.join(' and ')} have the same scenario.`,
    repair: 'Let one of their levels replace or set something else.',
    example: { conditions: ['community', 'wall-street'] },
  }),
  LEVELS_MEET: content<{
    readonly variable: string;
    readonly other: string;
    readonly what: string;
  }>({
    meaning: 'Two variables change the same file or member.',
    message: ({ variable, other, what }) => `Both ${variable} and ${other} change ${what}, and only one of them can.`,
    repair: 'Make one variable of the two, with a level for each combination.',
    example: { variable: 'framing', other: 'tone', what: './act.system.md' },
  }),
  SET_NAMES_A_FILE: content({
    meaning: 'A member that is set cannot name a file.',
    message: ({ path }) => `A member that is set cannot name the file ${JSON.stringify(path)}.`,
    repair: 'Write it as "replace": a file in place of the one that the scenario uses.',
    example: { path: './other-profile.json' },
  }),
  SET_AFTER_THE_START: content({
    message: ({ from_turn, member }) =>
      `${member} is how worlds begin: from turn ${from_turn} on, another value would change nothing, or what was shown already.`,
    repair: 'Replace a prompt instead, or let the variable begin with turn 1.',
    example: { from_turn: 5, member: '/entities/0/state' },
  }),
  CONDITION_SHOWN: note({
    meaning: 'Agents are shown the name of the world, which says its condition.',
    message: ({ file }) =>
      `${file} shows agents {{world.slug}}, and the name of each world says its condition and seed.`,
    repair: 'Leave it out: an agent that knows the condition may act as the experiment seems to want.',
    example: { file: 'act.user.md' },
  }),
};
