import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openProgressLine } from '../../tools/bench/progress.js';
import { renderTable, renderValue } from '../../tools/bench/render-table.js';
import { type Goal, judge, toRow, type Verdict } from '../../tools/bench/row.js';
import type { CapturedCall } from '../../tools/bench/stage/captured-call.js';
import { toAnswers } from '../../tools/bench/stage/script.js';
import { openBenchStage } from '../../tools/bench/stage/stage.js';
import { median } from '../../tools/bench/statistics.js';
import { openEngineArm, UNIT_TURN } from '../../tools/bench/turns/engine-arm.js';
import { ENGINE, medianOf, ratioOf, runTurnAbout, splitTurns } from '../../tools/bench/turns/turn-about.js';
import { countTrips } from '../../tools/bench/wire/count-trips.js';

describe('verdicts', () => {
  const check = (value: number, goal: Goal, expected: Verdict): void => {
    assert.equal(judge(value, goal), expected, `${value} against ${JSON.stringify(goal)}`);
  };
  test('a limit is kept up to its value, and excellently up to its stretch', () => {
    const goal: Goal = { kind: 'at_most', value: 3, stretch: 2 };
    check(2, goal, 'excellent');
    check(2.01, goal, 'good');
    check(3, goal, 'good');
    check(3.01, goal, 'missed');
  });
  test('a floor is reached from its value on, and excellently from its stretch on', () => {
    const goal: Goal = { kind: 'at_least', value: 0.8, stretch: 1.2 };
    check(0.79, goal, 'missed');
    check(0.8, goal, 'good');
    check(1.2, goal, 'excellent');
  });
  test('a count is right or wrong', () => {
    check(2, { kind: 'exactly', value: 2 }, 'good');
    check(2.5, { kind: 'exactly', value: 2 }, 'missed');
    check(1, { kind: 'exactly', value: 2 }, 'missed');
  });
  test('a figure that was not measured reaches no goal', () => {
    check(Number.NaN, { kind: 'at_most', value: 3, stretch: 2 }, 'missed');
    check(Number.NaN, { kind: 'at_least', value: 3 }, 'missed');
  });
});

describe('the table', () => {
  test('a row has the figure, its goal, and the verdict', () => {
    const goal: Goal = { kind: 'at_most', value: 4, stretch: 2 };
    const table = renderTable([
      toRow({ id: 'a', what: 'a start', value: 4.567, unit: 's', goal, note: 'five starts' }),
    ]);
    for (const part of ['a start', '4.57 s', '<= 4 s (2)', 'missed', 'five starts'])
      assert.ok(table.includes(part), part);
  });
  test('large values have no decimals and small ones two', () => {
    assert.equal(renderValue(431.49, 'MB'), '431 MB');
    assert.equal(renderValue(32.84, 'µs'), '32.8 µs');
    assert.equal(renderValue(0.375, 'ms'), '0.38 ms');
  });
  test('progress is written to terminals only', () => {
    const write = (isTTY: boolean): string => {
      let written = '';
      const line = openProgressLine({ isTTY, write: (text: string | Uint8Array) => ((written += String(text)), true) });
      line.say('measuring');
      return written;
    };
    assert.match(write(true), /measuring/);
    assert.equal(write(false), '');
  });
});

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 10, 2]), 3);
  assert.throws(() => median([]), /nothing was measured/);
});

describe('round trips of a turn', () => {
  test('everything from the first start to the last finish is of the calls', () => {
    const statements = [
      'BEGIN',
      'chukwa_lock_world_0a1b',
      'COMMIT',
      'chukwa_write_calls_1a2b',
      'chukwa_flush_chunks_2a3b',
      'BEGIN',
      'chukwa_write_calls_3a4b',
      'chukwa_commit_turn_4a5b',
    ];
    assert.deepEqual(countTrips(statements), { before_calls: 3, of_calls: 4, of_flushes: 1, after_calls: 1 });
    const together = ['chukwa_claim_free_world_5a6b', 'chukwa_write_calls_1a2b', 'chukwa_commit_turn_with_answer_6a7b'];
    assert.deepEqual(countTrips(together), { before_calls: 1, of_calls: 2, of_flushes: 0, after_calls: 0 });
    const asLeft = ['chukwa_begin_as_left_7a8b', 'chukwa_write_calls_8a9b', 'chukwa_commit_turn_with_answer_6a7b'];
    assert.deepEqual(countTrips(asLeft), { before_calls: 0, of_calls: 3, of_flushes: 0, after_calls: 0 });
  });
  test('a turn without calls is an error, not a perfect score', () => {
    assert.throws(() => countTrips(['BEGIN', 'COMMIT']), /no call/);
  });
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

test('the model says something else in every turn, and streams for long in one', () => {
  const { turns } = toAnswers(2, 2);
  assert.notDeepEqual(turns['1'], turns['2']);
  const long = turns['2']?.['bob/act/round-2/try-1'];
  assert.ok(long !== undefined && 'text' in long && long.text.length > 20_000);
  assert.equal(JSON.parse(long.text).kind, 'final_patch');
});

test('the unit turn makes a reading, a generation, a tool call and a generation', async () => {
  const stage = await openBenchStage();
  try {
    const arm = await openEngineArm({ CHUKWA_DATABASE_URL: 'memory:' }, stage.variables, { scenario: UNIT_TURN });
    try {
      await arm.turn();
    } finally {
      await arm.close();
    }
    const [reading, ...others] = (await stage.takeCalls()).map(toKey);
    assert.match(reading ?? '', /^turn\/park_weather@/);
    assert.deepEqual(others, ['bob/act/round-1/try-1', 'bob/act/round-1/try-1/tool', 'bob/act/round-2/try-1']);
  } finally {
    await stage.close();
  }
});

function toKey({ client_request_id }: CapturedCall): string {
  return client_request_id.split('/').slice(2).join('/');
}

describe('arms that run turn about', () => {
  const call = { to: 'toy' as const, url: '', body: null, client_request_id: 'w/turn-1/turn/a' };
  const run = async () => {
    const order: string[] = [];
    let spent = 0;
    const stage = { takeCalls: async () => [call] } as unknown as Parameters<typeof runTurnAbout>[0];
    const engine = { turn: async () => (order.push(ENGINE), { attempt_id: '' }) };
    const floorOf = (name: string, ms: number) => ({
      run: async ({ turns }: { readonly turns: readonly (readonly unknown[])[] }) => {
        order.push(`${name} ${turns.flat().length}`);
        return { ms, cpu_ms: 1 };
      },
    });
    const floors = new Map([
      ['one', floorOf('one', 2)],
      ['other', floorOf('other', 6)],
    ]);
    const plan = { warm_up_blocks: 1, blocks: 2, rounds_per_block: 1, at_once: 1 };
    const readDatabaseMs = async (arm: string) => (arm === 'other' ? (spent += 3) : 0);
    return { order, blocks: await runTurnAbout(stage, { engine, floors, readDatabaseMs }, plan) };
  };
  test('take turns at being first, and the floors repeat the calls of the engine', async () => {
    const { order } = await run();
    const blocks = [
      [ENGINE, 'one 1', 'other 1'],
      ['one 1', 'other 1', ENGINE],
      ['other 1', ENGINE, 'one 1'],
    ];
    assert.deepEqual(order, blocks.flat());
  });
  test('arms that run turn about are compared block by block, without the warm-up', async () => {
    const { blocks } = await run();
    assert.equal(blocks.length, 2);
    assert.equal(ratioOf(blocks, 'ms', { of: 'other', over: 'one' }), 3);
    assert.equal(medianOf(blocks, 'database_ms', 'other'), 3);
    assert.ok(Number.isNaN(medianOf(blocks, 'ms', 'nobody')));
  });
});
