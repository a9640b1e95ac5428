import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { CallStart, CommitTurn, FailAttempt, SupersedeCalls } from '../../engine/ports/attempts.js';
import type { AttemptObserver } from '../../engine/runtime/progress.js';
import { Overtaken } from '../../engine/runtime/overtaken.js';
import { parkWithReadings, type SmallPark, smallPark } from '../support/park-documents.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { BEGAN, ENTITIES, PLACES } from '../core/concurrent-scene.js';
import { callsIn, type HeldDriver, holdDriver, pastOf } from './held-driver.js';

// How a driver makes its calls, and how it ends them, on a store that accepts everything.

const FIRST = 'bob/act/round-1/try-1';
const SALE = `${FIRST}/tool`;
const LINGER_MS = 2;
const SHOP: SmallPark = { tools: ['buy_candy'], allow: ['buy_candy'] };

test('a driver that leaves makes no call that follows from the side effect which it lets end', async (t) => {
  const driver = await holdDriver(t, smallPark(SHOP));
  await driver.answer(FIRST, toolCall('buy_candy'));
  await driver.leave();
  assert.equal(driver.abortedAs(SALE), undefined);
  await driver.answer(SALE, { status: 'ok' });
  assert.deepEqual([(await driver.end).kind, driver.asked()], ['handed_over', [FIRST, SALE]]);
});

test('a driver that leaves aborts the reads that are under way, and hands its attempt over unbroken', async (t) => {
  const driver = await holdDriver(t, smallPark());
  await driver.leave();
  assert.deepEqual(
    [(await driver.end).kind, driver.abortedAs(FIRST)],
    ['handed_over', 'its driver left it to another'],
  );
  assert.deepEqual(driver.wrote('handOver'), [{ at: 0, has_broken: false }]);
});

test('a driver that leaves makes no call again that had failed', async (t) => {
  const driver = await holdDriver(t, smallPark({ retry: RETRY }));
  await driver.fail(FIRST, BUSY);
  await driver.leave();
  assert.equal((await driver.end).kind, 'handed_over');
  await driver.pass(2_000);
  assert.deepEqual(driver.asked(), [FIRST]);
});

test('a driver that is overtaken aborts its calls, and writes nothing more', async (t) => {
  const attempts = { renew: async () => 'overtaken' as const };
  const driver = await holdDriver(t, smallPark(), { attempts });
  const before = driver.statements();
  await driver.pass(10_000);
  await assert.rejects(driver.end, Overtaken);
  assert.deepEqual([driver.abortedAs(FIRST), driver.statements()], ['its driver left', before]);
});

test('a turn that fails aborts the reads that are under way, and names the call that ended it', async (t) => {
  const driver = await holdDriver(t, smallPark(parkWithReadings(['weather', 'news'])));
  const [one = '', other = ''] = driver.asked();
  await driver.fail(one, {});
  assert.equal(driver.abortedAs(other), 'the turn had failed elsewhere');
  await driver.pass(LINGER_MS);
  const end = await driver.end;
  assert.equal(end.kind === 'failed' && end.failure.call_key, one);
  const { started } = callsIn(driver);
  const [failed] = driver.wrote('fail') as readonly FailAttempt[];
  assert.equal(failed?.source_invocation_id, started.find(({ command }) => command.key === one)?.source_invocation_id);
});

test('a turn that is stopped aborts the reads that are under way', async (t) => {
  const driver = await holdDriver(t, smallPark());
  await driver.stop();
  assert.deepEqual([(await driver.end).kind, driver.abortedAs(FIRST)], ['failed', 'the turn was stopped']);
});

const RETRY = { max: 1, on: ['http_5xx'], backoff_ms: 1_000, backoff_max_ms: 4_000 };
const BUSY = { failure_class: 'http_status', http_status: 503 } as const;

const kindsOf = ({ progress }: HeldDriver): readonly string[] => progress.map(({ kind }) => kind);
/** The number of each call, and which performance of its command it is. */
const numbersOf = (driver: HeldDriver): readonly (readonly number[])[] =>
  callsIn(driver).started.map(({ invocation_seq, performance }) => [invocation_seq, performance]);

test('a driver makes a failed call again after a wait at random within its limits, which it reports after the failure', async (t) => {
  t.mock.method(Math, 'random', () => 0.25);
  const driver = await holdDriver(t, smallPark({ retry: RETRY }));
  await driver.fail(FIRST, BUSY);
  const [retry] = driver.progress.flatMap((event) => (event.kind === 'retry_waits' ? [event] : []));
  assert.deepEqual(kindsOf(driver), ['attempt_began', 'call_started', 'call_finished', 'retry_waits']);
  const { least_ms, most_ms } = retry?.retry ?? assert.fail();
  assert.ok(least_ms > 0 && most_ms > least_ms);
  const wait_ms = least_ms + (most_ms - least_ms) / 4;
  assert.equal(retry?.wait_ms, wait_ms);
  await driver.pass(wait_ms - 1);
  assert.deepEqual(driver.asked(), [FIRST]);
  await driver.pass(1);
  assert.deepEqual(
    [driver.asked(), numbersOf(driver)],
    [
      [FIRST, FIRST],
      [
        [1, 1],
        [2, 2],
      ],
    ],
  );
  await driver.answer(FIRST, finalPatch());
  assert.equal((await driver.end).kind, 'committed');
});

test('a driver makes a call again that had failed for the driver before, as its next performance', async (t) => {
  const program = smallPark({ retry: RETRY });
  const failed = { key: FIRST, status: 'failed', refused: false, failure_message: 'Busy.', duration_ms: 1 } as const;
  const driver = await holdDriver(t, program, { begun: pastOf(program, [{ fact: { ...failed, ...BUSY } }]) });
  await driver.pass(1_000);
  assert.deepEqual([driver.asked(), numbersOf(driver)], [[FIRST], [[5, 2]]]);
  await driver.leave();
});

test('a driver makes a call again whose end nobody saw, and its observer learns of the one before', async (t) => {
  const program = smallPark();
  const recalled: (readonly string[])[] = [];
  const observer: AttemptObserver = {
    onProgress: () => {},
    onRecalled: (calls) => recalled.push(calls.map(({ call }) => call.source_invocation_id)),
  };
  const driver = await holdDriver(t, program, { begun: pastOf(program, [{}]), parts: { observe: () => observer } });
  assert.deepEqual([recalled, driver.asked(), numbersOf(driver)], [[['before']], [FIRST], [[5, 2]]]);
  await driver.leave();
});

test('a call that is adopted from a later run of its subject answers it, and is the origin of its patch', async (t) => {
  const program = smallPark();
  const view = { text: JSON.stringify(finalPatch()), finish_reason: 'stop' };
  const fact = { key: FIRST, status: 'succeeded', view, duration_ms: 1 } as const;
  const adopted = { key: `${FIRST}@2`, adopted_from: 'the attempt before', performance: 0, fact };
  const driver = await holdDriver(t, program, {
    begun: { ...pastOf(program, [adopted]), adopts: 'the attempt before' },
  });
  assert.deepEqual([driver.asked(), (await driver.end).kind], [[], 'committed']);
  const [{ patches }] = driver.wrote('commit') as readonly [CommitTurn];
  assert.deepEqual(
    patches.map(({ source_invocation_id }) => source_invocation_id),
    ['before'],
  );
});

const [ADA, DOT, BEN] = ['ada', 'dot', 'ben'].map((subject) => `${subject}/act/round-1/try-1`) as [
  string,
  string,
  string,
];
const AGAIN = `${DOT}@2`;

test('the text that a model streams is written while its call is under way, and no other', async (t) => {
  const driver = await holdDriver(t, smallPark(SHOP));
  await driver.stream(FIRST, '{"kind"');
  const [{ llm_call_id }] = callsIn(driver).started as readonly [CallStart];
  assert.ok(llm_call_id !== undefined);
  assert.deepEqual(driver.wrote('flushChunks'), [llm_call_id]);
  await driver.answer(FIRST, toolCall('buy_candy'));
  await driver.stream(SALE, 'sold');
  assert.deepEqual(driver.wrote('flushChunks'), [llm_call_id]);
  await driver.leave();
});

/** Ada, who is the first, and Dot perceive each other; Ben is somewhere else. All of them are asked at once. */
const threeSubjects = (scope = 'subject_environment'): Program =>
  smallPark({
    subjects: ['ada', 'dot', 'ben'],
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: ENTITIES,
    projection: { scope, memory: { recent: 2 } },
    retry: RETRY,
    change: (workflow: JsonObject) => ({ ...workflow, execution: 'per_subject_concurrent' }),
  });

async function holdThree(t: TestContext, hasNoPlace = (_key: string): boolean => false, scope?: string) {
  const driver = await holdDriver(t, threeSubjects(scope), { begun: { world: BEGAN.world }, hasNoPlace });
  assert.deepEqual(driver.asked(), [ADA, DOT, BEN]);
  return driver;
}

const KICK = finalPatch([setState('stone_park', 'kicked')]);

/** Ada changes what Dot reads. */
const kicked = (driver: HeldDriver): Promise<void> => driver.answer(ADA, KICK);

async function endWell(driver: HeldDriver): Promise<void> {
  for (const key of [BEN, AGAIN]) await driver.answer(key, finalPatch());
  await driver.pass(LINGER_MS);
  assert.equal((await driver.end).kind, 'committed');
}

test('a call whose subject reads something else by now is aborted and superseded, and its end is on record', async (t) => {
  const driver = await holdThree(t);
  const calls = callsIn(driver).started.filter(({ command }) => command.key === DOT);
  await kicked(driver);
  assert.equal(driver.abortedAs(DOT), 'an earlier subject had changed what its subject read');
  assert.equal(driver.abortedAs(BEN), undefined);
  assert.deepEqual(driver.asked(), [ADA, DOT, BEN, AGAIN]);
  await endWell(driver);
  const source_invocation_ids = calls.map(({ source_invocation_id }) => source_invocation_id);
  assert.deepEqual(driver.wrote('supersede'), [{ source_invocation_ids, at: 0 }]);
  assert.deepEqual(
    driver.progress.filter(({ kind }) => kind === 'calls_superseded'),
    [{ kind: 'calls_superseded', subject_id: 'dot', keys: [DOT] }],
  );
  assert.ok(callsIn(driver).finished.some(({ outcome }) => outcome.key === DOT));
});

test('a call that waits for a place when its subject reads something else is nowhere on record', async (t) => {
  const driver = await holdThree(t, (key) => key === DOT);
  await kicked(driver);
  await endWell(driver);
  assert.ok(!driver.statements().includes('supersede') && !kindsOf(driver).includes('calls_superseded'));
  const { started, finished } = callsIn(driver);
  assert.deepEqual(
    started.map(({ command }) => command.key),
    [ADA, BEN, AGAIN],
  );
  assert.ok(!finished.some(({ outcome }) => outcome.key === DOT));
});

test('of calls whose subjects read something else by then, only those on record are superseded', async (t) => {
  const driver = await holdThree(t, (key) => key === DOT, 'world');
  await kicked(driver);
  const [{ source_invocation_ids }] = driver.wrote('supersede') as readonly [SupersedeCalls];
  const told = driver.progress.flatMap((event) => (event.kind === 'calls_superseded' ? [event.keys] : []));
  assert.deepEqual([source_invocation_ids.length, told], [1, [[BEN]]]);
  await driver.leave();
});

test('a driver supersedes what the one before has discarded, which may have died before it noted that', async (t) => {
  const program = threeSubjects();
  const view = { text: JSON.stringify(KICK), finish_reason: 'stop' };
  const kick = { fact: { key: ADA, status: 'succeeded', view, duration_ms: 1 } } as const;
  const records = [kick, { source_invocation_id: 'of dot' }, { source_invocation_id: 'of ben' }];
  const begun = { world: BEGAN.world, ...pastOf(program, records, BEGAN) };
  const driver = await holdDriver(t, program, { begun });
  assert.deepEqual(driver.wrote('supersede'), [{ source_invocation_ids: ['of dot'], at: 0 }]);
  assert.deepEqual(driver.asked().toSorted(), [BEN, AGAIN].toSorted());
  await driver.leave();
});

test('a failed call is not made again where its subject reads something else by then, and another one is', async (t) => {
  const driver = await holdThree(t);
  for (const key of [DOT, BEN]) await driver.fail(key, BUSY);
  await kicked(driver);
  await driver.pass(RETRY.backoff_max_ms);
  assert.deepEqual(driver.asked(), [ADA, DOT, BEN, AGAIN, BEN]);
  await endWell(driver);
});

/** The ends of calls as they were reported: whether each was ahead, and the states that it has changed. */
const endsOf = ({ progress }: HeldDriver): readonly unknown[] =>
  progress.flatMap((event) => {
    if (event.kind !== 'call_finished') return [];
    const changed = event.effects?.flatMap((effect) => ('entity_id' in effect ? effect.entity_id : []));
    return [[event.command.key, event.is_ahead, changed]];
  });

test('an end is reported as ahead where an earlier subject may supersede it, and with what the world has taken from it', async (t) => {
  const driver = await holdThree(t);
  await driver.answer(BEN, finalPatch([setState('ben', 'awake')]));
  await kicked(driver);
  await driver.answer(AGAIN, finalPatch([setState('dot', 'awake')]));
  await driver.pass(LINGER_MS);
  assert.deepEqual(endsOf(driver), [
    [BEN, true, undefined],
    [ADA, undefined, ['stone_park']],
    [DOT, undefined, undefined],
    [AGAIN, undefined, ['dot']],
  ]);
});

test('no end is ahead in a turn whose subjects come one after the other', async (t) => {
  const driver = await holdDriver(t, smallPark({ ...parkWithReadings(['weather']), subjects: ['bob'] }));
  for (const value of [{ sun: true }, { letters: 0 }, toolCall('drink'), { status: 'ok' }, finalPatch()])
    await driver.answer(driver.asked().at(-1) ?? '', value);
  assert.equal((await driver.end).kind, 'committed');
  assert.deepEqual(
    driver.progress.flatMap((event) => (event.kind === 'call_finished' ? [event.is_ahead] : [])),
    Array(5).fill(undefined),
  );
});
