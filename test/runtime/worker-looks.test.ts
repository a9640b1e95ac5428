import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Problem } from '../../engine/contract/problem.js';
import type { ClaimRequest } from '../../engine/ports/claim.js';
import type { Glance, Inbox, Lapse, Tidied } from '../../engine/ports/inbox.js';
import { runWorker } from '../../engine/runtime/worker/run-worker.js';
import type { WorkerEvent } from '../../engine/runtime/worker/worker-event.js';
import type { Drive, WorkerParts } from '../../engine/runtime/worker/worker-parts.js';

const LOOK_MS = 1_000;
const NOTHING: Glance = { is_due: false, is_expired: false, is_lapsing: false };

interface Watched {
  readonly events: WorkerEvent[];
  readonly claims: ClaimRequest[];
  readonly driven: string[];
  /** How often the worker has looked into its inbox. */
  readonly looks: () => number;
  /** Lets time pass, and all that follows from it. */
  readonly pass: (ms: number) => Promise<void>;
}

interface Surroundings {
  readonly seen?: () => Glance;
  readonly inbox?: Partial<Inbox>;
  readonly parts?: Partial<WorkerParts>;
}

/** A worker whose time passes by hand, on an inbox that says what it is told to. */
async function watch(t: TestContext, { seen = () => NOTHING, inbox = {}, parts = {} }: Surroundings): Promise<Watched> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const events: WorkerEvent[] = [];
  const claims: ClaimRequest[] = [];
  const driven: string[] = [];
  const stop = new AbortController();
  let [now, looks] = [0, 0];
  const drive: Drive = async ({ world_slug }) => {
    driven.push(world_slug);
    return { kind: 'not_asked_for' };
  };
  const all: Partial<Inbox> = {
    glance: async () => {
      looks += 1;
      return seen();
    },
    tidy: async () => ({ promoted: 0, consumed: 0 }),
    lapsed: async () => [],
    claim: async (request) => {
      claims.push(request);
      return [];
    },
    ...inbox,
  };
  const working = runWorker(
    {
      inbox: all as Inbox,
      doorbell: openProcessDoorbell(),
      clock: { now: () => now, uuid: () => 'id' },
      jitter: () => 0,
      drive,
      expireCalls: async () => 0,
      findFault: () => undefined,
      onEvent: (event) => void events.push(event),
      ...parts,
    },
    { concurrency: 2, grace_ms: 0 },
    stop.signal,
  );
  t.after(async () => {
    stop.abort();
    await working;
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await pause();
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  await settle();
  return { events, claims, driven, looks: () => looks, pass };
}

test('a worker looks at once, and then each second', async (t) => {
  const { looks, pass, claims } = await watch(t, {});
  assert.equal(looks(), 1);
  await pass(LOOK_MS - 1);
  assert.equal(looks(), 1);
  await pass(1);
  assert.equal(looks(), 2);
  assert.deepEqual(claims, []);
});

test('a worker claims as many turns as it has free hands, of any world', async (t) => {
  const { claims } = await watch(t, { seen: () => ({ ...NOTHING, is_due: true }) });
  assert.deepEqual(
    claims.map(({ most, worlds }) => [most, worlds]),
    [[2, undefined]],
  );
});

test('a worker reports how many calls ran out of time, and looks again at once where any did', async (t) => {
  const counts = [2, 1, 0];
  const expireCalls = async (): Promise<number> => counts.shift() ?? 0;
  const { events, looks, pass } = await watch(t, {
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
  const { events, pass } = await watch(t, { inbox: { tidy } });
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

test('a worker wakes for the end of a lease, and continues the attempt whose driver is lost', async (t) => {
  const lapses: Lapse[][] = [
    [{ world_slug: 'park', in_ms: 300, take_overs: 0 }],
    [{ world_slug: 'park', in_ms: 0, take_overs: 0 }],
  ];
  const lapsed: Inbox['lapsed'] = async () => lapses.shift() ?? [];
  const { driven, pass } = await watch(t, { seen: () => ({ ...NOTHING, is_lapsing: true }), inbox: { lapsed } });
  await pass(299);
  assert.deepEqual(driven, []);
  await pass(1);
  assert.deepEqual(driven, ['park']);
});

test('a worker does not wake later than by itself for the end of a lease', async (t) => {
  const lapsed: Inbox['lapsed'] = async () => [{ world_slug: 'park', in_ms: LOOK_MS, take_overs: 0 }];
  const { looks, pass } = await watch(t, {
    seen: () => ({ ...NOTHING, is_lapsing: true }),
    inbox: { lapsed },
    parts: { jitter: () => 1 },
  });
  await pass(LOOK_MS);
  assert.equal(looks(), 2);
});

test('a worker waits longer each time for a lost database, a quarter of a minute at most, and reports it once', async (t) => {
  const fault: Problem = { code: 'DATABASE_UNREACHABLE', message: 'It is gone.', repair: 'Start it.' };
  let tries = 0;
  let isBack = false;
  const tidy = async (): Promise<Tidied> => {
    tries += 1;
    if (!isBack) throw new Error('gone');
    return { promoted: 0, consumed: 0 };
  };
  const parts = { findFault: () => fault, jitter: () => 1 };
  const { events, pass } = await watch(t, { inbox: { tidy }, parts });
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
