/** Brings a test up to date with its scenario: what changed since it was written is named, one change at a time. */
import type { Json, JsonObject } from '../../contract/json.js';
import { withoutMark } from '../../contract/scripted.js';
import type { WorkflowTest } from '../../generated/workflow-test.js';
import { canonicalText } from '../content/canonical.js';
import { findAt, isList, isObject, pointerTokens, toPointer } from '../content/json-pointer.js';
import { listNamed } from '../content/list-named.js';
import { nearestName } from '../content/nearest-name.js';
import type { Program } from '../protocol/program.js';
import { permittedToolsOf } from '../workflow/narrow-tools.js';
import { findUnasked, writtenKey } from './command-key.js';
import type { Difference } from './match.js';
import { skeletonOf, type UnansweredCall } from './skeleton.js';

export type TestChange =
  /** A small answer was made up for a call that has none. */
  | { readonly kind: 'added'; readonly turn: string; readonly key: string }
  /** The answer of a call with a new name moved to that name. */
  | { readonly kind: 'moved'; readonly turn: string; readonly key: string; readonly to: string }
  /** No call can ask for the answer any longer. */
  | { readonly kind: 'dropped'; readonly turn: string; readonly key: string }
  /** An expected value was replaced by the value that came, or the name of a tool by its new name. */
  | { readonly kind: 'expected'; readonly pointer: string; readonly before: Json; readonly after: Json };

export interface WrittenKey {
  readonly turn: string;
  readonly key: string;
}

interface Updated {
  readonly test: WorkflowTest;
  /** Without any, the test is as up to date as it can be made. */
  readonly changes: readonly TestChange[];
}

interface PlayedTest {
  readonly program: Program;
  readonly test: WorkflowTest;
  /** Calls that had no answer, each with its turn. */
  readonly missing: readonly (UnansweredCall & { readonly turn: number })[];
  /** The expectations that the turns did not meet. The list is empty where the turns ended in another way than the test expects. */
  readonly differences: readonly Difference[];
}

/** The answers of a test that no call of its scenario can ask for. */
export function listUnasked(program: Program, { answers = {} }: WorkflowTest): readonly WrittenKey[] {
  return Object.entries(answers).flatMap(([turn, all]) =>
    Object.keys(all).flatMap((key) => (findUnasked(program, key) === undefined ? [] : [{ turn, key }])),
  );
}

/**
 * One step: a tool gets its new name, and answers move to the new names of their calls; without such names, calls get the answers that they lack, and
 * answers are dropped where that was asked for; and with all answers there, exact expectations take the values that came.
 * Expectations of what a text contains or lacks, and of a failure, are for the author.
 */
export function updateTest(played: PlayedTest, drops: boolean): Updated {
  for (const renamed of [renameTool(played), renameCalls(played)]) if (renamed.changes.length > 0) return renamed;
  const answered = answerCalls(played, drops);
  return answered.changes.length > 0 || played.missing.length > 0 ? answered : expectActual(played);
}

function answerCalls({ program, test, missing }: PlayedTest, drops: boolean): Updated {
  const dropped = drops ? listUnasked(program, test) : [];
  const isDropped = (turn: string, key: string) => dropped.some((one) => one.turn === turn && one.key === key);
  const answers = mapAnswers(test.answers ?? {}, (turn, key) => (isDropped(turn, key) ? undefined : key));
  const added = missing.map((call) => ({ call, turn: String(call.turn), key: writtenKey(program, call.key) }));
  for (const { call, turn, key } of added)
    answers[turn] = { ...answers[turn], [key]: { json: skeletonOf(program, call) } };
  const changes = [
    ...dropped.map(({ turn, key }) => ({ kind: 'dropped', turn, key }) as const),
    ...added.map(({ turn, key }) => ({ kind: 'added', turn, key }) as const),
  ];
  return { test: changes.length === 0 ? test : { ...test, answers }, changes };
}

type Answers = NonNullable<WorkflowTest['answers']>;

/** @param nameOf undefined for an answer that is left out */
function mapAnswers(answers: Answers, nameOf: (turn: string, key: string) => string | undefined) {
  const turns = Object.entries(answers).map(([turn, all]) => {
    const kept = Object.entries(all).flatMap(([key, answer]) => {
      const name = nameOf(turn, key);
      return name === undefined ? [] : [[name, answer] as const];
    });
    return [turn, Object.fromEntries(kept)] as const;
  });
  return Object.fromEntries(turns.filter(([, all]) => Object.keys(all).length > 0));
}

/** A tool has another name where the test names one that there is not, and just one that there is can be meant. */
function renameTool({ program, test }: PlayedTest): Updated {
  const value = test as unknown as Json;
  const named = ['expect/turns/*/tools/*', 'answers/*/*/json/tool_call/name'].flatMap((pattern) =>
    listNamed(value, pattern.split('/')),
  );
  const known = [...permittedToolsOf(program)];
  const free = known.filter((tool) => !named.some(({ name }) => name === tool));
  const [from, ...others] = new Set(named.flatMap(({ name }) => (known.includes(name) ? [] : [name])));
  const to = free.length === 1 ? free[0] : nearestName(from ?? '', free);
  if (from === undefined || to === undefined || others.length > 0) return { test, changes: [] };
  const places = named.filter(({ name }) => name === from).map(({ place }) => place);
  const updated = places.reduce((changed, place) => replaceAt(changed, place, to), value);
  const changes = places.map((at) => ({ kind: 'expected', pointer: toPointer(at), before: from, after: to }) as const);
  return { test: updated as unknown as WorkflowTest, changes };
}

/** A subject, a node or an ambient source has another name where just one call lacks an answer that one of the old name has. */
function renameCalls({ program, test, missing }: PlayedTest): Updated {
  const unasked = listUnasked(program, test);
  const pairs = unasked.flatMap(({ turn, key }) =>
    missing.flatMap((call) => (turn === '*' || turn === String(call.turn) ? findRename(key, call.key) : [])),
  );
  const isOne = (member: 'from' | 'to', rename: Rename) =>
    pairs.every((pair) => pair[member] !== rename[member] || (pair.from === rename.from && pair.to === rename.to));
  const certain = pairs.filter((pair) => isOne('from', pair) && isOne('to', pair));
  const rename = (key: string): string => {
    const found =
      findUnasked(program, key) && certain.find(({ from }) => `${withoutMark(key)}/`.startsWith(`${from}/`));
    return found ? `${found.to}${withoutMark(key).slice(found.from.length)}` : key;
  };
  const moved = unasked
    .map(({ turn, key }) => ({ kind: 'moved', turn, key, to: rename(key) }) as const)
    .filter(({ turn, key, to }) => to !== key && !Object.hasOwn(test.answers?.[turn] ?? {}, to));
  if (moved.length === 0) return { test, changes: [] };
  const answers = mapAnswers(
    test.answers ?? {},
    (turn, key) => moved.find((one) => one.turn === turn && one.key === key)?.to ?? key,
  );
  return { test: { ...test, answers, expect: renameExpected(test.expect, rename) }, changes: moved };
}

interface Rename {
  /** The beginnings of the keys of calls, such as `olav/act`. */
  readonly from: string;
  readonly to: string;
}

/** Two keys that differ in one name of what makes the call, and in nothing else. */
function findRename(written: string, asked: string): readonly Rename[] {
  const [from, to] = [withoutMark(written).split('/'), withoutMark(asked).split('/')];
  const different = from.flatMap((part, index) => (part === to[index] ? [] : [index]));
  const [index = 0] = different;
  const isName = index < 2 || (index === 2 && from[1] === 'ambient');
  if (from.length !== to.length || different.length !== 1 || !isName) return [];
  return [{ from: from.slice(0, index + 1).join('/'), to: to.slice(0, index + 1).join('/') }];
}

function renameExpected(expect: WorkflowTest['expect'], rename: (key: string) => string): WorkflowTest['expect'] {
  const turns = Object.entries(expect.turns ?? {}).map(([turn, expected]) => {
    const { calls, not_called, failure } = expected;
    const renamed = {
      ...(calls && { calls: Object.fromEntries(Object.entries(calls).map(([key, call]) => [rename(key), call])) }),
      ...(not_called && { not_called: not_called.map(rename) }),
      ...(failure?.key !== undefined && { failure: { ...failure, key: rename(failure.key) } }),
    };
    return [turn, { ...expected, ...renamed }] as const;
  });
  return expect.turns === undefined ? expect : { ...expect, turns: Object.fromEntries(turns) };
}

function expectActual({ test, differences }: PlayedTest): Updated {
  const changes = differences.flatMap(({ pointer, expected, actual }) => {
    const tokens = pointerTokens(pointer);
    const before = findAt(test as unknown as Json, tokens);
    if (before === undefined || expected === undefined || actual === undefined || isOfParts(tokens, before)) return [];
    // An expected failure that did not take place has no value to replace it.
    if (canonicalText(before) !== canonicalText(expected)) return [];
    return [{ kind: 'expected', pointer, before, after: toExpected(tokens.at(-1), actual) } as const];
  });
  const updated = changes.reduce<Json>(
    (value, { pointer, after }) => replaceAt(value, pointerTokens(pointer), after),
    test as unknown as Json,
  );
  return { test: updated as unknown as WorkflowTest, changes };
}

/** Whether a text is expected in parts, or a value that holds such a text. */
function isOfParts(tokens: readonly string[], before: Json): boolean {
  if (tokens.some((token) => PARTS.includes(token))) return true;
  return typeof before === 'object' && before !== null
    ? Object.entries(before).some(([name, value]) => isOfParts([name], value))
    : false;
}

const PARTS = ['contains', 'lacks', 'remembers'];

/** The reasons of rejections are the engine's sentences, and not what an author expects. */
function toExpected(member: string | undefined, actual: Json): Json {
  if (member !== 'rejections' || !isList(actual)) return actual;
  return actual.map((rejection) => {
    const { message: _message, ...rest } = rejection as JsonObject;
    return rest;
  });
}

function replaceAt(value: Json, [token, ...rest]: readonly string[], replacement: Json): Json {
  if (token === undefined) return replacement;
  if (isList(value))
    return value.map((item, index) => (String(index) === token ? replaceAt(item, rest, replacement) : item));
  return isObject(value) ? { ...value, [token]: replaceAt(value[token] ?? null, rest, replacement) } : value;
}
