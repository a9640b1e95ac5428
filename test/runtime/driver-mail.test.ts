import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallsWrite } from '../../engine/ports/attempts.js';
import type { InboxMessage } from '../../engine/ports/inbox.js';
import { parkWithReadings, type SmallPark, smallPark } from '../support/park-documents.js';
import { toolCall } from '../support/turn-player.js';
import { callsIn, type HeldDriver, holdDriver, pastOf } from './held-driver.js';

// How a driver hears of messages and of calls that are answered later, on a store that accepts everything.

const LOOK_MS = 1_000;
const FIRST = 'bob/act/round-1/try-1';
const SALE = `${FIRST}/tool`;
/** A tool whose calls may be answered later. */
const LATER: SmallPark = {
  tools: ['buy_candy'],
  allow: ['buy_candy'],
  tool_binding: { pending_deadline_ms: 60_000 },
};

const STOP: InboxMessage = { inbox_id: 'stop', message_type: 'stop', correlation_id: 'attempt', payload: {} };

for (const [what, payload, message] of [
  ['in the words of who asks for it', { reason: 'It is late.' }, /It is late\./],
  ['without a reason', {}, /the attempt was stopped/],
] as const)
  test(`a driver that waits for a call hears that it is to stop, ${what}`, async (t) => {
    const driver = await holdDriver(t, smallPark(), { messages: () => [{ ...STOP, payload }] });
    await driver.pass(LOOK_MS - 1);
    assert.equal(driver.abortedAs(FIRST), undefined);
    await driver.pass(1);
    const end = await driver.end;
    assert.ok(end.kind === 'failed');
    assert.equal(end.failure.failure_class, 'stopped');
    assert.match(end.failure.message, message);
  });

test('an attempt that was asked to stop while nobody drove it makes no call', async (t) => {
  const program = smallPark();
  const driver = await holdDriver(t, program, { begun: pastOf(program, [{}]), messages: () => [STOP] });
  const end = await driver.end;
  assert.deepEqual([driver.asked(), end.kind === 'failed' && end.failure.failure_class], [[], 'stopped']);
});

test('an attempt that was asked to stop while it was suspended is not suspended again', async (t) => {
  const program = smallPark();
  const fact = { key: FIRST, status: 'pending', deadline: 60_000 } as const;
  const driver = await holdDriver(t, program, { begun: pastOf(program, [{ fact }]), messages: () => [STOP] });
  assert.deepEqual([(await driver.end).kind, driver.statements()], ['failed', ['fail']]);
});

test('a driver does not look for messages while it still looks, and does again afterwards', async (t) => {
  let looks = 0;
  let found = (): void => {};
  const messagesOf = async (): Promise<readonly InboxMessage[]> => {
    looks += 1;
    await new Promise<void>((resolve) => (found = resolve));
    return [];
  };
  const driver = await holdDriver(t, smallPark(), { parts: { inbox: { messagesOf } } });
  for (let second = 0; second < 3; second += 1) await driver.pass(LOOK_MS);
  assert.equal(looks, 1);
  found();
  await driver.pass(0);
  await driver.pass(LOOK_MS);
  assert.equal(looks, 2);
  await driver.leave();
});

test('a driver looks for calls that are out of time once a call of its own is answered later', async (t) => {
  const looks: (readonly string[])[] = [];
  const expire = async (inbox_ids: readonly string[]): Promise<number> => {
    looks.push(inbox_ids);
    return 0;
  };
  const readings = parkWithReadings(['weather', 'news']);
  const ambients = (readings.ambients ?? []).map((one) => ({ ...one, pending_deadline_ms: 60_000 }));
  const driver = await holdDriver(t, smallPark({ ...readings, ambients }), { parts: { pending: { expire } } });
  await driver.pass(LOOK_MS);
  assert.deepEqual(looks, []);
  await driver.pend(driver.asked()[0] ?? '');
  await driver.pass(LOOK_MS);
  assert.equal(looks.length, 1);
  const ids = looks[0] ?? [];
  assert.deepEqual([ids.length > 0, new Set(ids).size], [true, ids.length]);
  await driver.leave();
});

const statementsSince = (driver: HeldDriver, before: number): readonly string[] => driver.statements().slice(before);

test('a driver closes only those calls to reports that may have one', async (t) => {
  const driver = await holdDriver(t, smallPark(LATER));
  await driver.answer(FIRST, toolCall('buy_candy'));
  assert.ok(!driver.statements().includes('closeToReports'), 'a model is never reported');
  const before = driver.statements().length;
  await driver.answer(SALE, { status: 'ok' });
  assert.deepEqual(statementsSince(driver, before), ['closeToReports', 'writeCalls']);
  assert.equal(callsIn(driver).finished.at(-1)?.is_reported, undefined);
  await driver.leave();
});

test('a driver closes a call to reports that failed while it was made', async (t) => {
  const driver = await holdDriver(t, smallPark(LATER));
  await driver.answer(FIRST, toolCall('buy_candy'));
  await driver.fail(SALE, {});
  assert.ok(driver.statements().includes('closeToReports'));
});

test('a driver closes no call to reports that was refused before it was made', async (t) => {
  const driver = await holdDriver(t, smallPark(LATER), { hasNoPlace: (key) => key === SALE });
  await driver.answer(FIRST, toolCall('buy_candy'));
  await driver.fail(SALE, { refused: true, failure_class: 'unavailable' });
  assert.ok(!driver.statements().includes('closeToReports'));
  assert.equal((await driver.end).kind, 'failed');
  const { started, finished } = callsIn(driver);
  assert.equal(started.at(-1)?.refused?.outcome.key, SALE, 'it is written with its end');
  assert.ok(!finished.some(({ outcome }) => outcome.key === SALE));
});

test('a report ends the call that it is about, and one that nobody awaits is discarded', async (t) => {
  const mail: InboxMessage[] = [];
  const attempts = { suspend: async () => 'called' as const };
  const receiveReport = async () =>
    ({
      key: SALE,
      status: 'succeeded',
      answer: {},
      view: {},
      ended_at: 1,
      duration_ms: 1,
      validation_status: 'valid',
    }) as const;
  const parts = { receiveReport };
  const driver = await holdDriver(t, smallPark(LATER), { attempts, parts, messages: () => mail.splice(0) });
  await driver.answer(FIRST, toolCall('buy_candy'));
  const [call] = callsIn(driver).started.filter(({ command }) => command.key === SALE);
  const [ended] = callsIn(driver).started.filter(({ command }) => command.key === FIRST);
  const report = { message_type: 'tool_result', payload: { result: {} } } as const;
  mail.push(
    { ...report, inbox_id: 'late', correlation_id: ended?.source_invocation_id ?? '' },
    { ...report, inbox_id: 'strange', correlation_id: 'nobody' },
    { ...report, inbox_id: 'right', correlation_id: call?.source_invocation_id ?? '' },
  );
  await driver.pend(SALE);
  assert.deepEqual(driver.wrote('discard'), ['late', 'strange']);
  const { finished } = (driver.wrote('writeCalls') as readonly CallsWrite[]).at(-1) ?? assert.fail();
  assert.deepEqual(
    finished.map(({ outcome, is_reported }) => [outcome.key, is_reported]),
    [[SALE, true]],
  );
  assert.equal(driver.asked().at(-1), 'bob/act/round-2/try-1');
  await driver.leave();
});
