import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Inbox, Lapse } from '../../engine/ports/inbox.js';
import type { Drive } from '../../engine/runtime/worker/worker-parts.js';
import { claimsOf, holdDrives, NOTHING, toClaimed, watchWorker } from './watched-worker.js';

// How a worker continues attempts that have lost their drivers, on an inbox with fixed answers.

const SECOND_MS = 1_000;
const LAPSED = { seen: () => ({ ...NOTHING, is_lapsing: true }) };
const lapsed: Inbox['lapsed'] = async () => [{ world_slug: 'park', in_ms: 0, take_overs: 0 }];

/** At which seconds a worker drives an attempt that loses its driver again and again. */
async function drivenAt(t: TestContext, drive: Drive, seconds: number): Promise<readonly number[]> {
  let now = 0;
  const at: number[] = [];
  const parts = {
    jitter: () => 1,
    findFault: () => undefined,
    drive: (async (request) => {
      at.push(now);
      return drive(request);
    }) satisfies Drive,
  };
  const { pass } = await watchWorker(t, { ...LAPSED, inbox: { lapsed }, parts });
  for (now = 1; now <= seconds; now += 1) await pass(SECOND_MS);
  return at;
}

for (const [name, drive] of [
  ['that it cannot run', async () => ({ kind: 'unfit', reason: 'not here', is_final: false })],
  ['whose driver broke', () => Promise.reject(new Error('a bug'))],
] as readonly (readonly [string, Drive])[])
  test(`a worker leaves an attempt alone ${name}, longer each time and a minute at most`, async (t) => {
    assert.deepEqual(await drivenAt(t, drive, 190), [0, 1, 3, 7, 15, 31, 63, 123, 183]);
  });

test('a worker continues an attempt again at its next look where its job was done', async (t) => {
  const { drive, end } = holdDrives();
  let driven = 0;
  const counting: Drive = (request) => {
    driven += 1;
    return drive(request);
  };
  const { pass, stop } = await watchWorker(t, { ...LAPSED, inbox: { lapsed }, parts: { drive: counting } });
  assert.equal(driven, 1);
  end('park');
  await pass(SECOND_MS);
  assert.equal(driven, 2);
  await stop();
  end('park');
});

test('a worker drives an attempt that drivers died of as soon as its hands are free, and alone', async (t) => {
  const { requests, drive, end } = holdDrives();
  const lapses: Lapse[] = [];
  const { pass } = await watchWorker(t, {
    seen: () => ({ is_due: true, is_expired: false, is_lapsing: lapses.length > 0 }),
    inbox: { claim: claimsOf('park'), lapsed: async () => lapses },
    parts: { drive },
  });
  lapses.push({ world_slug: 'suspect', in_ms: 0, take_overs: 2 }, { world_slug: 'lake', in_ms: 0, take_overs: 0 });
  await pass(SECOND_MS);
  assert.deepEqual([...requests.keys()], ['park']);
  end('park');
  await pass(0);
  assert.deepEqual([...requests.keys()], ['park', 'suspect']);
  await pass(SECOND_MS);
  await pass(SECOND_MS);
  assert.deepEqual([...requests.keys()], ['park', 'suspect']);
  lapses.shift();
  end('suspect');
  await pass(SECOND_MS);
  assert.deepEqual([...requests.keys()], ['park', 'suspect', 'lake']);
  end('lake');
});

/** A worker with one job, another turn that is due later, and an attempt that drivers died of. */
async function watchSuspect(t: TestContext) {
  const { requests, drive, end } = holdDrives();
  const suspect: Lapse = { world_slug: 'suspect', in_ms: 0, take_overs: 2 };
  const lapses: Lapse[] = [];
  const due = [toClaimed('park')];
  const watched = await watchWorker(t, {
    seen: () => ({ is_due: true, is_expired: false, is_lapsing: lapses.length > 0 }),
    inbox: { claim: async ({ most }) => due.splice(0, most), lapsed: async () => lapses },
    parts: { drive },
  });
  lapses.push(suspect);
  await watched.pass(SECOND_MS);
  due.push(toClaimed('lake'));
  await watched.pass(SECOND_MS);
  return { ...watched, end, driving: () => [...requests.keys()], lapses };
}

test('a worker claims again once the attempt that drivers died of is no longer without a driver', async (t) => {
  const { pass, end, driving, lapses } = await watchSuspect(t);
  assert.deepEqual(driving(), ['park']);
  lapses.pop();
  await pass(SECOND_MS);
  assert.deepEqual(driving(), ['park', 'lake']);
  end('park');
  end('lake');
});

test('a worker claims nothing beside an attempt that drivers died of, whose lease it keeps', async (t) => {
  const { pass, end, driving, lapses } = await watchSuspect(t);
  end('park');
  await pass(0);
  lapses.pop();
  await pass(SECOND_MS);
  assert.deepEqual(driving(), ['park', 'suspect']);
  end('suspect');
  await pass(0);
  assert.deepEqual(driving(), ['park', 'suspect', 'lake']);
  end('lake');
});

test('a worker with full hands continues a lost attempt as soon as one is free, before turns that are due', async (t) => {
  const { requests, drive, end } = holdDrives();
  let asked = 0;
  const { pass } = await watchWorker(t, {
    seen: () => ({ is_due: true, is_expired: false, is_lapsing: requests.size >= 2 }),
    inbox: {
      claim: claimsOf('park', 'lake', 'due'),
      lapsed: async () => {
        asked += 1;
        return [{ world_slug: 'lost', in_ms: 0, take_overs: 0 }];
      },
    },
    parts: { drive },
  });
  await pass(SECOND_MS);
  assert.deepEqual([[...requests.keys()], asked], [['park', 'lake'], 0]);
  end('park');
  await pass(0);
  assert.deepEqual([...requests.keys()], ['park', 'lake', 'lost']);
  end('lake');
  end('lost');
});

test('a worker asks for as many lost attempts as it has hands, besides those that it leaves alone', async (t) => {
  const asked: number[] = [];
  const alone: Inbox['lapsed'] = async ({ most }) => {
    asked.push(most);
    return [{ world_slug: 'park', in_ms: 0, take_overs: 0 }];
  };
  const drive: Drive = async () => ({ kind: 'unfit', reason: 'not here', is_final: false });
  const parts = { jitter: () => 1, drive };
  const { looks, pass } = await watchWorker(t, { ...LAPSED, inbox: { lapsed: alone }, parts });
  await pass(0);
  await pass(500);
  assert.equal(looks(), 1);
  await pass(500);
  assert.deepEqual([looks(), asked], [2, [2, 3]]);
  await pass(SECOND_MS);
  await pass(500);
  assert.equal(looks(), 3, 'an attempt that is left alone needs no look before the next one');
});

test('a worker leaves an attempt alone whose driver broke at a turn, as it does later', async (t) => {
  let now = 0;
  const at: number[] = [];
  let due = [toClaimed('park')];
  const { pass } = await watchWorker(t, {
    seen: () => ({ is_due: true, is_expired: false, is_lapsing: now > 0 }),
    inbox: { claim: async () => due.splice(0), lapsed },
    parts: {
      jitter: () => 1,
      drive: () => {
        at.push(now);
        return Promise.reject(new Error('a bug'));
      },
    },
  });
  due = [];
  for (now = 1; now <= 8; now += 1) await pass(SECOND_MS);
  assert.deepEqual(at, [0, 1, 3, 7]);
});

test('a worker continues an attempt at once whose turn it has put off', async (t) => {
  const driven: (string | undefined)[] = [];
  const doorbell = openProcessDoorbell();
  const { pass } = await watchWorker(t, {
    seen: () => ({ is_due: true, is_expired: false, is_lapsing: driven.length > 0 }),
    inbox: { claim: claimsOf('park'), lapsed, defer: async () => {} },
    parts: {
      jitter: () => 1,
      doorbell,
      drive: async ({ inbox_id }) => {
        driven.push(inbox_id);
        return inbox_id === undefined
          ? { kind: 'not_asked_for' }
          : { kind: 'unfit', reason: 'not here', is_final: false };
      },
    },
  });
  doorbell.ring('elsewhere');
  await pass(1);
  assert.deepEqual(driven.slice(0, 2), ['message to park', undefined]);
});
