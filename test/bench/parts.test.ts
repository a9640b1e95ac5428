import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTable, toRow } from '../../tools/bench/figures.js';
import { compareArms, median } from '../../tools/bench/measures.js';
import { startServices } from '../../tools/bench/services.js';
import { onStage } from '../../tools/bench/stage.js';
import { keyOf } from '../../tools/bench/turns/bare-turn.js';
import { splitTurns } from '../../tools/bench/turns/measure.js';
import { openWorlds, UNIT_TURN } from '../../tools/bench/worlds.js';

test('a figure reaches its target up to its value', () => {
  const cases = [
    ['start_empty', 4, 'good'],
    ['start_empty', 4.01, 'missed'],
    ['embedded_rate', 0.8, 'good'],
    ['embedded_rate', 0.79, 'missed'],
    ['start_empty', Number.NaN, 'missed'],
    ['embedded_rate', Number.NaN, 'missed'],
  ] as const;
  for (const [id, value, expected] of cases) assert.equal(toRow(id, value).verdict, expected, `${id} of ${value}`);
});

test('a row of the table has the figure in three digits, its target, and the verdict', () => {
  const table = renderTable([
    toRow('start_empty', 4.567, 'five starts'),
    { id: 'b', what: 'memory', value: 431.49, unit: 'MB', note: '' },
  ]);
  for (const part of ['start to answer', '4.57 s', '<= 4 s', 'missed', 'five starts', '431 MB'])
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
  const calls = await onStage(async (stage) => {
    const services = await startServices(stage);
    const variables = { ...services.variables, CHUKWA_DATABASE_URL: 'memory:' };
    const worlds = await openWorlds(stage, variables, UNIT_TURN, ['unit']);
    await worlds.turn('unit');
    return services.ask({});
  });
  const [reading, ...others] = calls.map(keyOf);
  assert.match(reading ?? '', /^turn\/park_weather@/);
  assert.deepEqual(others, ['bob/act/round-1/try-1', 'bob/act/round-1/try-1/tool', 'bob/act/round-2/try-1']);
});

test('arms that run turn about take turns at being first, and are compared block by block without the warm-up', async () => {
  const order: string[] = [];
  const arm = (name: string, ms: number) => async () => {
    order.push(name);
    return { ms: order.length > 3 ? ms : 1_000, cpu_ms: 1, others_ms: 0, database_ms: 0 };
  };
  const arms = { one: arm('one', 2), other: arm('other', 6), third: arm('third', 1) };
  const compared = await compareArms(arms, { warm_up_blocks: 1, blocks: 2 });
  const blocks = ['one other third', 'other third one', 'third one other'];
  assert.deepEqual(order, blocks.join(' ').split(' '));
  assert.equal(compared.ratio('ms', 'other', 'one'), 3);
  assert.equal(compared.median('cpu_ms', 'other'), 1);
  assert.ok(Number.isNaN(compared.median('ms', 'nobody')));
});
