import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { Amounts } from '../../engine/core/protocol/amounts.js';
import type { AttemptLease } from '../../engine/ports/attempts.js';
import type { KeptBudget, KeptCall } from '../../engine/ports/budgets.js';
import { forEachDatabase, type TestDatabase } from '../support/databases.js';
import { begin, endLease, makeWorld } from './record-fixtures.js';

const amounts = (tokens: number): Amounts => ({ tokens, money: tokens * 10, generations: 1, ms: 1 });
const callOf = (least: number, most: number): KeptCall => ({
  call_id: v7(),
  least: amounts(least),
  most: amounts(most),
});

let made = 0;
const fresh = (tokens: number): KeptBudget => ({ key: `day/${(made += 1)}`, limits: { tokens, money: tokens * 10 } });

interface KeptRow {
  readonly spent: number;
  readonly reserved: number;
  readonly calls: number;
}

async function readRow({ outside }: TestDatabase, { key }: KeptBudget): Promise<KeptRow | undefined> {
  const [row] = await outside.query<KeptRow>(
    `SELECT spent_tokens::int AS spent, reserved_tokens::int AS reserved,
       (SELECT count(*)::int FROM budget_reservations AS held WHERE held.budget_key = budgets.budget_key) AS calls
     FROM budgets WHERE budget_key = $1`,
    [key],
  );
  return row;
}

forEachDatabase('a budget that is kept', (open) => {
  test('lets a call through whose realistic estimate fits, and counts its worst case until it is settled', async () => {
    const opened = await open();
    const { store } = opened;
    await makeWorld(store, 'one');
    const { lease } = await begin(store, 'one');
    const budget = fresh(100);
    const [first, second, third] = [callOf(10, 70), callOf(30, 60), callOf(1, 5)];
    assert.deepEqual(await store.budgets.reserve(budget, lease, first), {
      kind: 'granted',
      left: { tokens: 100, money: 1_000 },
    });
    assert.deepEqual(await store.budgets.reserve(budget, lease, second), {
      kind: 'granted',
      left: { tokens: 30, money: 300 },
    });
    assert.deepEqual(await store.budgets.reserve(budget, lease, third), { kind: 'waits' });
    await store.budgets.settle(budget, first, amounts(20));
    await store.budgets.settle(budget, second, amounts(78));
    assert.deepEqual(await store.budgets.reserve(budget, lease, third), {
      kind: 'granted',
      left: { tokens: 2, money: 20 },
    });
    await store.budgets.settle(budget, third, amounts(1));
    assert.deepEqual(await store.budgets.reserve(budget, lease, callOf(2, 2)), {
      kind: 'refused',
      short: { measure: 'tokens', limit: 100, left: 1, needed: 2 },
    });
    assert.deepEqual(await readRow(opened, budget), { spent: 99, reserved: 0, calls: 0 });
  });

  test('reserves nothing for a driver whose lease is over, and takes its late answer all the same', async () => {
    const opened = await open();
    const { store, outside } = opened;
    await makeWorld(store, 'dead');
    await makeWorld(store, 'living');
    const [dead, living] = [await begin(store, 'dead'), await begin(store, 'living')];
    const budget = fresh(100);
    const [lost, next] = [callOf(10, 95), callOf(20, 50)];
    assert.equal((await store.budgets.reserve(budget, dead.lease, lost)).kind, 'granted');
    assert.equal((await store.budgets.reserve(budget, living.lease, next)).kind, 'waits');
    await endLease(outside, 'dead');
    assert.deepEqual(await store.budgets.reserve(budget, living.lease, next), {
      kind: 'granted',
      left: { tokens: 90, money: 900 },
    });
    assert.deepEqual(await readRow(opened, budget), { spent: 10, reserved: 50, calls: 1 });
    await store.budgets.settle(budget, lost, amounts(40));
    await store.budgets.settle(budget, next, amounts(5));
    assert.deepEqual(await readRow(opened, budget), { spent: 45, reserved: 0, calls: 0 });
  });

  test('holds what is reserved outside an attempt until the deadline of its call, and no longer', async () => {
    const opened = await open();
    const { store, outside } = opened;
    const budget = fresh(100);
    const lasts = (call: KeptCall): KeptCall => ({ ...call, most: { ...call.most, ms: 600_000 } });
    const [lost, next, last] = [lasts(callOf(10, 95)), lasts(callOf(20, 50)), lasts(callOf(40, 40))];
    assert.equal((await store.budgets.reserve(budget, undefined, lost)).kind, 'granted');
    assert.equal((await store.budgets.reserve(budget, undefined, next)).kind, 'waits');
    await outside.query('UPDATE budget_reservations SET held_until = $2 WHERE budget_key = $1', [
      budget.key,
      '2026-01-01T00:00:00Z',
    ]);
    assert.equal((await store.budgets.reserve(budget, undefined, next)).kind, 'granted');
    await store.budgets.settle(budget, next, amounts(5));
    assert.equal((await store.budgets.reserve(budget, undefined, last)).kind, 'granted');
    assert.deepEqual(await readRow(opened, budget), { spent: 15, reserved: 40, calls: 1 });
  });

  test('lets no call through whose price is not known, where it bounds money', async () => {
    const { store } = await open();
    await makeWorld(store, 'unpriced');
    const { lease } = await begin(store, 'unpriced');
    const unpriced = { ...amounts(1), money: null };
    const reserved = await store.budgets.reserve(fresh(100), lease, { call_id: v7(), least: unpriced, most: unpriced });
    assert.equal(reserved.kind === 'refused' && reserved.short.needed, null);
  });

  test('many drivers at once overspend by no more than one call, refuse none that fits, and leave nothing reserved', async () => {
    const opened = await open();
    const stores = await Promise.all(Array.from({ length: 8 }, () => opened.anotherStore()));
    const limit = 1_500;
    const budget = fresh(limit);
    const leases: AttemptLease[] = [];
    for (const [index, store] of stores.entries()) {
      await makeWorld(store, `crowd-${index}`);
      leases.push((await begin(store, `crowd-${index}`)).lease);
    }
    let worst = 0;
    let refused = 0;
    const drive = async (at: number, seed: number): Promise<void> => {
      const [store, lease] = [stores[at], leases[at]];
      assert.ok(store !== undefined && lease !== undefined);
      for (let number = 0; number < 12; number += 1) {
        const most = 20 + ((seed * 37 + number * 53) % 120);
        const call = callOf(1 + (number % most), most);
        let reserved = await store.budgets.reserve(budget, lease, call);
        while (reserved.kind === 'waits') reserved = await store.budgets.reserve(budget, lease, call);
        if (reserved.kind === 'refused') {
          assert.ok(reserved.short.left < (reserved.short.needed ?? 0));
          refused += 1;
          continue;
        }
        worst = Math.max(worst, most);
        await store.budgets.settle(budget, call, amounts((seed * 31 + number * 17) % (most + 1)));
      }
    };
    await Promise.all(stores.flatMap((_, at) => [drive(at, at * 2 + 1), drive(at, at * 2 + 2)]));
    const row = await readRow(opened, budget);
    assert.ok(row !== undefined && row.spent - limit <= worst, `${row?.spent} of ${limit}, and one call uses ${worst}`);
    assert.ok(refused > 0 && row.spent > limit / 2);
    assert.deepEqual([row.reserved, row.calls], [0, 0]);
  });
});
