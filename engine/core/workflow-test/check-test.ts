import type { Json } from '../../contract/json.js';
import type { ByTurn } from '../../contract/scripted.js';
import { suggestName } from '../content/nearest-name.js';
import { findAt, isList, toPointer } from '../content/json-pointer.js';
import type { Answer } from '../../generated/answers.js';
import type { Scenario } from '../../generated/scenario.js';
import type { ExpectedTurn, WorkflowTest } from '../../generated/workflow-test.js';
import type { Complaint } from '../protocol/document-problem.js';
import type { Program } from '../protocol/program.js';
import { simulationTime } from '../world/simulation-time.js';
import { findUnasked } from './command-key.js';

export interface TestedTurns {
  readonly first: number;
  readonly last: number;
}

export function turnsOf({ given, turns = 1 }: Pick<WorkflowTest, 'given' | 'turns'>): TestedTurns {
  const before = given?.turn ?? 0;
  return { first: before + 1, last: before + turns };
}

/** Finds parts of a test that no answers can bring about: unknown names, keys of no call, turns that are not run. */
export function checkTest(program: Program, scenario: Scenario, test: WorkflowTest): readonly Complaint[] {
  const turns = turnsOf(test);
  const names = namesOf(program, scenario);
  const inline = test.answers ?? {};
  return [
    ...checkTime(scenario, turns),
    ...Object.keys(inline).flatMap((turn) => checkTurn(turns, turn, ['answers', turn])),
    ...checkAnswerKeys(program, inline, ['answers']),
    ...checkGiven(names, test),
    ...Object.entries(test.expect.turns ?? {}).flatMap(([turn, expected]) => [
      ...checkTurn(turns, turn, ['expect', 'turns', turn]),
      ...checkExpected(program, names, expected, ['expect', 'turns', turn]),
    ]),
    ...checkWorld(names, test),
  ];
}

/** Answers that no turn of a program can ask for, at their places below a pointer. */
export function checkAnswerKeys(
  program: Program,
  turns: ByTurn<Answer>,
  place: readonly string[],
): readonly Complaint[] {
  return Object.entries(turns).flatMap(([turn, answers]) =>
    Object.keys(answers).flatMap((key) => checkKey(program, key, [...place, turn, key])),
  );
}

/** What a test may name, by the word for it. */
type Names = Readonly<Record<'entity' | 'agent' | 'subject' | 'environment' | 'tool', readonly string[]>>;

function namesOf(program: Program, { entities, environments }: Scenario): Names {
  const nodes = program.subjects.flatMap(({ workflow }) => workflow.nodes);
  const tools = nodes.flatMap((node) => node.tools ?? []);
  return {
    entity: entities.map(({ id }) => id),
    agent: entities.filter(({ kind }) => kind === 'agent').map(({ id }) => id),
    subject: program.subjects.map(({ subject_id }) => subject_id),
    environment: environments.map(({ label }) => label),
    tool: [...new Set(tools.map(({ name }) => name))],
  };
}

type Place = readonly string[];

function checkKey(program: Program, key: string, place: Place): readonly Complaint[] {
  const unasked = findUnasked(program, key);
  return unasked === undefined ? [] : [{ code: 'KEY_NEVER_ASKED', pointer: toPointer(place), ...unasked }];
}

function checkTime(scenario: Scenario, { last }: TestedTurns): readonly Complaint[] {
  if (simulationTime(scenario, last) !== undefined) return [];
  const message = `turn ${last} is beyond the calendar of the scenario, which ends with the year 9999`;
  return [{ code: 'TURN_NEVER_RUN', message, pointer: '' }];
}

function checkTurn({ first, last }: TestedTurns, turn: string, place: Place): readonly Complaint[] {
  if (turn === '*' || (Number(turn) >= first && Number(turn) <= last)) return [];
  return [
    {
      code: 'TURN_NEVER_RUN',
      message: `this test does not run turn ${turn}: it runs ${first === last ? `turn ${first}` : `turns ${first} to ${last}`}`,
      pointer: toPointer(place),
      repair: 'Set "turns" to how many are run; the first follows "turn" of "given".',
    },
  ];
}

function checkName(names: Names, what: keyof Names, name: string | undefined, place: Place): readonly Complaint[] {
  const known = names[what];
  if (name === undefined || known.includes(name)) return [];
  const repair = known.length === 0 ? 'There are none.' : suggestName(name, known);
  return [
    {
      code: 'TEST_NAMES_NOTHING',
      message: `there is no ${what} ${JSON.stringify(name)}`,
      pointer: toPointer(place),
      repair,
    },
  ];
}

function checkGiven(names: Names, { given }: WorkflowTest): readonly Complaint[] {
  const entities = Object.entries(given?.entities ?? {});
  return [
    ...entities.flatMap(([id, { memory }]) => [
      ...checkName(names, 'entity', id, ['given', 'entities', id]),
      ...(memory === undefined || !names.entity.includes(id)
        ? []
        : [
            ...checkName(names, 'agent', id, ['given', 'entities', id, 'memory']),
            ...checkMemory(memory, given?.turn ?? 0, ['given', 'entities', id, 'memory']),
          ]),
    ]),
    ...Object.keys(given?.environments ?? {}).flatMap((label) =>
      checkName(names, 'environment', label, ['given', 'environments', label]),
    ),
  ];
}

type GivenMemories = NonNullable<NonNullable<NonNullable<WorkflowTest['given']>['entities']>[string]['memory']>;

function checkMemory(memory: GivenMemories, turn: number, place: Place): readonly Complaint[] {
  return memory.flatMap((item, index) =>
    typeof item === 'string' || item.turn <= turn
      ? []
      : [
          {
            code: 'TURN_NEVER_RUN',
            message: `this is remembered of turn ${item.turn}, and turn ${turn} was played last`,
            pointer: toPointer([...place, index, 'turn']),
            repair: 'Set "turn" of "given", or correct this one.',
          },
        ],
  );
}

function checkExpected(program: Program, names: Names, expected: ExpectedTurn, place: Place): readonly Complaint[] {
  const { failure, patches = [], rejections = [], calls = {}, tools = [], not_called = [] } = expected;
  const subject = (id: string | undefined, at: Place) => checkName(names, 'subject', id, [...at, 'subject']);
  return [
    ...subject(failure?.subject, [...place, 'failure']),
    ...(failure?.key === undefined ? [] : checkKey(program, failure.key, [...place, 'failure', 'key'])),
    ...patches.flatMap(({ subject: id, effects = [] }, index) => {
      const at = [...place, 'patches', String(index)];
      return [
        ...subject(id, at),
        ...effects.flatMap(({ entity_id, environment_label }, effect) => {
          const inEffect = [...at, 'effects', String(effect)];
          return [
            ...checkName(names, 'entity', entity_id, [...inEffect, 'entity_id']),
            ...checkName(names, 'environment', environment_label, [...inEffect, 'environment_label']),
          ];
        }),
      ];
    }),
    ...rejections.flatMap(({ subject: id }, index) => subject(id, [...place, 'rejections', String(index)])),
    ...tools.flatMap((name, index) => checkName(names, 'tool', name, [...place, 'tools', String(index)])),
    ...Object.keys(calls).flatMap((key) => checkKey(program, key, [...place, 'calls', key])),
    ...not_called.flatMap((key, index) => checkKey(program, key, [...place, 'not_called', String(index)])),
  ];
}

function checkWorld(names: Names, { expect }: WorkflowTest): readonly Complaint[] {
  const { entities = {}, environments = {} } = expect.world ?? {};
  const place = ['expect', 'world'];
  return [
    ...Object.keys(entities).flatMap((id) => checkName(names, 'entity', id, [...place, 'entities', id])),
    ...Object.keys(environments).flatMap((label) =>
      checkName(names, 'environment', label, [...place, 'environments', label]),
    ),
  ];
}

/**
 * Notes names in the answers of models that the scenario does not have: entities, environments and tools. A model's
 * mistake may be meant where it is answered again: a key whose next try has an answer as well is left alone. So is one
 * that nothing asks for.
 */
export function checkAnsweredNames(
  program: Program,
  scenario: Scenario,
  turns: ByTurn<Answer>,
  place: Place,
): readonly Complaint[] {
  const names = namesOf(program, scenario);
  return Object.entries(turns).flatMap(([turn, answers]) =>
    Object.entries(answers).flatMap(([key, answer]) => {
      if (!('json' in answer) || Object.hasOwn(answers, nextTry(key)) || findUnasked(program, key)) return [];
      return [
        ...checkEffects(names, answer.json, [...place, turn, key, 'json']),
        ...checkTool(program, names, answer.json, key, [...place, turn, key, 'json']),
      ];
    }),
  );
}

function nextTry(key: string): string {
  const tried = /^(.*\/try-)(\d+)$/.exec(key);
  return tried === null ? '' : `${tried[1]}${Number(tried[2]) + 1}`;
}

function checkEffects(names: Names, answer: Json, place: Place) {
  const effects = findAt(answer, ['patch', 'effects']);
  if (!isList(effects)) return [];
  return effects.flatMap((effect, index) => {
    const at = [...place, 'patch', 'effects', String(index)];
    return [
      ...checkAnswered(names, 'entity', effect, [...at, 'entity_id']),
      ...checkAnswered(names, 'environment', effect, [...at, 'environment_label']),
    ];
  });
}

function checkTool(program: Program, names: Names, answer: Json, key: string, place: Place): readonly Complaint[] {
  const [subject, id] = key.split('/');
  const node = program.subjects
    .find(({ subject_id }) => subject_id === subject)
    ?.workflow.nodes.find((candidate) => candidate.id === id);
  const call = findAt(answer, ['tool_call']);
  if (node?.tools === undefined || call === undefined) return [];
  const offered = { ...names, tool: node.tools.map(({ name }) => name) };
  return checkAnswered(offered, 'tool', call, [...place, 'tool_call', 'name']);
}

/** @param place of the member that names something */
function checkAnswered(names: Names, what: keyof Names, holder: Json, place: Place): readonly Complaint[] {
  const name = findAt(holder, place.slice(-1));
  return checkName(names, what, typeof name === 'string' ? name : undefined, place).map((complaint) => ({
    ...complaint,
    code: 'ANSWER_NAMES_NOTHING',
    message: `${complaint.message}, so this answer is sent back to the model`,
    severity: 'note',
  }));
}
