import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findScripted, parseClientRequestId } from '../../engine/contract/scripted.js';
import { describeKey } from '../../engine/core/workflow-test/command-key.js';
import {
  judgeTest,
  type Observed,
  type ObservedCall,
  type ObservedTurn,
} from '../../engine/core/workflow-test/judge.js';
import { matchPart, matchText } from '../../engine/core/workflow-test/match.js';
import { givenFor, startOfWorld } from '../../engine/core/workflow-test/world-start.js';
import type { Scenario } from '../../engine/generated/scenario.js';
import type { ExpectedCall, WorkflowTest } from '../../engine/generated/workflow-test.js';

describe('answers are found by turn and command key', () => {
  const turns = {
    '1': { 'bob/act/round-1/try-1': 'of turn 1', 'turn/weather@0123456789ab': 'of one binding' },
    '*': { 'bob/act/round-1/try-1': 'of any turn', 'turn/weather': 'of the name' },
  };
  const cases: readonly (readonly [number, string, string | undefined])[] = [
    [1, 'bob/act/round-1/try-1', 'of turn 1'],
    [2, 'bob/act/round-1/try-1', 'of any turn'],
    [1, 'turn/weather@0123456789ab', 'of one binding'],
    [1, 'turn/weather@ba9876543210', 'of the name'],
    [2, 'turn/weather@0123456789ab', 'of the name'],
    [1, 'toString', undefined],
    [1, 'bob/act/round-1/try-2', undefined],
  ];
  for (const [turn, key, value] of cases) {
    test(`turn ${turn}, ${key}: ${value ?? 'nothing'}`, () =>
      assert.equal(findScripted(turns, { turn, key })?.value, value));
  }

  test('a client request id holds a world, a turn and a key', () => {
    assert.deepEqual(parseClientRequestId('park/turn-12/bob/look/call'), {
      world_slug: 'park',
      turn: 12,
      key: 'bob/look/call',
    });
    assert.equal(parseClientRequestId('park/turn-0/bob/look/call'), undefined);
  });
});

test('a command key is described in words', () => {
  const keys = [
    'turn/weather@0123456789ab',
    'bob/ambient/inbox',
    'bob/look/call',
    'bob/act/round-2/try-3',
    'bob/act/round-1/try-2/tool',
  ];
  assert.deepEqual(
    keys.map((key) => describeKey(key).what),
    [
      'the ambient source weather of the turn',
      'the ambient source inbox of bob',
      'the call of node look of bob',
      'the model of bob, in round 2 of node act, try 3',
      'the tool that the model of bob called in round 1 of node act',
    ],
  );
});

describe('expectations say only what they say', () => {
  const actual = { status: 'sold', items: [{ name: 'bar', price: 1 }], note: null };
  const fitting = [{}, { status: 'sold' }, { items: [{}] }, { items: [{ name: 'bar' }] }, { note: null }, undefined];
  for (const expected of fitting) {
    test(`${JSON.stringify(expected)} fits`, () => assert.deepEqual(matchPart([], expected, actual), []));
  }
  const others: readonly (readonly [object | string, string])[] = [
    [{ status: 'empty' }, '/status'],
    [{ items: [] }, '/items'],
    [{ items: [{ name: 'bar' }, {}] }, '/items'],
    [{ items: [{ price: '1' }] }, '/items/0/price'],
    [{ items: { 0: {} } }, '/items'],
    [{ note: {} }, '/note'],
    [{ toString: 'x' }, '/toString'],
    ['sold', ''],
  ];
  for (const [expected, pointer] of others) {
    test(`${JSON.stringify(expected)} differs at ${pointer || 'the top'}`, () =>
      assert.deepEqual(
        matchPart([], expected as never, actual).map((difference) => difference.pointer),
        [pointer],
      ));
  }

  test('a text contains all that it must, and nothing that it must not', () => {
    assert.deepEqual(matchText([], { contains: ['a', 'b'], lacks: 'c' }, 'ab'), []);
    assert.deepEqual(
      matchText([], { contains: ['a', 'x'], lacks: ['b', 'c'] }, 'ab').map(({ pointer, expected }) => [
        pointer,
        expected,
      ]),
      [
        ['/contains', 'x'],
        ['/lacks', 'b'],
      ],
    );
    assert.equal(matchText([], 'ab', 'abc').length, 1);
  });
});

const COMMITTED: ObservedTurn = {
  attempted_turn: 1,
  status: 'committed',
  failure: undefined,
  patches: [{ subject: 'bob', node: 'act', narration: 'Bob waits.', effects: [] }],
  calls: [],
  rejections: [],
};
const FAILED: ObservedTurn = {
  ...COMMITTED,
  status: 'failed',
  failure: { class: 'timeout', subject: 'bob', node: null, key: 'turn/weather@0123456789ab', message: 'no answer' },
  patches: [],
};

function judge(test: Partial<WorkflowTest>, ...turns: readonly ObservedTurn[]): readonly string[] {
  const observed: Observed = { turns, world: { turn: 1, entities: new Map(), environments: new Map() } };
  return judgeTest({ expect: {}, ...test }, observed).map(({ pointer, message }) => `${pointer} ${message}`);
}

describe('the outcome of a turn', () => {
  test('a turn of which nothing is expected must be committed', () => {
    assert.deepEqual(judge({}, COMMITTED), []);
    assert.deepEqual(judge({}, FAILED), [
      '/expect turn 1 failed with timeout at the call turn/weather@0123456789ab: no answer',
    ]);
  });

  test('a failure is expected in part, and keys of the turn may leave their hash out', () => {
    const failure = { class: 'timeout', key: 'turn/weather', message: { contains: 'answer' } } as const;
    assert.deepEqual(judge({ expect: { turns: { 1: { failure } } } }, FAILED), []);
    assert.deepEqual(judge({ expect: { turns: { 1: { failure } } } }, COMMITTED), [
      '/expect/turns/1/failure turn 1 did not fail',
    ]);
    assert.deepEqual(judge({ expect: { turns: { 1: { failure: { class: 'transport', node: 'act' } } } } }, FAILED), [
      '/expect/turns/1/failure/class it is not as expected',
      '/expect/turns/1/failure/node it is not as expected',
    ]);
  });

  test('turns that were to come after a failure were not reached', () => {
    const expect = { turns: { 1: { failure: { class: 'timeout' } as const }, 2: { tools: [] } } };
    assert.deepEqual(judge({ turns: 2, expect }, FAILED), ['/expect/turns/2 turn 2 was not reached']);
  });

  test('the outcome of a turn lists are whole: what is too much differs too', () => {
    assert.deepEqual(judge({ expect: { turns: { 1: { patches: [] } } } }, COMMITTED), [
      '/expect/turns/1/patches 1 patches, and not 0',
    ]);
    assert.deepEqual(judge({ expect: { turns: { 1: { patches: [{}] } } } }, COMMITTED), []);
  });

  test('the text of an effect must be there only where one is expected, and then must fit', () => {
    const judgeEffect = (state: string | undefined, expected: string | undefined): readonly string[] => {
      const effect = { op: 'set_entity_state', entity_id: 'bob', ...(state === undefined ? {} : { state }) } as const;
      const patch = { effects: [expected === undefined ? {} : { state: expected }] };
      const patches = [{ subject: 'bob', node: 'act', narration: 'Bob sits.', effects: [effect] }];
      return judge({ expect: { turns: { 1: { patches: [patch] } } } }, { ...COMMITTED, patches });
    };
    const place = '/expect/turns/1/patches/0/effects/0/state';
    assert.deepEqual(judgeEffect('seated', 'seated'), []);
    assert.deepEqual(judgeEffect('seated', 'asleep'), [`${place} it is not as expected`]);
    assert.deepEqual(judgeEffect(undefined, undefined), []);
    assert.deepEqual(judgeEffect(undefined, 'seated'), [`${place} it is not there`]);
  });
});

describe('an expected call', () => {
  const made: ObservedCall = {
    key: 'bob/act/round-1/try-1',
    status: 'failed',
    failure: 'timeout',
    detail: 'http_status',
    output: 'invalid',
    tool: 'buy_candy',
    request: { button: 'C', coins: 2 },
    response: { candy: true },
    prompt: 'Bob is hungry.',
  };
  const judgeCall = (call: ExpectedCall, key = made.key): readonly string[] =>
    judge({ expect: { turns: { 1: { calls: { [key]: call } } } } }, { ...COMMITTED, calls: [made] });
  const place = '/expect/turns/1/calls/bob~1act~1round-1~1try-1';
  const same = {
    status: 'failed',
    failure: 'timeout',
    detail: 'http_status',
    output: 'invalid',
    tool: 'buy_candy',
    request: { button: 'C' },
    response: {},
    prompt: { contains: 'hungry' },
  } as unknown as ExpectedCall;
  const other: Readonly<Record<string, unknown>> = {
    status: 'succeeded',
    failure: 'transport',
    detail: 'grammar',
    output: 'tool_call',
    tool: 'look',
    request: { button: 'A' },
    response: { candy: false },
    prompt: { contains: 'thirsty' },
  };

  test('a call that fits passes', () => assert.deepEqual(judgeCall(same), []));

  for (const [field, value] of Object.entries(other)) {
    test(`a call whose ${field} is another differs there only`, () => {
      const found = judgeCall({ ...same, [field]: value });
      assert.equal(found.length, 1, found.join());
      assert.ok(found[0]?.startsWith(`${place}/${field}`), found.join());
    });
  }

  test('a call that was not made is named with those that were', () => {
    assert.deepEqual(judgeCall(same, 'bob/act/round-2/try-1'), [
      '/expect/turns/1/calls/bob~1act~1round-2~1try-1 this call was not made; made were: bob/act/round-1/try-1',
    ]);
  });

  test('a call without a prompt has none to compare', () => {
    const asked = { ...COMMITTED, calls: [{ ...made, prompt: undefined }] };
    const expect = { turns: { 1: { calls: { [made.key]: { prompt: 'x' } } } } };
    assert.deepEqual(judge({ expect }, asked), [`${place}/prompt no model was asked here, so there is no prompt`]);
  });

  test('a call that must not be made differs where it was', () => {
    const expect = { turns: { 1: { not_called: ['ant/act/round-1/try-1', made.key] } } };
    assert.deepEqual(judge({ expect }, { ...COMMITTED, calls: [made] }), [
      `/expect/turns/1/not_called/1 the call ${made.key} was made`,
    ]);
  });
});

describe('an expected world', () => {
  const observed: Observed = {
    turns: [COMMITTED],
    world: {
      turn: 1,
      entities: new Map([['bob', { state: 'idle', memory: ['I came.', 'I saw.'] }]]),
      environments: new Map([['park', 'Grass.']]),
    },
  };
  const judgeWorld = (world: NonNullable<WorkflowTest['expect']['world']>): readonly string[] =>
    judgeTest({ expect: { world } }, observed).map(({ pointer }) => pointer);

  test('a world that fits passes', () => {
    const bob = { state: 'idle', memory: ['I came.', 'I saw.'], remembers: ['I saw.'] };
    const world = { turn: 1, entities: { bob }, environments: { park: { content: 'Grass.' } } };
    assert.deepEqual(judgeWorld(world), []);
  });

  test('each part of a world differs at its own place', () => {
    const bob = { state: 'awake', memory: ['I came.', 'I left.'], remembers: ['I saw.', 'I won.'] };
    const world = { turn: 2, entities: { bob, ant: {} }, environments: { park: { content: 'Sand.' } } };
    assert.deepEqual(judgeWorld(world), [
      '/expect/world/turn',
      '/expect/world/entities/bob/state',
      '/expect/world/entities/bob/memory/1',
      '/expect/world/entities/bob/remembers/1',
      '/expect/world/entities/ant',
      '/expect/world/environments/park/content',
    ]);
  });
});

test('a world must be given what its scenario does not begin with', () => {
  const scenario = {
    environments: [{ label: 'park', content: 'Grass.' }],
    entities: [
      { id: 'bob', name: 'Bob', kind: 'agent', state: 'idle', memory: ['I came.'] },
      { id: 'cup', name: 'Cup', kind: 'prop', state: 'full' },
    ],
  } as unknown as Scenario;
  const given = { turn: 4, entities: { bob: { memory: ['I came.', { content: 'I drank.', turn: 3 }] } } };
  const start = startOfWorld(scenario, given);
  assert.deepEqual(start.entities[0]?.memory, [
    { content: 'I came.', turn: 0 },
    { content: 'I drank.', turn: 3 },
  ]);
  assert.deepEqual(givenFor(scenario, start), given);
  assert.deepEqual(givenFor(scenario, startOfWorld(scenario)), {});
});

test('a world is given where its values come from, also where they are those of the scenario', () => {
  const scenario = {
    environments: [{ label: 'park', content: 'Grass.' }],
    entities: [{ id: 'bob', name: 'Bob', kind: 'agent', state: 'idle', memory: ['I came.'] }],
  } as unknown as Scenario;
  const origins = ['model', 'source:inbox', 'world'] as const;
  const start: ReturnType<typeof startOfWorld> = {
    turn: 4,
    environments: [{ label: 'park', content: 'Grass.', origins }],
    entities: [{ id: 'bob', state: 'idle', origins, memory: [{ content: 'I came.', turn: 0, origins }] }],
  };
  const given = givenFor(scenario, start);
  assert.deepEqual(given, {
    turn: 4,
    environments: { park: { content: 'Grass.', origins } },
    entities: { bob: { origins, memory: [{ content: 'I came.', turn: 0, origins }] } },
  });
  assert.deepEqual(startOfWorld(scenario, given), start);
});
