import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import type { AttemptLease, Written } from '../../engine/ports/attempts.js';
import { heartbeatOf } from '../../engine/runtime/interval-heartbeat.js';

const LEASE: AttemptLease = {
  attempt_id: 'A',
  world_slug: 'park',
  attempted_turn: 1,
  epoch: 1,
  request_mark: '0123456789ab',
};

/** Keeps a lease for half a minute. @returns after how many seconds it was renewed and for how long, and what its keeper learned */
async function keepFor(t: TestContext, renew: () => Promise<Written>) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let second = 0;
  const renewals: (readonly [second: number, lease_ms: number])[] = [];
  const learned: unknown[] = [];
  const attempts = {
    renew: async (_lease: AttemptLease, lease_ms: number) => {
      renewals.push([second, lease_ms]);
      return renew();
    },
  };
  const heartbeat = heartbeatOf({ attempts } as unknown as Parameters<typeof heartbeatOf>[0]);
  const stop = heartbeat.keep(LEASE, (why) => learned.push(why));
  for (second = 1; second <= 30; second += 1) {
    t.mock.timers.tick(1_000);
    await pause();
  }
  stop();
  t.mock.timers.tick(60_000);
  assert.equal(renewals.length, 3, 'a lease is renewed that is kept no more');
  return { lease_ms: heartbeat.lease_ms, renewals, learned };
}

test('a driver by itself has leases of half a minute, and renews them three times as often', async (t) => {
  const { lease_ms, renewals, learned } = await keepFor(t, async () => 'written');
  assert.equal(lease_ms, 30_000);
  assert.deepEqual(renewals, [
    [10, lease_ms],
    [20, lease_ms],
    [30, lease_ms],
  ]);
  assert.deepEqual(learned, []);
});

test('a driver learns that its lease is lost', async (t) => {
  assert.deepEqual((await keepFor(t, async () => 'overtaken')).learned, ['overtaken', 'overtaken', 'overtaken']);
});

test('a driver learns why its lease cannot be renewed', async (t) => {
  const error = new Error('the database is gone');
  assert.deepEqual((await keepFor(t, () => Promise.reject(error))).learned, [error, error, error]);
});
