import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MeteredCall } from '../../../engine/core/cost/cost.js';
import { type AskedModel, type AskingNode, estimateTurns } from '../../../engine/core/cost/estimate.js';
import type { CostOf } from '../../../engine/core/cost/price-book.js';

const MODEL: AskedModel = {
  is_gate: false,
  model: 'priced',
  endpoint_origin: null,
  least: { input_tokens: 90, output_tokens: 10 },
  calls_max: 4,
  output_tokens_max: 500,
};

const NODE: AskingNode = { subject_id: 'bob', node_id: 'act', asked: [MODEL], token_budget: 10_000, calls_max: 4 };

const asking = (model: string): AskingNode => ({ ...NODE, asked: [{ ...MODEL, model }] });

/** Its gate asks a model that costs ten times as much. */
const GATED: AskingNode = {
  ...NODE,
  asked: [MODEL, { ...MODEL, is_gate: true, model: 'dear', least: { input_tokens: 290, output_tokens: 10 } }],
  calls_max: 8,
};

const CALL: MeteredCall = {
  attempt_id: 'one',
  attempted_turn: 1,
  subject_id: 'bob',
  node_id: 'act',
  is_gate: false,
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
const costOf: CostOf = ({ input_tokens, output_tokens }, model) => {
  const price = model === 'dear' ? 10_000 : 1_000;
  return model === 'unknown' || model === 'another' ? null : (input_tokens + output_tokens) * price;
};
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
  const { least, most } = estimateTurns(1, [NODE, asking('unknown')], [], prices);
  assert.deepEqual([least.usd, most.usd], [null, null]);
});

test('a gate is estimated as its own model, and shares the budget of its node', () => {
  const { least, likely, limit } = estimateTurns(1, [GATED], [], prices);
  assert.deepEqual(least, { calls: 2, input_tokens: 380, output_tokens: 20, usd: 0.0001 + 0.003 });
  // Five times as much as the least, and as much of it for the gate.
  assert.deepEqual(likely, { calls: 4, input_tokens: 1_900, output_tokens: 100, usd: 0.0005 + 0.015 });
  // Eight answers of 500 tokens; no more is paid than where the dearer model uses it all.
  assert.deepEqual(limit, { calls: 8, input_tokens: 6_000, output_tokens: 4_000, usd: 0.1 });
  const earlier = [turn(1, 100), { ...turn(1, 200), is_gate: true }];
  const observed = estimateTurns(1, [GATED], earlier, prices).likely;
  assert.deepEqual(observed, { calls: 2, input_tokens: 300, output_tokens: 0, usd: 0.0001 + 0.002 });
});

test('a fallback raises the limit alone', () => {
  const fallback: AskedModel = { ...MODEL, model: 'dear', least: null };
  const estimated = estimateTurns(1, [{ ...NODE, asked: [MODEL, fallback] }], [], prices);
  const { least, likely, limit } = estimateTurns(1, [NODE], [], prices);
  assert.deepEqual([estimated.least, estimated.likely], [least, likely]);
  assert.equal(estimated.limit.usd, (limit.usd ?? 0) * 10);
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
