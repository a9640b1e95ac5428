import { byKind, content, note, type Texts } from './entry.js';
import { type KnownNames, suggested } from './phrases.js';

export interface NamedNowhere extends KnownNames {
  readonly what: string;
  readonly name: string;
}

function sayNowhere({ what, name }: NamedNowhere): string {
  return `there is no ${what} ${JSON.stringify(name)}`;
}

function suggestedOrNone(names: NamedNowhere): string {
  return names.known.length === 0 ? 'There are none.' : suggested(names);
}

/** An answer that is rejected: as it stands in a document, or when a turn asked for it. */
export type Misfit =
  | { readonly reason: string; readonly repair: string }
  | { readonly reason: string; readonly turn: number; readonly key: string; readonly detail: string };

/** A name that is not among those of its place. */
interface UnknownName extends KnownNames {
  readonly name: string;
}

const suggestedOrRemoved = (names: KnownNames): string =>
  names.known.length === 0 ? 'There is none: remove this key.' : suggested(names);
const counted = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** What a key that no turn asks for has wrong. `write` is what can stand instead of it, or of a part of it. */
const UNASKED_KEYS = byKind(
  {
    subject: [
      ({ name }: UnknownName) => `no subject of this scenario is called ${JSON.stringify(name)}`,
      // After a change of the cast, an author need not mend each answer.
      (names: UnknownName) =>
        `${suggested(names)} If the cast has changed, \`chukwa run SLUG --dry --write-missing FILE\` makes new answers.`,
    ],
    other_binding: [
      ({ key, write }: Texts<'key' | 'write'>) =>
        `the binding ${write.slice('turn/'.length)} differs from the one that ${key} names`,
      ({ write }: Texts<'write'>) => `Write ${write}, which matches it in any form.`,
    ],
    source_of_turn: [
      ({ name }: UnknownName) => `no workflow of this scenario has the ambient source of the turn ${name}`,
      suggestedOrRemoved,
    ],
    source_of_subject: [
      ({ subject, name }: UnknownName & Texts<'subject'>) =>
        `${subject} has no ambient source ${JSON.stringify(name)} of its own`,
      suggestedOrRemoved,
    ],
    node: [
      ({ subject, name }: UnknownName & Texts<'subject'>) =>
        `the workflow of ${subject} has no node ${JSON.stringify(name)}`,
      suggestedOrRemoved,
    ],
    call: [
      ({ node, rest }: Texts<'node' | 'rest'>) => `node ${node} makes one call, which is not ${JSON.stringify(rest)}`,
      ({ write }: Texts<'write'>) => `Write ${JSON.stringify(write)}.`,
    ],
    generation: [
      ({ node, rest, asks_tools }: Texts<'node' | 'rest'> & { readonly asks_tools: boolean }) =>
        `node ${node} asks a model${asks_tools ? ', and then its tools' : ''}, and no call of it is ${JSON.stringify(rest)}`,
      ({ write }: Texts<'write'>) => `Write ${JSON.stringify(write)}.`,
    ],
    round: [
      ({ node, most }: Texts<'node'> & { readonly most: number }) =>
        `node ${node} has ${counted(most, 'round', 'rounds')} at most`,
      ({ write }: Texts<'write'>) => `Write ${write} or an earlier one.`,
    ],
    try: [
      ({ node, most }: Texts<'node'> & { readonly most: number }) =>
        `node ${node} has ${counted(most, 'try', 'tries')} at one answer (max_generation_attempts)`,
      ({ write }: Texts<'write'>) => `Write ${write} or an earlier one.`,
    ],
    gate: [({ node }: Texts<'node'>) => `node ${node} has no gate`, 'Remove "/gate/...", or write "gate" in the node.'],
    fallback: [
      ({ node }: Texts<'node'>) => `node ${node} has no fallback`,
      'Remove "/fallback", or write "fallback" in the node.',
    ],
    round_without_tool: [
      ({ node, round }: Texts<'node'> & { readonly round: number }) => `node ${node} calls no tool in round ${round}`,
      'Remove "/tool".',
    ],
    denied_tools: [
      ({ node }: Texts<'node'>) => `node ${node} has no tool that its tool policy allows`,
      'Allow the tool in the policy, or remove "/tool".',
    ],
  },
  { kind: 'node', subject: 'bob', name: 'trun', nearest: 'turn', known: ['turn'] },
);

/** Why no turn of a program makes a call of a key. */
export type UnaskedKey = typeof UNASKED_KEYS.example & {
  /** The key of the ambient source that was probably meant. */
  readonly meant?: string;
  /** The key that would be suggested, and stands beside this one already. */
  readonly taken?: string;
};

/** Problems of workflow tests and of answers. */
export const TEST_PROBLEMS = {
  KEY_NEVER_ASKED: content<UnaskedKey>({
    meaning: 'No turn can make a call with this command key; a note in answers that no test names.',
    message: UNASKED_KEYS.message,
    repair: (unasked) => {
      if (unasked.taken !== undefined) return `Remove it, or write another key: ${unasked.taken} is here already.`;
      return unasked.meant === undefined ? UNASKED_KEYS.repair(unasked) : `Did you mean ${unasked.meant}?`;
    },
    example: UNASKED_KEYS.example,
  }),
  TURN_NEVER_RUN: content<
    | { readonly turn: string; readonly first: number; readonly last: number }
    | { readonly remembered: number; readonly played: number }
    | { readonly ended: number }
  >({
    message: (facts) => {
      if ('ended' in facts)
        return `turn ${facts.ended} is beyond the calendar of the scenario, which ends with the year 9999`;
      if ('remembered' in facts)
        return `this memory is of turn ${facts.remembered}, but the last played turn is ${facts.played}`;
      const { turn, first, last } = facts;
      return `this test does not run turn ${turn}: it runs ${first === last ? `turn ${first}` : `turns ${first} to ${last}`}`;
    },
    repair: (facts) => {
      if ('ended' in facts) return 'Let the test run fewer turns, or begin at an earlier one.';
      return 'remembered' in facts
        ? 'Set "turn" of "given", or correct this one.'
        : 'Set "turns" to the number of turns to run; the first one follows "turn" of "given".';
    },
    example: { turn: '3', first: 1, last: 2 },
  }),
  ANSWER_NAMES_NOTHING: note<NamedNowhere>({
    message: (facts) => `${sayNowhere(facts)}, so this answer is sent back to the model`,
    repair: suggestedOrNone,
    example: { what: 'entity', name: 'bbo', nearest: 'bob', known: ['bob'] },
  }),
  ANSWER_MISFIT: content<Misfit>({
    meaning: 'An answer does not fit its schemas, and the next try has no answer; a note where a failure may be meant.',
    message: (facts) =>
      'turn' in facts
        ? `turn ${facts.turn} rejects this answer of ${facts.key} (${facts.detail}): ${facts.reason}`
        : `this answer is rejected: ${facts.reason}`,
    repair: (facts) => ('turn' in facts ? 'Correct this answer.' : facts.repair),
    example: { reason: 'must be an integer, not a string', repair: 'Write for example 3.' },
  }),
  RULE_NAMES_NOTHING: content<KnownNames & { readonly name: string }>({
    meaning: 'An answer reads a value that its rule of a population does not have.',
    message: ({ name }) => `This rule has no value ${name}.`,
    repair: ({ known, nearest }) =>
      nearest === undefined ? `Write one of ${known.join(', ')}; or add it to "values".` : `Did you mean ${nearest}?`,
    example: { name: 'amonut', nearest: 'amount', known: ['subject', 'turn', 'amount'] },
  }),
  DRAW_RANGE_EMPTY: content<{ readonly minimum: number; readonly maximum: number }>({
    message: ({ minimum, maximum }) => `No number is at least ${minimum} and at most ${maximum}.`,
    repair: () => 'Exchange the two.',
    example: { minimum: 20, maximum: 0 },
  }),
  TEST_NAMES_NOTHING: content<NamedNowhere>({
    message: sayNowhere,
    repair: suggestedOrNone,
    example: { what: 'subject', name: 'bbo', nearest: 'bob', known: ['bob'] },
  }),
  TEST_DIFFERS: content(
    'The result differs from the expectation of the test.',
    'Correct the workflow, or the expectation.',
  ),
  ANSWER_MISSING: content({
    meaning: 'A dry run made a call without a written answer.',
    message: ({ turn, key, what, source }) =>
      `There is no answer for turn ${turn}, key "${key}": ${what}, asked of the source ${source}.`,
    repair: ({ written }) =>
      `Add its answer, below "turns" in an answers document, or below "answers" in a test: ${written}`,
    example: {
      turn: 1,
      key: 'bob/turn/round-1/try-1',
      what: 'the model of bob, in round 1 of node turn, try 1',
      source: 'model',
      written: '{"1":{"bob/turn/round-1/try-1":{"json":{...}}}}',
    },
  }),
  NO_ANSWERS: content<{ readonly path: string; readonly kind: string | undefined }>({
    message: ({ path, kind }) => `${path} holds no answers${kind === undefined ? '' : `: it is a ${kind}`}.`,
    repair: 'Name one file of the form that schemas/answers.schema.json describes, or a test that has been recorded.',
    example: { path: 'scenario.json', kind: 'scenario' },
  }),
  NO_TESTS: content<{ readonly paths?: readonly string[] }>({
    meaning: 'There is no test here.',
    message: ({ paths }) =>
      paths === undefined ? 'this is not a test' : `There is no test in ${paths.join(', ')}, so nothing was tested.`,
    repair: 'Tests are files that end in .test.json, of the form that schemas/workflow-test.schema.json describes.',
    example: { paths: ['workflows'] },
  }),
};
