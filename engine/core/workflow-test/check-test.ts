import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { type Problem, problem } from '../../contract/problem.js';
import { type ByTurn, withoutMark } from '../../contract/scripted.js';
import { listNamed, type Place } from '../content/list-named.js';
import { among } from '../content/nearest-name.js';
import { findAt, isObject, toPointer } from '../content/json-pointer.js';
import type { Answer } from '../../generated/answers.js';
import type { Scenario } from '../../generated/scenario.js';
import type { WorkflowTest } from '../../generated/workflow-test.js';
import { nodeTypeOf } from '../nodes/index.js';
import { complainIf } from '../protocol/document-problem.js';
import type { Program } from '../protocol/program.js';
import { simulationTime } from '../world/simulation-time.js';
import { findCaller, findUnasked } from './command-key.js';

interface TestedTurns {
  readonly first: number;
  readonly last: number;
}

export function turnsOf({ given, turns = 1 }: Pick<WorkflowTest, 'given' | 'turns'>): TestedTurns {
  const before = given?.turn ?? 0;
  return { first: before + 1, last: before + turns };
}

/** What a test may name, by the word for it. */
type Names = Readonly<Record<'entity' | 'agent' | 'subject' | 'environment' | 'tool', readonly string[]>>;

/** Something that is named, and where: `*` is each member or item, and `NAME` the name of each member. */
type Named<What> = readonly (readonly [what: What, place: string])[];

const NAMED_BY_TESTS: Named<keyof Names | 'turn' | 'key'> = [
  ['turn', 'answers/NAME'],
  ['key', 'answers/*/NAME'],
  ['entity', 'given/entities/NAME'],
  ['environment', 'given/environments/NAME'],
  ['turn', 'expect/turns/NAME'],
  ['subject', 'expect/turns/*/failure/subject'],
  ['key', 'expect/turns/*/failure/key'],
  ['subject', 'expect/turns/*/patches/*/subject'],
  ['entity', 'expect/turns/*/patches/*/effects/*/entity_id'],
  ['environment', 'expect/turns/*/patches/*/effects/*/environment_label'],
  ['subject', 'expect/turns/*/rejections/*/subject'],
  ['tool', 'expect/turns/*/tools/*'],
  ['key', 'expect/turns/*/calls/NAME'],
  ['key', 'expect/turns/*/not_called/*'],
  ['entity', 'expect/world/entities/NAME'],
  ['environment', 'expect/world/environments/NAME'],
];

const NAMED_BY_ANSWERS: Named<'entity' | 'environment' | 'tool'> = [
  ['entity', 'patch/effects/*/entity_id'],
  ['environment', 'patch/effects/*/environment_label'],
  ['tool', 'tool_call/name'],
];

/** Finds parts of a test that no answers can bring about: unknown names, keys of no call, turns that are not run. */
export function checkTest(program: Program, scenario: Scenario, test: WorkflowTest): readonly Problem[] {
  const turns = turnsOf(test);
  const names = namesOf(program, scenario);
  const named = NAMED_BY_TESTS.flatMap(([what, pattern]) =>
    listNamed(test as unknown as Json, pattern.split('/')).flatMap(({ name, place }) => {
      if (what === 'turn') return checkTurn(turns, name, place);
      return what === 'key'
        ? checkKey(program, name, place, test as unknown as Json)
        : checkName('TEST_NAMES_NOTHING', names, what, { name, place });
    }),
  );
  return [...checkTime(scenario, turns), ...named, ...checkMemories(names, test)];
}

/** Answers that no turn of a program can ask for, at their places below a pointer. */
export function checkAnswerKeys(program: Program, turns: ByTurn<Answer>, place: Place): readonly Problem[] {
  const all = turns as unknown as Json;
  return listNamed(all, ['*', 'NAME']).flatMap((key) =>
    checkKey(program, key.name, key.place, all).map((one) => ({ ...one, pointer: toPointer(place) + one.pointer })),
  );
}

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

/** A key that stands beside the wrong one already is not suggested. */
function checkKey(program: Program, key: string, place: Place, whole: Json): readonly Problem[] {
  const unasked = findUnasked(program, key);
  if (unasked === undefined) return [];
  const near = 'nearest' in unasked ? unasked.nearest : 'write' in unasked ? unasked.write : undefined;
  const meant = unasked.meant ?? near ?? '';
  const parts = key.split('/');
  const suggested = [meant, ...parts.map((_, index) => parts.with(index, meant).join('/'))];
  const beside = findAt(whole, place.slice(0, -1));
  const taken = suggested.find((one) => isObject(beside) && Object.hasOwn(beside, one));
  return [problem('KEY_NEVER_ASKED', { ...unasked, ...present({ taken }) }, { pointer: toPointer(place) })];
}

function checkTime(scenario: Scenario, { last }: TestedTurns): readonly Problem[] {
  if (simulationTime(scenario, last) !== undefined) return [];
  return [problem('TURN_NEVER_RUN', { ended: last }, { pointer: '' })];
}

function checkTurn({ first, last }: TestedTurns, turn: string, place: Place): readonly Problem[] {
  if (turn === '*' || (Number(turn) >= first && Number(turn) <= last)) return [];
  return [problem('TURN_NEVER_RUN', { turn, first, last }, { pointer: toPointer(place) })];
}

function checkName(
  code: 'TEST_NAMES_NOTHING' | 'ANSWER_NAMES_NOTHING',
  names: Partial<Names>,
  what: keyof Names,
  { name, place }: { readonly name: string; readonly place: Place },
): readonly Problem[] {
  const known = names[what];
  if (known === undefined || known.includes(name)) return [];
  return [problem(code, { what, name, ...among(name, known) }, { pointer: toPointer(place) })];
}

/** Only agents remember, and only turns that have been played. */
function checkMemories(names: Names, { given }: WorkflowTest): readonly Problem[] {
  const played = given?.turn ?? 0;
  return Object.entries(given?.entities ?? {}).flatMap(([id, { memory }]) => {
    if (memory === undefined || !names.entity.includes(id)) return [];
    const place = ['given', 'entities', id, 'memory'];
    const early = memory.flatMap((item, index) =>
      typeof item === 'string'
        ? []
        : complainIf(
            item.turn > played,
            problem(
              'TURN_NEVER_RUN',
              { remembered: item.turn, played },
              { pointer: toPointer([...place, index, 'turn']) },
            ),
          ),
    );
    return [...checkName('TEST_NAMES_NOTHING', names, 'agent', { name: id, place }), ...early];
  });
}

/**
 * Finds answers that are rejected: those that do not fit the schemas that they are checked against, and, as notes, names
 * that the scenario does not have. A model's mistake may be meant where it is answered again: a key whose next try has an
 * answer as well is left alone. So is one that nothing asks for.
 */
export function checkAnswers(
  program: Program,
  scenario: Scenario,
  { turns, others = {} }: { readonly turns: ByTurn<Answer>; readonly others?: ByTurn<Answer> },
  place: Place,
): readonly Problem[] {
  const { entity, environment } = namesOf(program, scenario);
  const isAnswered = (turn: string, key: string): boolean =>
    [turns, others].some((all) => [turn, '*'].some((one) => Object.hasOwn(all[one] ?? {}, key)));
  return Object.entries(turns).flatMap(([turn, answers]) =>
    Object.entries(answers).flatMap(([key, answer]) => {
      if (!('json' in answer) || isAnswered(turn, nextTry(key)) || findUnasked(program, key)) return [];
      const at = [...place, turn, key, 'json'];
      const tool = findCaller(program, key)?.node.tools?.map(({ name }) => name);
      const names = NAMED_BY_ANSWERS.flatMap(([what, pattern]) =>
        listNamed(answer.json, pattern.split('/'), at).flatMap((named) =>
          checkName('ANSWER_NAMES_NOTHING', { entity, environment, ...present({ tool }) }, what, named),
        ),
      );
      return [...findMisfits(program, key, answer.json).map((problem) => toMisfit(problem, at)), ...names];
    }),
  );
}

function findMisfits(program: Program, key: string, answer: Json): readonly Problem[] {
  const caller = findCaller(program, key);
  if (caller !== undefined) return nodeTypeOf(caller.node).findMisfits(caller.node, caller.rest, answer);
  const [first, , id] = key.split('/');
  const ofSubject = program.subjects.find(({ subject_id }) => subject_id === first)?.workflow.subject_ambients ?? [];
  const ofTurn = program.turn_ambients.filter((one) => one.key === key || withoutMark(one.key) === key);
  const [binding, ...more] = [...ofTurn, ...ofSubject.filter((ambient) => ambient.id === id)];
  return more.length === 0 ? (binding?.call.output?.validate(answer) ?? []) : [];
}

function toMisfit({ message: reason, pointer = '', repair }: Problem, place: Place): Problem {
  return problem('ANSWER_MISFIT', { reason, repair }, { pointer: `${toPointer(place)}${pointer}` });
}

/** The key of the try after a try; empty for other keys. */
export function nextTry(key: string): string {
  const tried = /^(.*\/try-)(\d+)$/.exec(key);
  return tried === null ? '' : `${tried[1]}${Number(tried[2]) + 1}`;
}
