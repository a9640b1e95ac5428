import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { AttemptLease, CallStart } from '../../engine/ports/attempts.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase } from '../support/databases.js';
import {
  answered,
  begin,
  beginning,
  endLease,
  type Begun,
  failing,
  makeWorld,
  pended,
  pendingStart,
  refused,
  toyStart,
  finishCall,
  startCall,
  BY_HAND,
} from './record-fixtures.js';

const HOUR_MS = 3_600_000;
const CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at';

forEachDatabase('a call that is answered later', (open) => {
  /** A world with an attempt one of whose calls is pending. */
  async function pend(
    world: string,
    { alias, deadline_ms, has_effect }: { alias?: string; deadline_ms?: number; has_effect?: boolean } = {},
  ) {
    const { store } = await open();
    await makeWorld(store, world);
    const { lease } = await begin(store, world);
    const call = has_effect ? withEffect(pendingStart('a', 1, deadline_ms)) : pendingStart('a', 1, deadline_ms);
    await startCall(store, lease, call);
    const until = await store.attempts.pendCall(lease, call.source_invocation_id, pended(call, alias));
    assert.ok(until !== 'overtaken');
    return { store, lease, call, until, id: call.source_invocation_id };
  }

  const report = (store: Store, source_invocation_id: string) =>
    store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: { result: 1 } });

  test('a pending call costs one statement to write, one to suspend its attempt, and one to answer', async () => {
    const { store, lease, call } = await pend('cheap');
    const { statementsOf } = await open();
    const other = pendingStart('b', 2);
    await startCall(store, lease, other);
    const { source_invocation_id } = other;
    const count = async (work: () => Promise<unknown>) => (await statementsOf(work)).length;
    assert.equal(await count(() => store.attempts.pendCall(lease, source_invocation_id, pended(other))), 1);
    assert.equal(await count(() => finishCall(store, lease, { ...answered(call, 1), is_reported: true })), 1);
    assert.equal(await count(() => store.attempts.suspend(lease, { at: 0, agents: [] })), 1);
  });

  test('the deadline of a pending call follows from its binding, by the clock of the database', async () => {
    const { outside } = await open();
    const [before] = await outside.query<{ at: number }>(CLOCK);
    const { until } = await pend('deadline');
    const [after] = await outside.query<{ at: number }>(CLOCK);
    assert.ok(before && after);
    assert.ok(until >= before.at + HOUR_MS && until <= after.at + HOUR_MS + 1);
  });

  test('a call whose author wants its answer at once cannot be pending', async () => {
    const { store } = await open();
    await makeWorld(store, 'at-once');
    const { lease } = await begin(store, 'at-once');
    const call = toyStart('a', 1);
    await startCall(store, lease, call);
    await assert.rejects(
      store.attempts.pendCall(lease, call.source_invocation_id, pended(call)),
      /may not be answered/,
    );
    assert.deepEqual(await store.pending.find(call.source_invocation_id), [
      { ...meaning(call.source_invocation_id, 'at-once', lease), may_pend: false },
    ]);
  });

  test('a suspended attempt has no lease, and no driver claims it without mail', async () => {
    const { store, lease, id } = await pend('rests');
    assert.equal(await store.attempts.suspend(lease, { at: 0, agents: [] }), 'suspended');
    assert.equal(await store.attempts.suspend(lease, { at: 0, agents: [] }), 'overtaken');
    const still_suspended = { kind: 'still_suspended', attempt_id: lease.attempt_id, attempted_turn: 1 };
    assert.deepEqual(await store.attempts.begin(beginning('rests'), () => true), still_suspended);
    assert.equal((await report(store, id)).kind, 'accepted');
    const again = await begin(store, 'rests');
    assert.equal(again.lease.attempt_id, lease.attempt_id);
    assert.equal(again.past?.take_overs, 0);
    assert.deepEqual(
      again.past?.calls.map(({ fact }) => fact?.status),
      ['pending'],
    );
  });

  test('a pending call that was answered before its driver died is awaited by the next, which finds the answer', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'early');
    const { lease } = await begin(store, 'early');
    const [reported, unreported] = [pendingStart('a', 1), pendingStart('b', 2)];
    for (const call of [reported, unreported]) await startCall(store, lease, call);
    assert.equal((await report(store, reported.source_invocation_id)).kind, 'accepted');
    await endLease(outside, 'early');
    const next = await begin(store, 'early');
    assert.deepEqual(next.past?.calls.map(({ key, fact }) => [key, fact?.status]).toSorted(), [
      ['a', 'pending'],
      ['b', undefined],
    ]);
    const [message] = await store.inbox.messagesOf(next.lease);
    assert.deepEqual([message?.correlation_id, message?.payload], [reported.source_invocation_id, { result: 1 }]);
    assert.equal(await finishCall(store, next.lease, { ...answered(reported, 1), is_reported: true }), 'written');
  });

  test('a pending call whose deadline ended it is known to the next driver as one that was pending', async () => {
    const { store, lease, call } = await pend('ran-out');
    const { outside } = await open();
    const { outcome, ...late } = refused(call);
    const timedOut = { ...outcome, failure_class: 'timeout', refused: false } as const;
    await finishCall(store, lease, { ...late, outcome: timedOut });
    await endLease(outside, 'ran-out');
    const [known] = (await begin(store, 'ran-out')).past?.calls ?? [];
    assert.ok(known?.fact?.status === 'failed');
    assert.deepEqual([known.fact.failure_class, known.fact.was_pending], ['timeout', true]);
  });

  test('an attempt that has mail is not suspended', async () => {
    const { store, lease, id } = await pend('called');
    await report(store, id);
    assert.equal(await store.attempts.suspend(lease, { at: 0, agents: [] }), 'called');
    const [message] = await store.inbox.messagesOf(lease);
    assert.equal(await store.attempts.discard(lease, message?.inbox_id ?? ''), 'written');
    assert.equal(await store.attempts.suspend(lease, { at: 0, agents: [] }), 'suspended');
  });

  test('the end of a pending call handles all its mail', async () => {
    const { store, lease, call, id } = await pend('taken-in');
    await report(store, id);
    assert.equal((await store.inbox.messagesOf(lease)).length, 1);
    assert.equal(await finishCall(store, lease, { ...answered(call, 1), is_reported: true }), 'written');
    assert.deepEqual(await store.inbox.messagesOf(lease), []);
    assert.deepEqual(await store.pending.awaitedBy(lease.attempt_id), []);
    const record = await store.records.invocation(id, 'unredacted');
    assert.deepEqual([record?.status, record?.http_status, record?.response_json], ['succeeded', 202, 1]);
  });

  test('a pending call that is over leaves no report in the inbox, however it ended', async () => {
    const { outside } = await open();
    const payloadsOf = async (world: string): Promise<readonly unknown[]> =>
      (await outside.query<{ payload: unknown }>('SELECT payload FROM agent_inbox WHERE world_slug = $1', [world])).map(
        ({ payload }) => payload,
      );
    const { store, lease, call, id } = await pend('forgotten');
    await report(store, id);
    assert.deepEqual(await payloadsOf('forgotten'), [{ result: 1 }]);
    await finishCall(store, lease, { ...answered(call, 1), is_reported: true });
    assert.deepEqual(await payloadsOf('forgotten'), [{}]);
    const failed = await pend('forgotten-too');
    await report(failed.store, failed.id);
    await failed.store.attempts.fail(failed.lease, failing());
    for (const report of await failed.store.inbox.unhandledReports(9))
      await failed.store.inbox.consumeUnhandled(report);
    assert.deepEqual(await payloadsOf('forgotten-too'), [{}]);
  });

  test('a deadline that passed is notified once, and not before', async () => {
    const { store, lease } = await pend('late', { deadline_ms: 1 });
    await pend('in-time');
    assert.equal((await store.inbox.glance(0)).is_expired, true);
    assert.equal(await store.pending.expire([]), 0);
    assert.equal(await store.pending.expire([v7(), v7()]), 1);
    assert.equal((await store.inbox.glance(0)).is_expired, false);
    assert.equal(await store.pending.expire([v7(), v7()]), 0);
    const [message] = await store.inbox.messagesOf(lease);
    assert.equal(message?.message_type, 'timeout');
  });

  test('a lock on the attempt or world of one pending call keeps no other deadline from being notified', async () => {
    const { kind, outside } = await open();
    if (kind === 'embedded') return;
    const { store, lease } = await pend('locked', { deadline_ms: 1 });
    for (const table of ['attempts', 'worlds']) {
      await pend(`beside-${table}`, { deadline_ms: 1 });
      await outside.query('BEGIN');
      await outside.query(`SELECT FROM ${table} WHERE world_slug = 'locked' FOR UPDATE`);
      await outside.query('SELECT pg_sleep(0.01)');
      const reported = await store.pending.expire([v7(), v7()]);
      await outside.query('ROLLBACK');
      assert.equal(reported, 1, `a lock in ${table} held up another world`);
    }
    assert.equal(await store.pending.expire([v7(), v7()]), 1);
    assert.equal((await store.inbox.messagesOf(lease)).length, 1);
  });

  test('a pending call past its deadline accepts a report until a driver handles the deadline, and none afterwards', async () => {
    const { store, lease, call, id } = await pend('in-between', { deadline_ms: 1 });
    const other = await pend('too-late', { deadline_ms: 1 });
    await (await open()).outside.query('SELECT pg_sleep(0.01)');
    assert.equal(await store.pending.expire([v7(), v7()]), 2);
    assert.equal((await report(store, id)).kind, 'accepted');
    assert.equal(await store.attempts.claimTimeout(lease, id), 'reported');
    const messages = await store.inbox.messagesOf(lease);
    assert.deepEqual(
      messages.map(({ message_type, payload }) => [message_type, payload]),
      [['tool_result', { result: 1 }]],
    );
    assert.equal(await finishCall(store, lease, { ...answered(call, 1), is_reported: true }), 'written');
    const [timeout] = await store.inbox.messagesOf(other.lease);
    assert.ok(timeout);
    assert.equal(await store.attempts.claimTimeout(other.lease, other.id), 'closed');
    assert.equal((await report(store, other.id)).kind, 'undecided');
    // A worker that had claimed it before finds the world held.
    const claimed = { ...timeout, world_slug: 'too-late', retry_count: 0, waited_ms: 0 };
    await store.inbox.defer(claimed, { reason: 'it is held', delay_ms: 0 });
    assert.equal((await report(store, other.id)).kind, 'undecided');
    // Its driver may die now: the next one gets it again.
    assert.equal((await store.inbox.messagesOf(other.lease))[0]?.message_type, 'timeout');
    await finishCall(store, other.lease, { ...answered(other.call, 1), is_reported: true });
    assert.equal((await report(store, other.id)).kind, 'late');
  });

  test('a call that its service answered at once accepts no report, unless it was reported before', async () => {
    const { store } = await open();
    await makeWorld(store, 'answered-at-once');
    const { lease } = await begin(store, 'answered-at-once');
    const [reported, unreported] = [pendingStart('a', 1), pendingStart('b', 2)];
    for (const call of [reported, unreported]) await startCall(store, lease, call);
    const close = ({ source_invocation_id }: CallStart) =>
      store.attempts.closeToReports(lease, { source_invocation_id, inbox_id: v7() });
    assert.equal((await report(store, reported.source_invocation_id)).kind, 'accepted');
    assert.deepEqual([await close(reported), await close(unreported)], ['reported', 'closed']);
    assert.equal((await report(store, unreported.source_invocation_id)).kind, 'undecided');
    await finishCall(store, lease, answered(unreported, 1));
    assert.equal((await report(store, unreported.source_invocation_id)).kind, 'late');
    assert.equal((await store.inbox.messagesOf(lease)).length, 1);
  });

  test('of fifty equal reports at one time one is accepted, and the others are duplicates', async () => {
    const { store, lease, call, id } = await pend('fifty');
    const others = await Promise.all(Array.from({ length: 4 }, async () => (await open()).anotherStore()));
    const stores = [store, ...others];
    const kinds = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { kind } = await report(stores[index % stores.length] ?? store, id);
        // The first that is accepted ends the call while the others are still on their way.
        if (kind === 'accepted') await finishCall(store, lease, { ...answered(call, 1), is_reported: true });
        return kind;
      }),
    );
    assert.equal(kinds.filter((kind) => kind === 'accepted').length, 1);
    assert.deepEqual([...new Set(kinds)].toSorted(), ['accepted', 'duplicate']);
  });

  test('a report that was accepted before its attempt ended stays to be handled', async () => {
    const { store, lease, id } = await pend('unheard');
    await report(store, id);
    const before = await store.inbox.unhandledReports(9);
    await store.attempts.fail(lease, failing());
    const after = await store.inbox.unhandledReports(9);
    assert.deepEqual(before, []);
    assert.deepEqual(
      after.map(({ source_invocation_id, payload }) => [source_invocation_id, payload]),
      [[id, { result: 1 }]],
    );
    for (const report of after) await store.inbox.consumeUnhandled(report);
    assert.deepEqual(await store.inbox.unhandledReports(9), []);
    assert.equal((await report(store, id)).kind, 'duplicate');
  });

  test('the end of an attempt ends its pending calls, and no deadline is notified then', async () => {
    const { store, lease, id } = await pend('over', { deadline_ms: 1 });
    await store.attempts.fail(lease, failing());
    assert.equal(await store.pending.expire([v7()]), 0);
    assert.deepEqual(await store.pending.awaitedBy(lease.attempt_id), []);
    assert.equal((await store.records.invocation(id, 'redacted'))?.status, 'interrupted');
    assert.equal((await report(store, id)).kind, 'late');
  });

  const meaning = (source_invocation_id: string, world_slug: string, { attempt_id }: AttemptLease) => ({
    source_invocation_id,
    world_slug,
    attempt_id,
    may_pend: true,
  });

  test('a pending call is found by the name that its service gave it, as long as that name means one', async () => {
    const { store, id, lease } = await pend('named', { alias: 'parcel-1' });
    assert.deepEqual(await store.pending.find('parcel-1'), [meaning(id, 'named', lease)]);
    const other = await pend('named-too', { alias: 'parcel-1' });
    assert.equal((await store.pending.find('parcel-1')).length, 2);
    await store.attempts.fail(lease, failing());
    assert.deepEqual(await store.pending.find('parcel-1'), [meaning(other.id, 'named-too', other.lease)]);
    await store.attempts.fail(other.lease, failing());
    assert.deepEqual(await store.pending.find('parcel-1'), [meaning(other.id, 'named-too', other.lease)]);
    assert.deepEqual(await store.pending.find('parcel-2'), []);
  });

  test('a name means the call that is in doubt, though a later call that is over had the name as well', async () => {
    const { store, id, lease } = await pend('doubted', { alias: 'parcel-3', has_effect: true });
    await store.attempts.fail(lease, failing());
    const later = await pend('after-it', { alias: 'parcel-3' });
    assert.equal((await store.pending.find('parcel-3')).length, 2);
    await store.attempts.fail(later.lease, failing());
    assert.deepEqual(await store.pending.find('parcel-3'), [meaning(id, 'doubted', lease)]);
    await store.attempts.settle({
      attempt_id: lease.attempt_id,
      source_invocation_id: id,
      settled_at: Date.now(),
      ...BY_HAND,
    });
    assert.deepEqual(await store.pending.find('parcel-3'), [meaning(later.id, 'after-it', later.lease)]);
  });

  test('a call stays pending when its driver is gone, and the next driver handles it as pending', async () => {
    const { store, id, until } = await pend('taken-over');
    const { outside } = await open();
    await outside.query(`UPDATE worlds SET lease_until = now() - interval '1 second' WHERE world_slug = 'taken-over'`);
    const next: Begun = await begin(store, 'taken-over', undefined, false);
    assert.deepEqual(next.past?.calls[0]?.fact, { key: 'a', status: 'pending', deadline: until });
    assert.equal((await store.records.invocation(id, 'redacted'))?.status, 'pending');
  });
});

function withEffect({ command, ...start }: CallStart): CallStart {
  return { ...start, command: { ...command, call: { ...command.call, effect: 'external_side_effect' } } };
}
