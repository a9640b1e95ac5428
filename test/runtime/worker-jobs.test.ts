import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Claimed } from '../../engine/ports/claim.js';
import type { Inbox } from '../../engine/ports/inbox.js';
import type { DriveEnd } from '../../engine/runtime/worker/worker-parts.js';
import { claimsOf, holdDrives, NOTHING, toClaimed, watchWorker } from './watched-worker.js';

// How a worker acts when its jobs begin and end, on an inbox with fixed answers.

const SECOND_MS = 1_000;
const COMMITTED = { kind: 'committed', attempt_id: 'A', attempted_turn: 1, left: {} } as unknown as Extract<
  DriveEnd,
  { kind: 'committed' }
>;
const DUE = { seen: () => ({ ...NOTHING, is_due: true }) };

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
  end('park', { ...COMMITTED, next: toClaimed('lake') });
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

test('a worker whose jobs end all the time still looks each second at what else there is', async (t) => {
  const { drive, end } = holdDrives();
  const due: Claimed[] = [];
  const { looks, pass } = await watchWorker(t, {
    ...DUE,
    inbox: { claim: async ({ most }) => due.splice(0, most) },
    parts: { drive },
  });
  const endOne = async (world_slug: string): Promise<number> => {
    end(world_slug);
    await pass(0);
    return looks();
  };
  due.push(...['a', 'b', 'c'].map(toClaimed));
  await pass(SECOND_MS);
  assert.equal(looks(), 2);
  await pass(600);
  assert.equal(await endOne('a'), 2, 'after 600 ms');
  await pass(400);
  assert.equal(await endOne('b'), 3, 'after a second');
  end('c');
});

test('a worker that stops leaves what it has claimed for a world that it drives to others, at once', async (t) => {
  const { drive, end } = holdDrives();
  const doorbell = openProcessDoorbell();
  const deferred: unknown[] = [];
  const rings: (string | undefined)[] = [];
  const due = [[toClaimed('park')], [{ ...toClaimed('park'), inbox_id: 'the next' }]];
  const { looks, pass, stop } = await watchWorker(t, {
    ...DUE,
    inbox: {
      claim: async () => due.shift() ?? [],
      defer: async ({ inbox_id }, { delay_ms }) => void deferred.push([inbox_id, delay_ms]),
    },
    parts: { drive, doorbell },
  });
  doorbell.ring('elsewhere');
  await pass(0);
  assert.deepEqual([looks(), due.length], [2, 0]);
  doorbell.ring('elsewhere');
  await pass(0);
  assert.equal(looks(), 2, 'called with full hands: a job that waits for its world has one');
  doorbell.listen((world_slug) => rings.push(world_slug));
  await stop();
  assert.deepEqual([deferred, rings], [[['the next', 0]], ['park']]);
  end('park', { ...COMMITTED, next: toClaimed('lake') });
  await pass(0);
  assert.deepEqual([deferred.slice(1), rings.slice(1)], [[['message to lake', 0]], ['lake']]);
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
