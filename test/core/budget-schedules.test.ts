import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Budget, type Estimate, openBudget, reserve, settle } from '../../engine/core/budget/budget.js';
import type { Amounts, Limits } from '../../engine/core/protocol/amounts.js';

const ORDERS = 16;
const RUNS = { numRuns: 10_000, seed: 20_261_127 };

/** An order that has calls to make: each asks, waits or is under way, until all are made or one is refused. */
interface Order {
  calls: number;
  asked: Estimate | undefined;
  is_under_way: boolean;
}

/** Numbers that look like chance, and are the same for the same seed. */
function openChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const amounts = (tokens: number): Amounts => ({ tokens, money: tokens * 3, generations: 1, ms: tokens });

/** Plays a schedule of concurrent orders until none is left, and asserts the three promises at each step. */
function play(seed: number): void {
  const chance = openChance(seed);
  const limit = 1 + chance(4_000);
  const limits: Limits = { tokens: limit, money: limit * 3 };
  const orders: Order[] = Array.from({ length: ORDERS }, () => ({
    calls: 1 + chance(4),
    asked: undefined,
    is_under_way: false,
  }));
  let budget: Budget = openBudget(limits);
  let worst = 0;
  const ask = (order: Order, name: string): void => {
    const most = 1 + chance(600);
    order.asked ??= { least: amounts(1 + chance(most)), most: amounts(most) };
    const { asked } = order;
    const reserved = reserve(budget, name, asked);
    const fits = asked.least.tokens <= limit - budget.spent.tokens;
    if (reserved.kind === 'refused') {
      assert.ok(!fits, 'an order is refused whose realistic reservation fits');
      order.calls = 0;
    } else if (reserved.kind === 'waits') {
      assert.ok(fits && budget.reserved.size > 0, 'an order waits for nothing');
    } else {
      worst = Math.max(worst, asked.most.tokens);
      assert.ok((reserved.left.tokens ?? 0) >= asked.least.tokens);
      order.is_under_way = true;
      ({ budget } = reserved);
    }
  };
  const end = (order: Order, name: string): void => {
    const { least, most } = order.asked ?? { least: amounts(0), most: amounts(0) };
    // It is answered, it fails, it reports nothing and is estimated, or its driver is killed.
    const used =
      [() => chance(most.tokens + 1), () => 0, () => least.tokens, () => chance(least.tokens)][chance(4)]?.() ?? 0;
    budget = settle(budget, name, amounts(used));
    assert.ok(!budget.reserved.has(name), 'something stays reserved for a call that is over');
    order.is_under_way = false;
    order.asked = undefined;
    order.calls -= 1;
  };
  for (let step = 0; orders.some(({ calls }) => calls > 0); step += 1) {
    assert.ok(step < 20_000, 'an order waits for ever');
    const at = chance(ORDERS);
    const order = orders[at];
    if (order === undefined || order.calls === 0) continue;
    if (order.is_under_way) end(order, `order ${at}`);
    else ask(order, `order ${at}`);
    assert.ok(
      budget.spent.tokens - limit <= worst,
      `${budget.spent.tokens} of ${limit} are spent, and one call uses ${worst} at most`,
    );
  }
  assert.equal(budget.reserved.size, 0);
}

test('sixteen concurrent orders, in any schedule, overspend by no more than one call, and none is refused that fits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => play(seed)),
    RUNS,
  );
});

test('calls that keep to what was left overspend nothing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.array(fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }))),
      (limit, calls) => {
        let budget = openBudget({ tokens: limit });
        for (const [index, [least, more]] of calls.entries()) {
          const reserved = reserve(budget, `${index}`, { least: amounts(least), most: amounts(least + more) });
          if (reserved.kind !== 'granted') continue;
          budget = settle(reserved.budget, `${index}`, amounts(Math.min(least + more, reserved.left.tokens ?? 0)));
        }
        assert.ok(budget.spent.tokens <= limit);
      },
    ),
  );
});

test('a budget of money lets no call through whose price is not known', () => {
  const unpriced = { ...amounts(1), money: null };
  const reserved = reserve(openBudget({ money: 1_000 }), 'call', { least: unpriced, most: unpriced });
  assert.deepEqual(reserved, { kind: 'refused', short: { measure: 'money', limit: 1_000, left: 1_000, needed: null } });
  assert.equal(reserve(openBudget({ tokens: 5 }), 'call', { least: unpriced, most: unpriced }).kind, 'granted');
});
