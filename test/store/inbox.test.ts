import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import { INBOX_STEPS, type InboxStatus } from '../../engine/core/inbox/message.js';
import type { Claimed } from '../../engine/ports/claim.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase, openTestDatabase, type OutsideView } from '../support/databases.js';
import { isHeldUp } from './held-up.js';
import {
  begin,
  type Begun,
  beginning,
  doubt,
  endLease,
  failing,
  makeWorld,
  NOON,
  sayPatch,
  toyStart,
  startCall,
  BY_HAND,
} from './record-fixtures.js';

/** A turn's message as it is claimed for the first time. */
const TURN = { message_type: 'turn', retry_count: 0 } as const;
const RESERVE_MS = 60_000;
const CHANGE = { before: 'rested', after: 'tired' };

forEachDatabase('the inbox', (open) => {
  test('turns of a world are taken up one at a time, in the order in which they were queued', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'line');
    const ids = await enqueue(store, 'line', 3);
    assert.deepEqual(await statusesOf(outside, 'line'), ['pending', 'queued', 'queued']);
    for (const inbox_id of ids) {
      const [claimed] = await claim(store, 'line');
      assert.equal(claimed?.inbox_id, inbox_id);
      assert.deepEqual(await claim(store, 'line'), []);
      const begun = await beginClaimed(store, claimed);
      assert.deepEqual(await claim(store, 'line'), []);
      await commit(store, begun);
    }
    assert.deepEqual(await statusesOf(outside, 'line'), ['consumed', 'consumed', 'consumed']);
    assert.equal((await store.worlds.find('line'))?.turn, 3);
  });

  test("a claimed turn that is held is nobody else's after its reservation would have ended, and can be begun", async () => {
    const { store } = await open();
    await makeWorld(store, 'compiled');
    await enqueue(store, 'compiled', 1);
    const brief = { most: 1, reserve_ms: 0, worlds: ['compiled'] };
    const [claimed] = await store.inbox.claim(brief);
    assert.ok(claimed);
    await store.inbox.hold(claimed, RESERVE_MS);
    assert.deepEqual(await store.inbox.claim(brief), []);
    await commit(store, await beginClaimed(store, claimed));
  });

  test('a commit reserves the next turn for its driver where that goes on; else the turn is due', async () => {
    const { store } = await open();
    await makeWorld(store, 'reserved');
    const [, second, third] = await enqueue(store, 'reserved', 3);
    const [first] = await claim(store, 'reserved');
    const { lease } = await beginClaimed(store, first);
    const goes_on = { reserve_ms: RESERVE_MS, worlds: ['reserved'] };
    const turn = { ...(await sayPatch(store, lease, CHANGE)), goes_on };
    const next = { ...TURN, world_slug: 'reserved', inbox_id: second ?? '', waited_ms: 0 };
    assert.deepEqual(await store.attempts.commit(lease, turn), { kind: 'reserved', next });
    assert.deepEqual(await claim(store, 'reserved'), []);
    await commit(store, await beginClaimed(store, next));
    assert.deepEqual(
      (await claim(store, 'reserved')).map(({ inbox_id }) => inbox_id),
      [third],
    );
  });

  test('a commit reserves what is due longest in any world, before the next turn of its own', async () => {
    const { store } = await open();
    await makeWorld(store, 'goes-on');
    await makeWorld(store, 'waits-long');
    const [, second] = await enqueue(store, 'goes-on', 2);
    const { lease } = await beginClaimed(store, (await claim(store, 'goes-on'))[0]);
    const [waiting] = await enqueue(store, 'waits-long', 1);
    const goes_on = { reserve_ms: RESERVE_MS, worlds: ['goes-on', 'waits-long'] };
    const ended = await store.attempts.commit(lease, { ...(await sayPatch(store, lease, CHANGE)), goes_on });
    assert.ok(typeof ended === 'object');
    const { waited_ms, ...next } = ended.next;
    assert.deepEqual(next, { ...TURN, world_slug: 'waits-long', inbox_id: waiting });
    assert.ok(waited_ms > 0);
    assert.deepEqual(await claim(store, 'waits-long'), []);
    assert.deepEqual(
      (await claim(store, 'goes-on')).map(({ inbox_id }) => inbox_id),
      [second],
    );
  });

  test('a session plans the statements of queued turns a few times, and not each time', async () => {
    const { store, database } = await open();
    await makeWorld(store, 'planned');
    for (const worlds of [{}, { worlds: ['planned'] }]) {
      await enqueue(store, 'planned', 8);
      let [next] = await claim(store, 'planned');
      while (next !== undefined) {
        const { lease } = await beginClaimed(store, next);
        const turn = await sayPatch(store, lease, CHANGE);
        const goes_on = { reserve_ms: RESERVE_MS, ...worlds };
        const ended = await store.attempts.commit(lease, { ...turn, is_asked_for: true, goes_on });
        next = typeof ended === 'object' ? ended.next : undefined;
      }
    }
    const client = await database.pool.connect();
    try {
      const { rows } = await client.query(
        `SELECT name FROM pg_prepared_statements
         WHERE name ~ '^chukwa_(take|write|commit)_' AND generic_plans + custom_plans > 6 AND generic_plans = 0`,
      );
      assert.deepEqual(rows, []);
    } finally {
      client.release();
    }
  });

  test('a turn that waits for an attempt which no message asks for is due when that has ended, and its messages are over', async () => {
    const { store, outside, statementsOf } = await open();
    await makeWorld(store, 'by-hand');
    const { lease } = await begin(store, 'by-hand');
    const turn = { ...(await sayPatch(store, lease, CHANGE)), is_asked_for: false };
    const [inbox_id] = await enqueue(store, 'by-hand', 1);
    const [claimed] = await claim(store, 'by-hand');
    await store.inbox.defer(claimed ?? assert.fail(), { reason: 'held', delay_ms: 60_000 });
    await store.inbox.stop({ inbox_id: v7(), attempt_id: lease.attempt_id, payload: {} });
    assert.deepEqual(await claim(store, 'by-hand'), []);
    assert.equal(await store.attempts.commit(lease, turn), 'written');
    assert.deepEqual(await statusesOf(outside, 'by-hand'), ['pending', 'consumed']);
    assert.equal((await claim(store, 'by-hand'))[0]?.inbox_id, inbox_id);
    await commit(
      store,
      await beginClaimed(store, { ...TURN, world_slug: 'by-hand', inbox_id: inbox_id ?? '', waited_ms: 0 }),
    );
    const next = await begin(store, 'by-hand');
    const quiet = { ...(await sayPatch(store, next.lease, CHANGE)), is_asked_for: false };
    assert.equal((await statementsOf(() => store.attempts.commit(next.lease, quiet))).length, 1);
  });

  test('a driver that was overtaken commits nothing and takes nothing with it', async () => {
    const { store } = await open();
    await makeWorld(store, 'overtaken-goes');
    await makeWorld(store, 'stays-due');
    await enqueue(store, 'overtaken-goes', 1);
    const { lease } = await beginClaimed(store, (await claim(store, 'overtaken-goes'))[0]);
    const turn = await sayPatch(store, lease, CHANGE);
    const [waiting] = await enqueue(store, 'stays-due', 1);
    const goes_on = { reserve_ms: RESERVE_MS, worlds: ['stays-due'] };
    const late = { ...lease, epoch: lease.epoch - 1 };
    assert.equal(await store.attempts.commit(late, { ...turn, goes_on }), 'overtaken');
    assert.deepEqual(
      (await claim(store, 'stays-due')).map(({ inbox_id }) => inbox_id),
      [waiting],
    );
  });

  test('a turn that fails is over all the same: one enqueue is one attempt', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'fails');
    await enqueue(store, 'fails', 2);
    const { lease } = await beginClaimed(store, (await claim(store, 'fails'))[0]);
    await store.attempts.fail(lease, failing());
    assert.deepEqual(await statusesOf(outside, 'fails'), ['consumed', 'pending']);
  });

  test('a turn that fails transiently is put off by the statement that ends its attempt, and stays first of its world', async () => {
    const { store, outside, statementsOf } = await open();
    await makeWorld(store, 'passes');
    const [inbox_id] = await enqueue(store, 'passes', 2);
    const retry_delays_ms = [1_000, 2_000];
    for (const retry of [1, 2]) {
      const [claimed] = await claim(store, 'passes');
      assert.equal(claimed?.inbox_id, inbox_id);
      const { lease } = await beginClaimed(store, claimed);
      const ended: unknown[] = [];
      const statements = await statementsOf(async () => {
        ended.push(await store.attempts.fail(lease, { ...failing(), retry_delays_ms }));
      });
      assert.equal(statements.length, 1);
      assert.deepEqual(ended, [{ kind: 'put_off', retry, delay_ms: retry * 1_000 }]);
      assert.deepEqual(await statusesOf(outside, 'passes'), ['deferred', 'queued']);
      assert.deepEqual(await claim(store, 'passes'), [], 'it is due before its time');
      const [row] = await outside.query(
        `SELECT retry_count, attempt_id, defer_reason FROM agent_inbox WHERE world_slug = 'passes' AND status = 'deferred'`,
      );
      const defer_reason = `attempt ${lease.attempt_id} failed, http_status: The toy said 500.`;
      assert.deepEqual(row, { retry_count: retry, attempt_id: null, defer_reason });
      await makeDue(outside, 'passes');
    }
    const { lease } = await beginClaimed(store, (await claim(store, 'passes'))[0]);
    assert.equal(await store.attempts.fail(lease, { ...failing(), retry_delays_ms }), 'written');
    assert.deepEqual(await statusesOf(outside, 'passes'), ['consumed', 'pending']);
  });

  test("an obstacle to a turn's beginning does not count as a failure of it", async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'held-up');
    await enqueue(store, 'held-up', 1);
    for (const reason of ['held', 'held again']) {
      const [claimed] = await claim(store, 'held-up');
      assert.ok(claimed);
      await store.inbox.defer(claimed, { reason, delay_ms: 60_000 });
      await makeDue(outside, 'held-up');
    }
    const { lease } = await beginClaimed(store, (await claim(store, 'held-up'))[0]);
    const put_off = await store.attempts.fail(lease, { ...failing(), retry_delays_ms: [1_000] });
    assert.deepEqual(put_off, { kind: 'put_off', retry: 1, delay_ms: 1_000 });
    assert.equal(await store.inbox.takeBack('held-up', 'looked at'), 1);
  });

  test('queueing into an unknown world is refused', async () => {
    const { store } = await open();
    assert.deepEqual(await store.inbox.enqueueTurns({ world_slug: 'nowhere', inbox_ids: [v7()] }), {
      kind: 'unknown_world',
    });
  });

  test('the inbox claims go round the worlds, however many turns wait in each', async () => {
    const { store } = await open();
    const worlds = Array.from({ length: 20 }, (_none, index) => `round-${String(index).padStart(2, '0')}`);
    for (const world of worlds) {
      await makeWorld(store, world);
      await enqueue(store, world, 3);
    }
    const order: string[] = [];
    while (order.length < 60) {
      const [claimed] = await store.inbox.claim({ most: 1, reserve_ms: RESERVE_MS, worlds });
      assert.ok(claimed);
      order.push(claimed.world_slug);
      const { lease } = await beginClaimed(store, claimed);
      await store.attempts.fail(lease, failing());
    }
    assert.deepEqual(order, [...worlds, ...worlds, ...worlds]);
  });

  test('a claimed message is invisible for a while, and due again where nothing was begun', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'kept');
    await enqueue(store, 'kept', 1);
    const [first] = await claim(store, 'kept');
    assert.deepEqual(await claim(store, 'kept'), []);
    await makeDue(outside, 'kept');
    const [second] = await claim(store, 'kept');
    assert.equal(second?.inbox_id, first?.inbox_id);
    await beginClaimed(store, second);
    assert.deepEqual(await beginAgain(store, first), { kind: 'not_asked_for' });
  });

  test('a message that is done and committed begins nothing any more', async () => {
    const { store } = await open();
    await makeWorld(store, 'done');
    await enqueue(store, 'done', 1);
    const [claimed] = await claim(store, 'done');
    await commit(store, await beginClaimed(store, claimed));
    assert.deepEqual(await beginAgain(store, claimed), { kind: 'not_asked_for' });
    assert.equal((await store.worlds.find('done'))?.turn, 1);
  });

  test('a turn that finds its world held is due again later, and at once when the world is free', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'held');
    const here = await begin(store, 'held');
    await enqueue(store, 'held', 2);
    const [claimed] = await claim(store, 'held');
    assert.equal((await beginAgain(store, claimed)).kind, 'held');
    assert.ok(claimed);
    await store.inbox.defer(claimed, { reason: 'the world is held', delay_ms: 600_000 });
    assert.deepEqual(await statusesOf(outside, 'held'), ['deferred', 'queued']);
    assert.deepEqual(await claim(store, 'held'), []);
    await commit(store, here);
    assert.deepEqual(await statusesOf(outside, 'held'), ['pending', 'queued']);
    const [again] = await claim(store, 'held');
    assert.deepEqual({ ...again, waited_ms: claimed?.waited_ms }, { ...claimed, retry_count: 1 });
  });

  test('a turn whose driver breaks stays with its attempt, and no other is begun for it', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'breaks');
    await enqueue(store, 'breaks', 2);
    const [claimed] = await claim(store, 'breaks');
    const { lease } = await beginClaimed(store, claimed);
    await store.attempts.handOver(lease, { at: NOON, has_broken: true });
    assert.deepEqual(await claim(store, 'breaks'), []);
    assert.deepEqual(await beginAgain(store, claimed), { kind: 'not_asked_for' });
    const lapsed = await store.inbox.lapsed({ most: 10, within_ms: 0, worlds: ['breaks'] });
    assert.deepEqual(lapsed, [{ world_slug: 'breaks', in_ms: 0, take_overs: 0 }]);
    const next = await begin(store, 'breaks');
    assert.equal(next.lease.attempt_id, lease.attempt_id);
    await store.attempts.fail(next.lease, failing());
    assert.deepEqual(await statusesOf(outside, 'breaks'), ['consumed', 'pending']);
  });

  test('a turn that was put off over a call in doubt is due in the moment in which that is settled', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'doubted');
    const { lease, call } = await doubt(store, 'doubted');
    await enqueue(store, 'doubted', 2);
    const [claimed] = await claim(store, 'doubted');
    assert.equal((await beginAgain(store, claimed)).kind, 'in_doubt');
    assert.ok(claimed);
    await store.inbox.defer(claimed, { reason: 'a call is in doubt', delay_ms: 600_000 });
    assert.deepEqual(await claim(store, 'doubted'), []);
    await store.attempts.settle({
      attempt_id: lease.attempt_id,
      source_invocation_id: call,
      settled_at: NOON,
      ...BY_HAND,
    });
    assert.deepEqual(await statusesOf(outside, 'doubted'), ['pending', 'queued']);
    const [again] = await claim(store, 'doubted');
    assert.equal(again?.inbox_id, claimed.inbox_id);
    const begun = await beginAgain(store, again);
    assert.deepEqual([begun.kind, begun.kind === 'begun' && begun.past], ['begun', undefined]);
  });

  test('worlds whose driver let its lease lapse are found, longest ago first', async () => {
    const { store, outside } = await open();
    for (const world of ['lapsed-a', 'lapsed-b', 'lapsed-c']) {
      await makeWorld(store, world);
      await begin(store, world);
    }
    await endLease(outside, 'lapsed-b');
    await endLease(outside, 'lapsed-a');
    await outside.query(
      `UPDATE worlds SET lease_until = lease_until - interval '1 hour' WHERE world_slug = 'lapsed-a'`,
    );
    const lapsed = [
      { world_slug: 'lapsed-a', in_ms: 0, take_overs: 0 },
      { world_slug: 'lapsed-b', in_ms: 0, take_overs: 0 },
    ];
    assert.equal((await store.inbox.glance(0)).is_lapsing, true);
    assert.deepEqual(await store.inbox.lapsed({ most: 10, within_ms: 0 }), lapsed);
    assert.deepEqual(await store.inbox.lapsed({ most: 1, within_ms: 0 }), lapsed.slice(0, 1));
    const [soon] = await store.inbox.lapsed({ most: 10, within_ms: 3_600_000, worlds: ['lapsed-c'] });
    assert.ok(soon !== undefined && soon.in_ms > 0);
  });

  test('a glance says whether there may be work', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'glanced-at');
    // Nothing that other tests left is due.
    await outside.query(`UPDATE agent_inbox SET next_retry_at = 'infinity' WHERE status IN ('pending', 'deferred')`);
    await outside.query(`UPDATE worlds SET lease_until = now() + interval '1 hour' WHERE lease_attempt_id IS NOT NULL`);
    await outside.query(`UPDATE attempts SET status = 'interrupted', ended_at = now() FROM worlds
      WHERE worlds.world_slug = attempts.world_slug AND lease_attempt_id IS NULL AND status = 'running'`);
    assert.deepEqual(await store.inbox.glance(1_000), { is_due: false, is_expired: false, is_lapsing: false });
    await enqueue(store, 'glanced-at', 1);
    assert.deepEqual(await store.inbox.glance(1_000), { is_due: true, is_expired: false, is_lapsing: false });
    await beginClaimed(store, (await claim(store, 'glanced-at'))[0]);
    assert.deepEqual(await store.inbox.glance(1_000), { is_due: false, is_expired: false, is_lapsing: false });
    assert.equal((await store.inbox.glance(7_200_000)).is_lapsing, true);
  });

  test('a turn that was never promoted is found and promoted', async () => {
    const { store, outside } = await open();
    for (const world of ['forgotten-a', 'forgotten-b']) {
      await makeWorld(store, world);
      await enqueue(store, world, 3);
    }
    await outside.query(
      `UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
       WHERE world_slug LIKE 'forgotten-%' AND status = 'pending'`,
    );
    assert.deepEqual(await store.inbox.tidy(), { promoted: 2, consumed: 0 });
    assert.deepEqual(await store.inbox.tidy(), { promoted: 0, consumed: 0 });
    assert.deepEqual(await statusesOf(outside, 'forgotten-b'), ['consumed', 'pending', 'queued']);
  });

  test('a report is taken once: early is kept, again is a duplicate, after the end is late, of nothing is unknown', async () => {
    const { store } = await open();
    await makeWorld(store, 'told');
    const { lease } = await begin(store, 'told');
    const start = toyStart('a', 1);
    const { source_invocation_id } = start;
    const report = () => store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: { answer: 1 } });
    assert.deepEqual(await report(), { kind: 'unknown' });
    await startCall(store, lease, start);
    const about = { world_slug: 'told', attempt_id: lease.attempt_id };
    assert.deepEqual(await report(), { kind: 'accepted', ...about });
    assert.deepEqual(await report(), { kind: 'duplicate', ...about });
    const messages = await store.inbox.messagesOf(lease);
    assert.deepEqual(
      messages.map(({ message_type, correlation_id, payload }) => [message_type, correlation_id, payload]),
      [['tool_result', source_invocation_id, { answer: 1 }]],
    );
    await store.attempts.fail(lease, failing());
    assert.deepEqual(await report(), { kind: 'duplicate', ...about });
  });

  test('a report of a call whose attempt is over is late, and leaves nothing', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'late');
    const { lease } = await begin(store, 'late');
    const start = toyStart('a', 1);
    await startCall(store, lease, start);
    await store.attempts.fail(lease, failing());
    const { source_invocation_id } = start;
    const report = { inbox_id: v7(), source_invocation_id, payload: {} } as const;
    assert.equal((await store.inbox.report(report)).kind, 'late');
    assert.deepEqual(await statusesOf(outside, 'late'), []);
  });

  test('a report and a take-over of its world do not wait for each other', async () => {
    const { store, kind, database, outside } = await open();
    if (kind === 'embedded') return;
    await makeWorld(store, 'taken');
    const { lease } = await begin(store, 'taken');
    const start = toyStart('a', 1);
    await startCall(store, lease, start);
    const { source_invocation_id } = start;
    const report = { inbox_id: v7(), source_invocation_id, payload: {} } as const;
    const taker = await database.pool.connect();
    try {
      await taker.query('BEGIN');
      await taker.query(`SELECT FROM worlds WHERE world_slug = 'taken' FOR UPDATE`);
      const reported = store.inbox.report(report);
      assert.equal(await isHeldUp(reported, outside), true);
      await taker.query(`SELECT FROM attempts WHERE world_slug = 'taken' FOR UPDATE NOWAIT`);
      await taker.query('COMMIT');
      assert.equal((await reported).kind, 'accepted');
    } finally {
      taker.release(true);
    }
  });

  test('a stop reaches an open attempt once, and ends with it', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'stops');
    const { lease } = await begin(store, 'stops');
    const stop = () =>
      store.inbox.stop({ inbox_id: v7(), attempt_id: lease.attempt_id, payload: { reason: 'enough' } });
    assert.equal((await stop()).kind, 'accepted');
    assert.equal((await stop()).kind, 'duplicate');
    assert.deepEqual(
      (await store.inbox.messagesOf(lease)).map(({ message_type }) => message_type),
      ['stop'],
    );
    assert.deepEqual(await store.inbox.claim({ most: 10, reserve_ms: RESERVE_MS, worlds: ['stops'] }), []);
    await store.attempts.fail(lease, failing());
    assert.deepEqual(await statusesOf(outside, 'stops'), ['consumed']);
  });

  test('a message to a suspended attempt is claimed by any free worker', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'waits');
    const { lease } = await begin(store, 'waits');
    await store.inbox.stop({ inbox_id: v7(), attempt_id: lease.attempt_id, payload: {} });
    await outside.query(`UPDATE attempts SET status = 'suspended' WHERE attempt_id = $1`, [lease.attempt_id]);
    const [claimed] = await claim(store, 'waits');
    assert.equal(claimed?.message_type, 'stop');
  });

  test('a message may be given up by its attempt and a turn by its worker in one session', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'given-up');
    await enqueue(store, 'given-up', 2);
    const [first] = await claim(store, 'given-up');
    const { lease } = await beginClaimed(store, first);
    const inbox_id = v7();
    await store.inbox.stop({ inbox_id, attempt_id: lease.attempt_id, payload: {} });
    assert.equal(await store.attempts.discard(lease, inbox_id), 'written');
    await store.attempts.fail(lease, failing());
    const [second] = await claim(store, 'given-up');
    assert.ok(second);
    await store.inbox.discard(second, 'its calendar has ended');
    assert.deepEqual(await statusesOf(outside, 'given-up'), ['consumed', 'consumed', 'consumed']);
  });

  test('turns that have not begun are counted, and say until when and why the first is put off', async () => {
    const { store } = await open();
    for (const world of ['counted', 'uncounted']) await makeWorld(store, world);
    assert.deepEqual(await store.inbox.queues('counted'), []);
    await enqueue(store, 'counted', 3);
    assert.deepEqual(await store.inbox.queues('counted'), [{ world_slug: 'counted', queued_turns: 3, put_off: null }]);
    const [claimed] = await claim(store, 'counted');
    assert.ok(claimed);
    await store.inbox.defer(claimed, { reason: 'no plugin', delay_ms: 3_600_000 });
    const queues = await store.inbox.queues();
    assert.ok(!queues.some(({ world_slug }) => world_slug === 'uncounted'));
    const queue = queues.find(({ world_slug }) => world_slug === 'counted');
    assert.deepEqual([queue?.queued_turns, queue?.put_off?.reason], [3, 'no plugin']);
    assert.ok(Date.parse(queue?.put_off?.until ?? '') > Date.now());
    await beginClaimed(store, claimed);
    assert.equal((await store.inbox.queues('counted'))[0]?.queued_turns, 2);
  });

  test('turns are taken back that have not begun, and the one that has begun is done', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'back');
    await enqueue(store, 'back', 3);
    const begun = await beginClaimed(store, (await claim(store, 'back'))[0]);
    assert.equal(await store.inbox.takeBack('back', 'never mind'), 2);
    assert.equal(await store.inbox.takeBack('back', 'never mind'), 0);
    await commit(store, begun);
    assert.deepEqual(await statusesOf(outside, 'back'), ['consumed', 'consumed', 'consumed']);
    assert.deepEqual(await claim(store, 'back'), []);
    assert.equal((await store.worlds.find('back'))?.turn, 1);
    assert.equal(await store.inbox.takeBack('nowhere', 'never mind'), undefined);
  });

  test('a turn that was claimed and then taken back is not begun', async () => {
    const { store } = await open();
    await makeWorld(store, 'snatched');
    await enqueue(store, 'snatched', 1);
    const [claimed] = await claim(store, 'snatched');
    assert.equal(await store.inbox.takeBack('snatched', 'never mind'), 1);
    assert.equal((await beginAgain(store, claimed)).kind, 'not_asked_for');
  });

  test('no message takes a step that the table of steps does not have', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'steps');
    await enqueue(store, 'steps', 6);
    const acts: readonly (() => Promise<unknown>)[] = [
      () => makeDue(outside, 'steps'),
      () => claim(store, 'steps'),
      async () => {
        const [claimed] = await claim(store, 'steps');
        if (claimed) await store.inbox.defer(claimed, { reason: 'no', delay_ms: 0 });
      },
      async () => {
        const [claimed] = await claim(store, 'steps');
        if (claimed) await commit(store, await beginClaimed(store, claimed));
      },
      async () => {
        const [claimed] = await claim(store, 'steps');
        if (!claimed) return;
        const { lease } = await beginClaimed(store, claimed);
        await store.attempts.handOver(lease, { at: NOON, has_broken: true });
      },
      async () => store.attempts.fail((await begin(store, 'steps')).lease, failing()),
      () => store.inbox.tidy(),
      () => store.inbox.takeBack('steps', 'never mind'),
    ];
    let before = await statusesById(outside, 'steps');
    for (const act of [0, 2, 0, 4, 5, 3, 6, 2, 5, 1, 0, 3, 0, 4, 5, 0, 3, 0, 3, 6, 2, 7]) {
      await acts[act]?.();
      const after = await statusesById(outside, 'steps');
      for (const [id, status] of after) assert.ok(isStep(before.get(id), status), `${before.get(id)} to ${status}`);
      before = after;
    }
    assert.deepEqual([...new Set(before.values())], ['consumed']);
  });

  test('a run that queues nothing ends in one statement, and so does a queued turn that has a next one', async () => {
    const { store, statementsOf } = await open();
    await makeWorld(store, 'cheap');
    const plain = await begin(store, 'cheap');
    assert.equal((await statementsOf(() => store.attempts.fail(plain.lease, failing()))).length, 1);
    await enqueue(store, 'cheap', 2);
    const first = await beginClaimed(store, (await claim(store, 'cheap'))[0]);
    assert.equal((await statementsOf(() => store.attempts.fail(first.lease, failing()))).length, 1);
  });
});

test('a turn that is queued while the last one ends is promoted in either order', async () => {
  const opened = await openTestDatabase('PostgreSQL');
  try {
    const { store, outside, database } = opened;
    await makeWorld(store, 'race');
    await enqueue(store, 'race', 1);
    const begun = await beginClaimed(store, (await claim(store, 'race'))[0]);
    // Somebody who queues holds the world's row, and the end of the attempt has begun to wait for it.
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM worlds WHERE world_slug = 'race' FOR NO KEY UPDATE`);
    const ended = store.attempts.fail(begun.lease, failing());
    await untilSomebodyWaits(outside);
    await client.query(
      `INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status) VALUES ('race', $1, 'turn', 'queued')`,
      [v7()],
    );
    await client.query('COMMIT');
    client.release();
    assert.equal(await ended, 'written');
    assert.deepEqual(await statusesOf(outside, 'race'), ['consumed', 'pending']);
  } finally {
    await opened.close();
  }
});

async function untilSomebodyWaits(outside: OutsideView): Promise<void> {
  for (;;) {
    const waiting = await outside.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

async function enqueue(store: Store, world_slug: string, turns: number): Promise<readonly string[]> {
  const inbox_ids = Array.from({ length: turns }, () => v7());
  assert.equal((await store.inbox.enqueueTurns({ world_slug, inbox_ids })).kind, 'queued');
  return inbox_ids;
}

function claim(store: Store, world: string): Promise<readonly Claimed[]> {
  return store.inbox.claim({ most: 10, reserve_ms: RESERVE_MS, worlds: [world] });
}

async function beginClaimed(store: Store, claimed: Claimed | undefined): Promise<Begun> {
  const outcome = await beginAgain(store, claimed);
  if (outcome.kind !== 'begun') throw new Error(`the attempt was not begun: ${outcome.kind}`);
  return outcome;
}

async function beginAgain(store: Store, claimed: Claimed | undefined) {
  assert.ok(claimed);
  const request = { ...beginning(claimed.world_slug, NOON), inbox_id: claimed.inbox_id };
  return store.attempts.begin(request, () => true);
}

async function commit(store: Store, { lease }: Begun): Promise<void> {
  assert.equal(await store.attempts.commit(lease, await sayPatch(store, lease, CHANGE)), 'written');
}

async function makeDue(outside: OutsideView, world_slug: string): Promise<void> {
  await outside.query(
    `UPDATE agent_inbox SET next_retry_at = now() - interval '1 second'
     WHERE world_slug = $1 AND status IN ('pending', 'deferred') AND attempt_id IS NULL`,
    [world_slug],
  );
}

async function statusesById(outside: OutsideView, world_slug: string): Promise<ReadonlyMap<string, InboxStatus>> {
  const rows = await outside.query<{ inbox_id: string; status: InboxStatus }>(
    'SELECT inbox_id, status FROM agent_inbox WHERE world_slug = $1 ORDER BY inbox_id',
    [world_slug],
  );
  return new Map(rows.map(({ inbox_id, status }) => [inbox_id, status]));
}

async function statusesOf(outside: OutsideView, world_slug: string): Promise<readonly InboxStatus[]> {
  return [...(await statusesById(outside, world_slug)).values()];
}

function isStep(from: InboxStatus | undefined, to: InboxStatus): boolean {
  return from === undefined || from === to || Object.values(INBOX_STEPS[from]).includes(to);
}
