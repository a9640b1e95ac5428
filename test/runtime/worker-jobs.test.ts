import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Claimed } from '../../engine/ports/claim.js';
import type { Inbox, Lapse } from '../../engine/ports/inbox.js';
import type { Drive, DriveEnd } from '../../engine/runtime/worker/worker-parts.js';
import { NOTHING, watchWorker } from './watched-worker.js';

// How a worker acts when its jobs begin and end, on an inbox with fixed answers.

const SECOND_MS = 1_000;
const DUE = { seen: () => ({ ...NOTHING, is_due: true }) };
const DONE: DriveEnd = { kind: 'not_asked_for' };

const toClaimed = (world_slug: string): Claimed => {
  return { world_slug, inbox_id: `message to ${world_slug}`, message_type: 'turn', retry_count: 0, waited_ms: 0 };
};

/** Drives that end by hand, and the requests of those that have begun. */
function holdDrives() {
  const requests = new Map<string, Parameters<Drive>[0]>();
  const ends = new Map<string, (end: DriveEnd) => void>();
  const drive: Drive = (request) => {
    requests.set(request.world_slug, request);
    return new Promise((resolve) => ends.set(request.world_slug, resolve));
  };
  const end = (world_slug: string, as = DONE): void => ends.get(world_slug)?.(as);
  return { requests, drive, end };
}

/** An inbox in which turns of these worlds are due, each once. */
function claimsOf(...worlds: readonly string[]): Inbox['claim'] {
  const due = worlds.map(toClaimed);
  return async ({ most }) => due.splice(0, most);
}

const LAPSED = { seen: () => ({ ...NOTHING, is_lapsing: true }) };
const lapsed: Inbox['lapsed'] = async () => [{ world_slug: 'park', in_ms: 0, take_overs: 0 }];

/** At which seconds a worker drives an attempt that loses its driver again and again. */
async function drivenAt(
  t: Parameters<typeof watchWorker>[0],
  drive: Drive,
  seconds: number,
): Promise<readonly number[]> {
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

test('a worker lets a commit reserve what is due, but not once it is called or stops', async (t) => {
  const { requests, drive, end } = holdDrives();
  const doorbell = openProcessDoorbell();
  const { stop } = await watchWorker(t, { ...DUE, inbox: { claim: claimsOf('park') }, parts: { drive, doorbell } });
  const goesOn = () => requests.get('park')?.goesOn?.();
  assert.deepEqual(goesOn(), { reserve_ms: 5_000 });
  doorbell.ring('park');
  assert.deepEqual(goesOn(), { reserve_ms: 5_000 }, 'called by the world that it drives');
  doorbell.ring('elsewhere');
  assert.equal(goesOn(), undefined, 'called');
  await stop();
  assert.equal(goesOn(), undefined, 'stopped');
  end('park');
});

test('a worker drives what a commit has reserved for it', async (t) => {
  const { requests, drive, end } = holdDrives();
  const { pass } = await watchWorker(t, { ...DUE, inbox: { claim: claimsOf('park') }, parts: { drive } });
  const left = { attempt_id: 'A', attempted_turn: 1, left: {} } as unknown as Extract<DriveEnd, { kind: 'committed' }>;
  end('park', { ...left, kind: 'committed', next: toClaimed('lake') });
  await pass(0);
  assert.deepEqual([...requests.keys()], ['park', 'lake']);
  end('lake');
});

test('a worker with a free hand claims at once, without a look at what else there is', async (t) => {
  const { drive, end } = holdDrives();
  const due = claimsOf('park');
  let claims = 0;
  const claim: Inbox['claim'] = async (request) => {
    claims += 1;
    return due(request);
  };
  const { looks, pass } = await watchWorker(t, { ...DUE, inbox: { claim }, parts: { drive } });
  assert.deepEqual([looks(), claims], [1, 1]);
  end('park');
  await pass(0);
  assert.deepEqual([looks(), claims], [1, 2]);
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
  end('suspect');
});

test('a worker looks at once when it is called, unless its hands are full or it drives that world', async (t) => {
  const { drive, end } = holdDrives();
  const doorbell = openProcessDoorbell();
  const claim = claimsOf('park', 'lake');
  const one = {
    seen: DUE.seen,
    inbox: { claim: ({ reserve_ms }: Parameters<typeof claim>[0]) => claim({ most: 1, reserve_ms }) },
  };
  const { looks, pass } = await watchWorker(t, { ...one, parts: { drive, doorbell } });
  assert.equal(looks(), 1);
  doorbell.ring('park');
  await pass(0);
  assert.equal(looks(), 1, 'called by the world that it drives');
  doorbell.ring('lake');
  await pass(0);
  assert.equal(looks(), 2, 'called by another world');
  doorbell.ring('elsewhere');
  await pass(0);
  assert.equal(looks(), 2, 'called with full hands');
  end('park');
  end('lake');
});

test('a worker that stops reports how many turns are under way, and hands them over after its grace', async (t) => {
  const { requests, drive, end } = holdDrives();
  const { events, pass, stop } = await watchWorker(t, { ...DUE, inbox: { claim: claimsOf('park') }, parts: { drive } });
  await stop();
  const leaving = { kind: 'leaving', busy: 1, grace_ms: 0 };
  assert.deepEqual(events, [leaving]);
  assert.equal(requests.get('park')?.leave?.aborted, false);
  await pass(0);
  assert.deepEqual(events, [leaving, { kind: 'handing_over', busy: 1 }]);
  assert.equal(requests.get('park')?.leave?.aborted, true);
  end('park');
});
