import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { median } from '../../tools/bench/measures.js';
import { type Goal, renderTable, type Row, toRow } from '../../tools/bench/row.js';
import { type CapturedCall, withStage } from '../../tools/bench/stage.js';
import { ENGINE, runTurnAbout, splitTurns } from '../../tools/bench/turns/turn-about.js';
import { openWorlds, UNIT_TURN } from '../../tools/bench/worlds.js';

test('a verdict reaches its goal up to its value, and its stretch is excellent', () => {
  const cases: readonly (readonly [value: number, goal: Goal, expected: Row['verdict']])[] = [
    [2, { kind: 'at_most', value: 3, stretch: 2 }, 'excellent'],
    [2.01, { kind: 'at_most', value: 3, stretch: 2 }, 'good'],
    [3.01, { kind: 'at_most', value: 3, stretch: 2 }, 'missed'],
    [0.79, { kind: 'at_least', value: 0.8, stretch: 1.2 }, 'missed'],
    [0.8, { kind: 'at_least', value: 0.8, stretch: 1.2 }, 'good'],
    [1.2, { kind: 'at_least', value: 0.8, stretch: 1.2 }, 'excellent'],
    [2, { kind: 'exactly', value: 2 }, 'good'],
    [2.5, { kind: 'exactly', value: 2 }, 'missed'],
    [Number.NaN, { kind: 'at_most', value: 3, stretch: 2 }, 'missed'],
    [Number.NaN, { kind: 'at_least', value: 3 }, 'missed'],
  ];
  const figure = { id: 'a', what: 'a', unit: 'x', note: '' } as const;
  for (const [value, goal, expected] of cases)
    assert.equal(toRow({ ...figure, value, goal }).verdict, expected, `${value} against ${JSON.stringify(goal)}`);
});

test('a row of the table has the figure in three digits, its goal, and the verdict', () => {
  const goal: Goal = { kind: 'at_most', value: 4, stretch: 2 };
  const table = renderTable([
    toRow({ id: 'a', what: 'a start', value: 4.567, unit: 's', goal, note: 'five starts' }),
    toRow({ id: 'b', what: 'memory', value: 431.49, unit: 'MB', note: '' }),
  ]);
  for (const part of ['a start', '4.57 s', '<= 4 s (2)', 'missed', 'five starts', '431 MB'])
    assert.ok(table.includes(part), part);
});

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 10, 2]), 3);
  assert.throws(() => median([]), /nothing was measured/);
});

test('captured calls are distinguished by world and turn', () => {
  const call = (client_request_id: string) => ({ to: 'toy' as const, url: '', body: null, client_request_id });
  const turns = splitTurns([
    call('w/turn-1/turn/a'),
    call('w/turn-1/bob/act/round-1/try-1'),
    call('w/turn-10/turn/a'),
    call('v/turn-1/turn/a'),
  ]);
  assert.deepEqual(
    turns.map((calls) => calls.length),
    [2, 1, 1],
  );
});

test('the unit turn makes a reading, a generation, a tool call and a generation', async () => {
  const calls = await withStage(async (stage) => {
    const played = { ...UNIT_TURN, world_slugs: ['unit'] };
    const worlds = await openWorlds({ CHUKWA_DATABASE_URL: 'memory:' }, stage.first, played);
    await worlds.turn();
    await worlds.close();
    return stage.ask({});
  });
  const [reading, ...others] = calls.map(toKey);
  assert.match(reading ?? '', /^turn\/park_weather@/);
  assert.deepEqual(others, ['bob/act/round-1/try-1', 'bob/act/round-1/try-1/tool', 'bob/act/round-2/try-1']);
});

function toKey({ client_request_id }: CapturedCall): string {
  return client_request_id.split('/').slice(2).join('/');
}

describe('arms that run turn about', () => {
  const call = { to: 'toy' as const, url: '', body: null, client_request_id: 'w/turn-1/turn/a' };
  const run = async () => {
    const order: string[] = [];
    const stage = { ask: async () => [call] };
    const engine = { turn: async () => void order.push(ENGINE) };
    const armOf = (name: string, ms: number) => ({
      ask: async ({ turns }: { readonly turns: readonly (readonly unknown[])[] }) => {
        order.push(`${name} ${turns.flat().length}`);
        return { ms, cpu_ms: 1 };
      },
    });
    const others = new Map([
      ['one', armOf('one', 2)],
      ['other', armOf('other', 6)],
    ]);
    const plan = { warm_up_blocks: 1, blocks: 2, rounds_per_block: 1, at_once: 1 };
    return { order, compared: await runTurnAbout(stage, { engine, others }, plan) };
  };
  test('take turns at being first, and the others repeat the calls of the engine', async () => {
    const { order } = await run();
    const blocks = [
      [ENGINE, 'one 1', 'other 1'],
      ['one 1', 'other 1', ENGINE],
      ['other 1', ENGINE, 'one 1'],
    ];
    assert.deepEqual(order, blocks.flat());
  });
  test('arms that run turn about are compared block by block, without the warm-up', async () => {
    const { compared } = await run();
    assert.equal(compared.ratio('ms', 'other', 'one'), 3);
    assert.equal(compared.median('cpu_ms', 'other'), 1);
    assert.ok(Number.isNaN(compared.median('ms', 'nobody')));
  });
});
