/**
 * Compares the results of a test's turns with its author's expectations. Values without an expectation are ignored;
 * lists of patches, tools and rejections are whole, so that surplus items are found as well.
 */
import type { Json } from '../../contract/json.js';
import { findScripted, withoutMark } from '../../contract/scripted.js';
import type {
  ExpectedCall,
  ExpectedFailure,
  ExpectedTurn,
  ExpectedWorld,
  Text,
  WorkflowTest,
} from '../../generated/workflow-test.js';
import { turnsOf } from './check-test.js';
import {
  complain,
  type Difference,
  differ,
  isMatch,
  matchExpected,
  matchPart,
  matchText,
  matchValue,
  type Place,
} from './match.js';

export interface Observed {
  /** The turns that were tried, in order. */
  readonly turns: readonly ObservedTurn[];
  readonly world: ObservedWorld;
}

export interface ObservedTurn {
  readonly attempted_turn: number;
  readonly status: string;
  readonly failure:
    | {
        readonly class: string;
        readonly subject: string | null;
        readonly node: string | null;
        readonly key: string | null;
        readonly message: string;
      }
    | undefined;
  readonly patches: readonly {
    readonly subject: string;
    readonly node: string;
    readonly narration: string;
    readonly effects: readonly ObservedEffect[];
  }[];
  /** In the order of their issue. */
  readonly calls: readonly ObservedCall[];
  readonly rejections: readonly ObservedRejection[];
}

/** As a patch writes it. */
export interface ObservedEffect {
  readonly op: string;
  readonly entity_id?: string;
  readonly environment_label?: string;
  readonly state?: string;
  readonly content?: string;
}

export interface ObservedRejection {
  readonly subject: string;
  readonly node: string;
  readonly try: number;
  readonly detail: string;
  readonly message: string;
}

export interface ObservedCall {
  readonly key: string;
  readonly status: string;
  readonly failure: string | null;
  readonly detail: string | null;
  readonly output: string | null;
  readonly tool: string | null;
  readonly request: Json;
  readonly response: Json;
  /** Of generations. */
  readonly prompt: string | undefined;
}

interface ObservedWorld {
  readonly turn: number;
  readonly entities: ReadonlyMap<string, { readonly state: string; readonly memory: readonly string[] }>;
  readonly environments: ReadonlyMap<string, string>;
}

/** Everything that is not as expected; nothing where the test has passed. */
export function judgeTest(
  test: Pick<WorkflowTest, 'given' | 'turns' | 'expect'>,
  observed: Observed,
): readonly Difference[] {
  const { first, last } = turnsOf(test);
  const byTurn = new Map(observed.turns.map((turn) => [turn.attempted_turn, turn]));
  const turns = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return [
    ...turns.flatMap((turn) => judgeTurn(String(turn), test.expect.turns?.[String(turn)], byTurn.get(turn))),
    ...judgeWorld(['expect', 'world'], test.expect.world, observed.world),
  ];
}

function judgeTurn(
  turn: string,
  expected: ExpectedTurn | undefined,
  actual: ObservedTurn | undefined,
): readonly Difference[] {
  const place = expected === undefined ? ['expect'] : ['expect', 'turns', turn];
  if (actual === undefined) return expected === undefined ? [] : [complain(place, `turn ${turn} was not reached`)];
  return [
    ...judgeEnd(place, expected?.failure, actual),
    ...matchExpected([...place, 'patches'], expected?.patches, actual.patches),
    ...matchValue(
      [...place, 'tools'],
      expected?.tools,
      actual.calls.flatMap(({ tool }) => tool ?? []),
    ),
    ...matchExpected([...place, 'rejections'], expected?.rejections, actual.rejections),
    ...Object.entries(expected?.calls ?? {}).flatMap(([key, call]) =>
      judgeCall([...place, 'calls', key], call, findCall(actual.calls, key), actual.calls),
    ),
    ...(expected?.not_called ?? []).flatMap((key, index) =>
      findCall(actual.calls, key) === undefined
        ? []
        : [complain([...place, 'not_called', String(index)], `the call ${key} was made`)],
    ),
  ];
}

function judgeEnd(place: Place, expected: ExpectedFailure | undefined, actual: ObservedTurn): readonly Difference[] {
  const { failure, attempted_turn } = actual;
  if (expected === undefined) {
    if (failure === undefined) return [];
    const by = failure.key === null ? '' : ` at the call ${failure.key}`;
    return [complain(place, `turn ${attempted_turn} failed with ${failure.class}${by}: ${failure.message}`)];
  }
  const at = [...place, 'failure'];
  if (failure === undefined) return [differ(at, `turn ${attempted_turn} did not fail`, expected.class, actual.status)];
  const key = failure.key === null ? null : toKeyLike(failure.key, expected.key);
  return matchExpected(at, expected, { ...failure, key });
}

/** Keys of the turn's sources are compared without their hash where the test leaves it out. */
function toKeyLike(actual: string, expected: string | undefined): string {
  return expected === withoutMark(actual) ? expected : actual;
}

function findCall(calls: readonly ObservedCall[], key: string): ObservedCall | undefined {
  return calls.find((call) => findScripted({ '*': { [key]: true } }, { turn: 1, key: call.key }) !== undefined);
}

function judgeCall(
  place: Place,
  expected: ExpectedCall,
  actual: ObservedCall | undefined,
  calls: readonly ObservedCall[],
): readonly Difference[] {
  if (actual === undefined) {
    const made = calls.map(({ key }) => withoutMark(key));
    return [complain(place, `this call was not made; made were: ${made.join(', ') || 'none'}`)];
  }
  const { request, response, prompt, ...rest } = expected;
  return [
    ...matchExpected(place, rest, actual),
    ...matchPart([...place, 'request'], request, actual.request),
    ...matchPart([...place, 'response'], response, actual.response),
    ...judgePrompt([...place, 'prompt'], prompt, actual.prompt),
  ];
}

function judgePrompt(place: Place, expected: Text | undefined, actual: string | undefined): readonly Difference[] {
  if (expected === undefined || actual !== undefined) return matchText(place, expected, actual ?? '');
  return [complain(place, 'no model was asked here, so there is no prompt')];
}

function judgeWorld(place: Place, expected: ExpectedWorld | undefined, actual: ObservedWorld): readonly Difference[] {
  const { turn, entities = {}, environments = {} } = expected ?? {};
  return [
    ...matchValue([...place, 'turn'], turn, actual.turn),
    ...Object.entries(entities).flatMap(([id, { state, memory, remembers = [] }]) => {
      const at = [...place, 'entities', id];
      const entity = actual.entities.get(id);
      if (entity === undefined) return [complain(at, 'there is no such entity')];
      return [
        ...matchExpected([...at, 'state'], state, entity.state),
        ...matchExpected([...at, 'memory'], memory, entity.memory),
        ...remembers.flatMap((text, index) =>
          judgeRemembered([...at, 'remembers', String(index)], text, entity.memory),
        ),
      ];
    }),
    ...Object.entries(environments).flatMap(([label, { content }]) =>
      matchText([...place, 'environments', label, 'content'], content, actual.environments.get(label) ?? ''),
    ),
  ];
}

function judgeRemembered(place: Place, text: Text, memory: readonly string[]): readonly Difference[] {
  if (memory.some((remembered) => isMatch(text, remembered))) return [];
  return [differ(place, 'no memory is so', text as unknown as Json, memory)];
}
