import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../engine/contract/problem.js';
import type { Inbox, Lapse, Tidied } from '../../engine/ports/inbox.js';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Doorbell } from '../../engine/ports/doorbell.js';
import { runWorker } from '../../engine/runtime/worker/run-worker.js';
import type { Drive, WorkerParts } from '../../engine/runtime/worker/worker-parts.js';
import { NOTHING, watchWorker } from './watched-worker.js';

const LOOK_MS = 1_000;

test('a worker looks at once, and then each second', async (t) => {
  const { events, looks, pass, claims, stop } = await watchWorker(t, {});
  assert.equal(looks(), 1);
  await pass(LOOK_MS - 1);
  assert.equal(looks(), 1);
  await pass(1);
  assert.equal(looks(), 2);
  assert.deepEqual(claims, []);
  await stop();
  assert.deepEqual(events, [], 'a worker with nothing to do tells nothing, and leaves nothing');
});

test('a worker claims as many turns as it has free hands, of any world', async (t) => {
  const { claims } = await watchWorker(t, { seen: () => ({ ...NOTHING, is_due: true }) });
  assert.deepEqual(
    claims.map(({ most, worlds }) => [most, worlds]),
    [[2, undefined]],
  );
});

test('a worker reports how many calls ran out of time, and looks again at once where any did', async (t) => {
  const counts = [2, 1, 0];
  const expireCalls = async (): Promise<number> => counts.shift() ?? 0;
  const { events, looks, pass } = await watchWorker(t, {
    seen: () => ({ ...NOTHING, is_expired: true }),
    parts: { expireCalls },
  });
  assert.deepEqual(events, [
    { kind: 'timed_out', calls: 2 },
    { kind: 'timed_out', calls: 1 },
  ]);
  assert.equal(looks(), 3);
  await pass(LOOK_MS - 1);
  assert.equal(looks(), 3);
});

test('a worker tidies each half minute, and reports what it has found', async (t) => {
  const found: Tidied[] = [
    { promoted: 1, consumed: 0 },
    { promoted: 0, consumed: 0 },
    { promoted: 0, consumed: 1 },
  ];
  let tidied = 0;
  const tidy = async (): Promise<Tidied> => found[tidied++] ?? assert.fail('tidied too often');
  const { events, pass } = await watchWorker(t, { inbox: { tidy } });
  for (let second = 1; second < 30; second += 1) await pass(LOOK_MS);
  assert.equal(tidied, 1);
  await pass(LOOK_MS);
  assert.equal(tidied, 2);
  await pass(30 * LOOK_MS);
  assert.deepEqual(events, [
    { kind: 'tidied', promoted: 1, consumed: 0 },
    { kind: 'tidied', promoted: 0, consumed: 1 },
  ]);
});

for (const in_ms of [300, 1])
  test(`a worker wakes for the end of a lease in ${in_ms} ms, and continues the attempt whose driver is lost`, async (t) => {
    const lapses: Lapse[][] = [
      [{ world_slug: 'park', in_ms, take_overs: 0 }],
      [{ world_slug: 'park', in_ms: 0, take_overs: 0 }],
    ];
    const lapsed: Inbox['lapsed'] = async () => lapses.shift() ?? [];
    const { driven, pass } = await watchWorker(t, {
      seen: () => ({ ...NOTHING, is_lapsing: true }),
      inbox: { lapsed },
    });
    await pass(in_ms - 1);
    assert.deepEqual(driven, []);
    await pass(1);
    assert.deepEqual(driven, ['park']);
  });

test('workers that wait for the end of one lease wake soon after it, and none before', async (t) => {
  let asked = 0;
  const lapsed: Inbox['lapsed'] = async () => {
    asked += 1;
    return [{ world_slug: 'park', in_ms: 300, take_overs: 0 }];
  };
  const { pass } = await watchWorker(t, {
    seen: () => ({ ...NOTHING, is_lapsing: true }),
    inbox: { lapsed },
    parts: { jitter: () => 1 },
  });
  await pass(300);
  assert.equal(asked, 1);
  await pass(100);
  assert.equal(asked, 2);
});

test('a worker does not wake later than by itself for the end of a lease', async (t) => {
  const lapsed: Inbox['lapsed'] = async () => [{ world_slug: 'park', in_ms: LOOK_MS, take_overs: 0 }];
  const { looks, pass } = await watchWorker(t, {
    seen: () => ({ ...NOTHING, is_lapsing: true }),
    inbox: { lapsed },
    parts: { jitter: () => 1 },
  });
  await pass(LOOK_MS);
  assert.equal(looks(), 2);
});

test('a worker waits longer each time for a lost database, a quarter of a minute at most, and reports it once', async (t) => {
  const fault: Problem = {
    code: 'DATABASE_UNREACHABLE',
    message: 'It is gone.',
    repair: 'Start it.',
  };
  let tries = 0;
  let isBack = false;
  const tidy = async (): Promise<Tidied> => {
    tries += 1;
    if (!isBack) throw new Error('gone');
    return { promoted: 0, consumed: 0 };
  };
  const parts = { findFault: () => fault, jitter: () => 1 };
  const { events, pass } = await watchWorker(t, { inbox: { tidy }, parts });
  for (const [index, wait_ms] of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
    await pass(wait_ms - 1);
    assert.equal(tries, index + 1, `after ${wait_ms - 1} ms`);
    await pass(1);
    assert.equal(tries, index + 2, `after ${wait_ms} ms`);
  }
  assert.deepEqual(events, [{ kind: 'database_lost', code: fault.code, reason: 'It is gone. Start it.' }]);
  isBack = true;
  await pass(15_000);
  assert.deepEqual(events.at(-1), { kind: 'database_found' });
});

test('a worker whose jobs cannot be written waits longer each time, and finds the database only when one has ended', async (t) => {
  const fault: Problem = { code: 'DATABASE_FULL', message: 'It is full.', repair: 'Mend it.' };
  const driven: number[] = [];
  let second = 0;
  let isFull = true;
  // Reading goes on, and each driver that is lost has a lease of ten seconds.
  const lapsed: Inbox['lapsed'] = async () =>
    second < (driven.at(-1) ?? -10) + 10 ? [] : [{ world_slug: 'park', in_ms: 0, take_overs: 0 }];
  const drive: Drive = async () => {
    driven.push(second);
    if (isFull) throw new Error('full');
    return { kind: 'not_asked_for' };
  };
  const { events, pass } = await watchWorker(t, {
    seen: () => ({ ...NOTHING, is_lapsing: true }),
    inbox: { lapsed },
    parts: { drive, findFault: () => fault, jitter: () => 1 },
  });
  const passMinute = async (): Promise<void> => {
    for (const until = second + 60; second < until; ) {
      second += 1;
      await pass(LOOK_MS);
    }
  };
  for (let minute = 0; minute < 4; minute += 1) await passMinute();
  assert.deepEqual(driven, [0, 10, 20, 30, 40, 56, 88, 148, 208]);
  assert.deepEqual(events, [{ kind: 'database_lost', code: fault.code, reason: 'It is full. Mend it.' }]);
  isFull = false;
  await passMinute();
  assert.deepEqual(events.slice(1), [{ kind: 'database_found' }]);
});

test('a worker that could not reach its database claims, continues and expires without a glance before', async (t) => {
  const done: string[] = [];
  let isLost = true;
  const { looks, pass } = await watchWorker(t, {
    inbox: {
      tidy: async () => {
        if (isLost) throw new Error('gone');
        return { promoted: 0, consumed: 0 };
      },
      lapsed: async () => {
        done.push('lapsed');
        return [];
      },
      claim: async () => {
        done.push('claim');
        return [];
      },
    },
    parts: {
      findFault: () => ({ code: 'DATABASE_UNREACHABLE', message: 'It is gone.', repair: 'Mend it.' }),
      expireCalls: async () => {
        done.push('expire');
        return 0;
      },
    },
  });
  isLost = false;
  await pass(500);
  assert.deepEqual([done, looks()], [['lapsed', 'claim', 'expire'], 0]);
});

test('a worker reports a silent doorbell as soon as it would have looked by itself, however late it falls silent', async (t) => {
  let reason: string | undefined;
  const doorbell: Doorbell = { ...openProcessDoorbell(), findFault: () => reason };
  const { events, pass } = await watchWorker(t, { parts: { doorbell } });
  await pass(LOOK_MS);
  reason = 'nobody rings';
  await pass(LOOK_MS);
  assert.deepEqual(events, []);
  await pass(LOOK_MS);
  assert.deepEqual(events, [{ kind: 'doorbell_lost', reason }]);
});

const BUG = new Error('a bug');
const LOCK_LOST: Problem = {
  code: 'DATABASE_LOCK_LOST',
  message: 'Another process has the folder.',
  repair: 'Mend it.',
};
const breaks = (): never => {
  throw BUG;
};

for (const [what, inbox, drive, fault] of [
  ['a fault of the program at a look', { tidy: async () => breaks() }, undefined, undefined],
  ['a folder that is another process’s by now', { tidy: async () => breaks() }, undefined, LOCK_LOST],
  ['such a folder, where a job finds that', {}, async () => breaks(), LOCK_LOST],
] as readonly (readonly [string, Partial<Inbox>, Drive | undefined, Problem | undefined])[])
  test(`a worker does not wait for ${what}: it ends with the error`, async () => {
    const claimed = { world_slug: 'park', inbox_id: 'id', message_type: 'turn', retry_count: 0, waited_ms: 0 } as const;
    const all = {
      glance: async () => ({ ...NOTHING, is_due: true }),
      tidy: async () => ({ promoted: 0, consumed: 0 }),
      claim: async () => [claimed],
      ...inbox,
    };
    const parts = {
      inbox: all,
      doorbell: openProcessDoorbell(),
      clock: { now: () => 0 },
      jitter: () => 0,
      drive,
      findFault: () => fault,
      onEvent: () => {},
    } as unknown as WorkerParts;
    const working = runWorker(parts, { concurrency: 1, grace_ms: 0 }, new AbortController().signal);
    await assert.rejects(working, BUG);
  });
