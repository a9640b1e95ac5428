import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MeteredCall } from '../../../engine/core/cost/cost.js';
import { type AskingNode, estimateTurns } from '../../../engine/core/cost/estimate.js';
import type { CostOf } from '../../../engine/core/cost/price-book.js';

const NODE: AskingNode = {
  subject_id: 'bob',
  node_id: 'act',
  model: 'priced',
  endpoint_origin: null,
  least: { input_tokens: 90, output_tokens: 10 },
  token_budget: 10_000,
  calls_max: 4,
  output_tokens_max: 500,
};

const CALL: MeteredCall = {
  attempt_id: 'one',
  attempted_turn: 1,
  subject_id: 'bob',
  node_id: 'act',
  model: 'another',
  endpoint_origin: null,
  at: 0,
  status: 'succeeded',
  is_superseded: false,
  is_adopted: false,
  usage: { input_tokens: 100, output_tokens: 10 },
  estimated: null,
};

/** A millionth of a dollar for each token. */
const costOf: CostOf = ({ input_tokens, output_tokens }, model) =>
  model === 'priced' ? (input_tokens + output_tokens) * 1_000 : null;
const prices = { costOf, at: 0 };

const turn = (attempted_turn: number, input_tokens: number): MeteredCall => ({
  ...CALL,
  attempted_turn,
  usage: { input_tokens, output_tokens: 0 },
});

test('earlier turns give the least, the mean and the 95th percentile, at the price of the model that will be asked', () => {
  const earlier = [turn(1, 100), turn(1, 100), turn(2, 600), turn(3, 100), { ...CALL, usage: null }];
  const { earlier_turns, least, likely, most } = estimateTurns(10, [NODE], earlier, prices);
  assert.deepEqual(
    [earlier_turns, least, likely, most],
    [
      3,
      { calls: 10, input_tokens: 1_000, output_tokens: 0, usd: 0.001 },
      { calls: 13, input_tokens: 3_000, output_tokens: 0, usd: 0.003 },
      { calls: 20, input_tokens: 6_000, output_tokens: 0, usd: 0.006 },
    ],
  );
});

test('without an earlier turn authors say the least and the limit, and the likely lies between', () => {
  const { earlier_turns, least, likely, most, limit } = estimateTurns(2, [NODE, NODE], [], prices);
  assert.equal(earlier_turns, 0);
  assert.deepEqual(least, { calls: 4, input_tokens: 360, output_tokens: 40, usd: 0.0004 });
  assert.deepEqual(likely, { calls: 8, input_tokens: 3_600, output_tokens: 400, usd: 0.004 });
  // Four answers of 500 tokens.
  assert.deepEqual(limit, { calls: 16, input_tokens: 32_000, output_tokens: 8_000, usd: 0.04 });
  assert.deepEqual(most, limit);
});

test('one unknown price leaves the money unknown, never too low', () => {
  const { least, most } = estimateTurns(1, [NODE, { ...NODE, model: 'unknown' }], [], prices);
  assert.deepEqual([least.usd, most.usd], [null, null]);
});

test('the least is never more than the likely', () => {
  const count = fc.integer({ min: 0, max: 100_000 });
  const calls = fc.array(fc.record({ attempted_turn: fc.integer({ min: 1, max: 30 }), input: count }), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(calls, (made) => {
      const earlier = made.map(({ attempted_turn, input }) => turn(attempted_turn, input));
      const { least, likely } = estimateTurns(7, [NODE], earlier, prices);
      assert.ok(least.input_tokens <= likely.input_tokens && (least.usd ?? 0) <= (likely.usd ?? 0));
    }),
  );
});
