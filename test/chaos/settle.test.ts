import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { reportCall } from '../../engine/operations/settling/reports.js';
import { type SettledCall, settleCall } from '../../engine/operations/settling/settle-call.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { queueTurns, runWorker, type WorkerEvent } from '../../engine/operations/running/run-worker.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { must } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { type Arena, openArena } from './arena.js';
import { KINDS } from '../support/extent.js';

const TOOL = 'bob/act/round-1/try-1/tool';

for (const kind of KINDS) {
  describe(`a side effect without a recorded end (${kind})`, () => {
    let arena: Arena;
    before(async () => {
      arena = await openArena(kind);
    });
    after(() => arena.close());

    /** A world whose turn failed because its driver died between the sale and its record. */
    async function makeDoubt(): Promise<{ readonly world_slug: string; readonly failed: AttemptRecord }> {
      const world_slug = await arena.makeWorld('tools');
      const { served } = arena.stage.toys.vending;
      const { report: undisturbed } = await arena.play(world_slug, () => served.length > 0);
      assert.equal(undisturbed, undefined, 'the driver never died with a sale under way');
      const { report } = await arena.play(world_slug, Infinity);
      const failed = await arena.freshStore().records.attempt(report?.turns[0]?.attempt_id ?? '');
      assert.deepEqual([failed?.status, failed?.failure_class], ['failed', 'interrupted']);
      assert.ok(failed);
      return { world_slug, failed };
    }

    function settle({ attempt_id }: AttemptRecord, answer?: Json) {
      return settleCall(arena.freshEngine(), { attempt_id, ...(answer === undefined ? {} : { answer }) });
    }

    async function goOn(world_slug: string): Promise<AttemptRecord> {
      const { report } = await arena.play(world_slug, Infinity);
      const attempt = await arena.freshStore().records.attempt(report?.turns[0]?.attempt_id ?? '');
      return attempt ?? assert.fail('nothing was tried');
    }

    /** The calls that an attempt has made itself. */
    const keysOf = ({ invocations }: AttemptRecord): readonly string[] =>
      invocations.flatMap(({ command_key, adopted_from }) => (adopted_from === null ? [command_key] : []));

    const BOUGHT = { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' };

    test('a side effect without a recorded end is settled by a report, once, and the next attempt goes on with the reported answer', async () => {
      const { world_slug, failed } = await makeDoubt();
      const call = failed.failed_source_invocation_id ?? '';
      const engine = arena.freshEngine();
      const misfit = await reportCall(engine, call, { kind: 'answered', value: { status: 7 } });
      assert.ok(!misfit.ok);
      assert.equal(misfit.because, 'content');
      assert.ok(misfit.problems.every(({ pointer }) => pointer !== undefined));
      const reports = await Promise.all(
        Array.from({ length: 50 }, async () =>
          must(await reportCall(engine, call, { kind: 'answered', value: BOUGHT })),
        ),
      );
      assert.equal(reports.filter(({ accepted, reason }) => accepted && reason === 'settled').length, 1);
      assert.equal(reports.filter(({ accepted, reason }) => !accepted && reason === 'duplicate').length, 49);
      const attempt = await goOn(world_slug);
      assert.deepEqual([attempt.status, attempt.adopts], ['committed', failed.attempt_id]);
      assert.ok(!keysOf(attempt).includes(TOOL), 'the tool was asked again');
      const again = must(await reportCall(engine, call, { kind: 'answered', value: BOUGHT }));
      assert.deepEqual([again.accepted, again.reason], [false, 'duplicate']);
    });

    test('a side effect without a recorded end is settled by the report that it failed, and is asked again', async () => {
      const { world_slug, failed } = await makeDoubt();
      const call = failed.failed_source_invocation_id ?? '';
      const reported = must(await reportCall(arena.freshEngine(), call, { kind: 'failed', message: 'It is jammed.' }));
      assert.equal(reported.reason, 'settled');
      const attempt = await goOn(world_slug);
      assert.deepEqual([attempt.status, keysOf(attempt).includes(TOOL)], ['committed', true]);
    });

    test('a side effect that took place without a recorded end: the next attempt goes on with its answer, and asks nothing again', async () => {
      const { world_slug, failed } = await makeDoubt();
      const expected: SettledCall = {
        world: world_slug,
        attempt_id: failed.attempt_id,
        source_invocation_id: failed.failed_source_invocation_id ?? '',
        command_key: TOOL,
        performed: true,
        left_in_doubt: 0,
      };
      assert.deepEqual(must(await settle(failed, BOUGHT)), expected);
      const attempt = await goOn(world_slug);
      assert.deepEqual([attempt.status, attempt.adopts], ['committed', failed.attempt_id]);
      assert.ok(!keysOf(attempt).includes(TOOL), 'the tool was asked again');
      assert.deepEqual(
        keysOf(attempt).filter((key) => keysOf(failed).includes(key)),
        [],
        'a finished call was repeated',
      );
      assert.equal(arena.stage.toys.vending.served.length, 1);
    });

    test('a side effect without a recorded end leaves its agents a turn in each attempt, the second after the first, and within its attempt', async () => {
      const { world_slug, failed } = await makeDoubt();
      must(await settle(failed));
      const attempt = await goOn(world_slug);
      const [first, second] = [failed, attempt].map(({ agent_turns }) => agent_turns[0] ?? assert.fail('no turn'));
      assert.deepEqual([first?.outcome, second?.outcome], ['failed', 'success']);
      // The first was taken over once.
      assert.deepEqual([first?.turn_epoch, second?.turn_epoch], [2, 3]);
      assert.equal(first?.ended_at, failed.ended_at);
      assert.ok(second !== undefined && second.began_at >= attempt.started_at, 'it began before its attempt did');
      assert.equal(second.ended_at, attempt.ended_at);
    });

    test('a side effect that did not take place and has no recorded end: the next attempt asks it, and only that, again', async () => {
      const { world_slug, failed } = await makeDoubt();
      assert.equal(must(await settle(failed)).performed, false);
      const attempt = await goOn(world_slug);
      assert.equal(attempt.status, 'committed');
      assert.deepEqual(
        keysOf(attempt).filter((key) => keysOf(failed).includes(key)),
        [TOOL],
      );
    });

    test('a side effect without a recorded end is settled once, and only with an answer that the source could have given', async () => {
      const { failed } = await makeDoubt();
      const misfit = await settle(failed, { status: 7 });
      assert.ok(!misfit.ok && misfit.problems.length > 0, 'a misfit was taken');
      assert.ok(
        misfit.problems.every(({ pointer }) => pointer === '/status' || pointer === ''),
        'each has its place',
      );
      must(await settle(failed));
      const again = await settle(failed);
      assert.deepEqual(!again.ok && again.problems.map(({ code }) => code), ['CALL_ALREADY_SETTLED']);
    });

    test('a side effect without a recorded end is never made again by another turn: a run is refused until it is settled, and says how', async () => {
      const { world_slug, failed } = await makeDoubt();
      const { signal } = new AbortController();
      const run = () => runTurns(arena.freshEngine(), { world_slug, turns: 1, signal, onProgress: () => {} });
      const refused = await run();
      assert.ok(!refused.ok && refused.because === 'content');
      const [problem] = refused.problems;
      assert.equal(problem?.code, 'CALL_IN_DOUBT');
      for (const how of ['--result FILE', '--not-performed'])
        assert.ok(problem.repair?.includes(`chukwa attempt settle ${failed.attempt_id} ${how}`), problem.repair);
      assert.equal(arena.stage.toys.vending.served.length, 1);
      must(await settle(failed));
      assert.equal(must(await run()).turns[0]?.status, 'committed');
    });

    test('a side effect without a recorded end keeps queued turns waiting until it is settled, and lets the first of them go on then', {
      timeout: 60_000,
    }, async () => {
      const { world_slug, failed } = await makeDoubt();
      const engine = arena.freshEngine();
      must(await queueTurns(engine, { world_slug, turns: 2 }));
      const events: WorkerEvent[] = [];
      const stop = new AbortController();
      const settings = { concurrency: 1, grace_ms: 0, lease_ms: 30_000, worlds: [world_slug] };
      const onEvent = (event: WorkerEvent): void => void events.push(event);
      const working = runWorker(engine, { ...settings, signal: stop.signal, onEvent, onReady: () => {} });
      await waitUntil(() => events.some(({ kind }) => kind === 'turn_deferred'));
      assert.equal(arena.stage.toys.vending.served.length, 1);
      must(await settle(failed));
      await waitUntil(() => events.filter(({ kind }) => kind === 'turn_committed').length === 2);
      stop.abort();
      must(await working);
      const attempts = await engine.store.records.attempts(world_slug);
      assert.deepEqual(
        attempts.map(({ status }) => status),
        ['failed', 'committed', 'committed'],
      );
    });

    test('an attempt without one has nothing to settle', async () => {
      const world_slug = await arena.makeWorld('simple');
      const done = await settle(await goOn(world_slug));
      assert.deepEqual(!done.ok && done.problems.map(({ code }) => code), ['CALL_NOT_IN_DOUBT']);
    });
  });
}
