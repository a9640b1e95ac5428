import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  COST_GROUPS,
  type Cost,
  groupCosts,
  type MeteredCall,
  standingOf,
  sumCosts,
  toUsed,
} from '../../../engine/core/cost/cost.js';
import type { PriceAll } from '../../../engine/core/cost/price-book.js';

const count = fc.integer({ min: 0, max: 10_000_000 });
const usage = fc
  .record({ input_tokens: count, output_tokens: count, cached: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ cached, ...counts }) => ({ ...counts, cached_input_tokens: Math.floor(counts.input_tokens * cached) }));

const call: fc.Arbitrary<MeteredCall> = fc.record({
  attempt_id: fc.constant('one'),
  attempted_turn: fc.integer({ min: 1, max: 5 }),
  subject_id: fc.constantFrom('bob', 'ann', 'dog'),
  node_id: fc.constantFrom('act', 'think'),
  is_gate: fc.boolean(),
  model: fc.constantFrom('gpt-5-mini', 'unknown', null),
  endpoint_origin: fc.constantFrom('https://api.openai.com', null),
  at: fc.constant(0),
  status: fc.constantFrom('running', 'succeeded', 'failed', 'interrupted'),
  is_superseded: fc.boolean(),
  is_adopted: fc.boolean(),
  usage: fc.option(usage),
  estimated: fc.option(fc.record({ input_tokens: count, output_tokens: count })),
});

/** A third of a millionth of a dollar for each token of input. */
const priceAll: PriceAll = ({ usage: { input_tokens, output_tokens }, model }) =>
  model === 'gpt-5-mini' ? input_tokens * 333_333 + output_tokens * 1_700_000 : null;

/** The members that add up. */
const ADDED = [
  'calls',
  'input_tokens',
  'cached_input_tokens',
  'cache_written_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'unpriced_calls',
  'estimated_calls',
  'uncounted_calls',
] as const satisfies readonly (keyof Cost)[];

/** Trillionths of a dollar are whole numbers, and add up exactly. */
const trillionths = ({ usd }: Cost): number => Math.round((usd ?? 0) * 1e12);

test('by whatever calls are added up, the total is the sum of its rows and of its calls', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const total = sumCosts(calls.map(toUsed), priceAll);
      const each = calls.map((one) => sumCosts([toUsed(one)], priceAll));
      for (const rows of [each, ...groupCosts(calls, COST_GROUPS, priceAll).map((group) => group.rows)]) {
        for (const name of ADDED)
          assert.equal(
            rows.reduce((sum, row) => sum + row[name], 0),
            total[name],
            name,
          );
        assert.equal(
          rows.reduce((sum, row) => sum + trillionths(row), 0),
          trillionths(total),
        );
        // Of calls without a price the money is unknown, never nothing.
        assert.equal(
          total.usd === null,
          rows.every(({ usd }) => usd === null),
        );
      }
    }),
  );
});

const CALL: MeteredCall = {
  attempt_id: 'one',
  attempted_turn: 1,
  subject_id: 'bob',
  node_id: 'act',
  is_gate: false,
  model: 'gpt-5-mini',
  endpoint_origin: null,
  at: 0,
  status: 'succeeded',
  is_superseded: false,
  is_adopted: false,
  usage: { input_tokens: 100, output_tokens: 10 },
  estimated: null,
};

for (const [change, standing] of [
  [{}, 'answered'],
  [{ is_adopted: true }, 'adopted'],
  [{ is_adopted: true, is_superseded: true }, 'superseded'],
  [{ status: 'failed' }, 'failed'],
  [{ status: 'interrupted' }, 'failed'],
  [{ status: 'pending' }, 'open'],
] as const)
  test(`a call with ${JSON.stringify(change)} is ${standing}`, () => {
    assert.equal(standingOf({ ...CALL, ...change }), standing);
  });

test('a gate is shown apart from its node', () => {
  const [by_node] = groupCosts([CALL, { ...CALL, is_gate: true }], ['node'], priceAll);
  assert.deepEqual(
    by_node?.rows.map(({ of, calls }) => [of, calls]),
    [
      ['act', 1],
      ['act gate', 1],
    ],
  );
});

test('an estimate stands in for counts that are missing, and is marked', () => {
  const estimated = { input_tokens: 50, output_tokens: 5 };
  const { input_tokens, estimated_calls, uncounted_calls } = sumCosts(
    [CALL, { ...CALL, usage: null, estimated }].map(toUsed),
    priceAll,
  );
  assert.deepEqual(
    { input_tokens, estimated_calls, uncounted_calls },
    { input_tokens: 150, estimated_calls: 1, uncounted_calls: 0 },
  );
});

test('a call that ended uncounted is said to be, and one that is open is not', () => {
  const calls = [
    { ...CALL, usage: null },
    { ...CALL, usage: null, status: 'running' as const },
  ];
  assert.equal(sumCosts(calls.map(toUsed), priceAll).uncounted_calls, 1);
  assert.equal(sumCosts(calls.map(toUsed), priceAll).usd, null);
});
