import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { AttemptLease, CallFinish, CallStart } from '../../engine/ports/attempts.js';
import type { Store } from '../../engine/store/open-store.js';
import { SLOTS_MAX } from '../../engine/store/attempts/event-numbers.js';
import { forEachDatabase, type OutsideView } from '../support/databases.js';
import {
  answered,
  begin,
  beginning,
  committing,
  DOCUMENTS,
  doubt,
  endLease,
  failing,
  finishCall,
  generationStart,
  makeWorld,
  message,
  NOON,
  patchOf,
  pended,
  pendingStart,
  refused,
  startCall,
  toyStart,
  BY_HAND,
} from './record-fixtures.js';

const SYSTEM = message('system', 'author', 'You are Zoe.');

/** An attempt that is under way, in a world of its own. */
interface Life {
  readonly store: Store;
  readonly outside: OutsideView;
  readonly world: string;
  readonly lease: AttemptLease;
}

/** The lives of an attempt, and its timeline: the event, and the call where it is one's. */
const LIVES: Readonly<Record<string, readonly [(life: Life) => Promise<unknown>, readonly string[]]>> = {
  'a call that is answered': [
    async ({ store, lease }) => {
      const call = toyStart('a', 1);
      await startCall(store, lease, call);
      await finishCall(store, lease, answered(call, {}));
    },
    ['attempt_began', 'call_started a', 'call_answered a'],
  ],
  'a call that fails': [
    async ({ store, lease }) => {
      const call = toyStart('a', 1);
      await startCall(store, lease, call);
      await finishCall(store, lease, failed(call));
    },
    ['attempt_began', 'call_started a', 'call_failed a'],
  ],
  'a generation whose answer is of no use': [
    async ({ store, lease }) => {
      const call = generationStart(1, [SYSTEM]);
      await startCall(store, lease, call);
      const failure = { failure_class: 'model_content' as const, detail: 'non_json' as const, message: 'No JSON.' };
      const verdict = { key: call.command.key, model_output_kind: 'invalid' as const, failure, artifacts: [] };
      await finishCall(store, lease, { ...answered(call, { text: 'no', finish_reason: 'stop' }), verdict });
    },
    ['attempt_began', 'call_started zoe/act/round-1/try-1', 'call_failed zoe/act/round-1/try-1'],
  ],
  'a call that is refused': [
    async ({ store, lease }) => {
      const call = toyStart('a', 1);
      await startCall(store, lease, { ...call, refused: refused(call) });
    },
    ['attempt_began', 'call_refused a'],
  ],
  'calls that end and calls that begin at one time': [
    async ({ store, lease }) => {
      const [one, two, three, four] = [toyStart('a', 1), toyStart('b', 2), toyStart('c', 3), toyStart('d', 4)];
      await store.attempts.writeCalls(lease, { finished: [], started: [two, one] });
      await store.attempts.writeCalls(lease, {
        finished: [failed(one), answered(two, {})],
        started: [{ ...four, refused: refused(four) }, three],
      });
    },
    [
      'attempt_began',
      'call_started b',
      'call_started a',
      'call_failed a',
      'call_answered b',
      'call_refused d',
      'call_started c',
    ],
  ],
  'a commit with the answer that it follows from': [
    async ({ store, lease }) => {
      const said = generationStart(1, [SYSTEM]);
      await startCall(store, lease, said);
      const patches = [patchOf({ before: 'rested', after: 'tired' }), patchOf({ before: 'tired', after: 'asleep' })];
      const answer = answered(said, { text: '{}', finish_reason: 'stop' });
      await store.attempts.commit(lease, { ...committing(said, patches), answer });
    },
    [
      'attempt_began',
      'call_started zoe/act/round-1/try-1',
      'call_answered zoe/act/round-1/try-1',
      'patch_applied zoe/act/round-1/try-1',
      'patch_applied zoe/act/round-1/try-1',
      'turn_committed',
    ],
  ],
  'a failure while calls are under way, of whose end nobody heard': [
    async ({ store, lease }) => {
      const [toy, later] = [toyStart('a', 1), pendingStart('b', 2)];
      await store.attempts.writeCalls(lease, { finished: [], started: [toy, later] });
      await store.attempts.pendCall(lease, later.source_invocation_id, pended(later));
      await store.attempts.fail(lease, failing(toy.source_invocation_id));
    },
    ['attempt_began', 'call_started a', 'call_started b', 'call_pended b', 'attempt_failed a'],
  ],
  'a driver that dies, and the call that its heir makes again': [
    async ({ store, outside, world, lease }) => {
      await startCall(store, lease, toyStart('a', 1));
      await endLease(outside, world);
      const next = await begin(store, world);
      const again = { ...toyStart('a', 2), performance: 2 };
      await startCall(store, next.lease, again);
      await finishCall(store, next.lease, answered(again, {}));
    },
    ['attempt_began', 'call_started a', 'call_interrupted a', 'attempt_continued', 'call_started a', 'call_answered a'],
  ],
  'a driver that leaves, and its heir': [
    async ({ store, world, lease }) => {
      await store.attempts.handOver(lease, { at: NOON + 1, has_broken: false });
      await begin(store, world);
    },
    ['attempt_began', 'attempt_handed_over', 'attempt_continued'],
  ],
  'a call that is reported while its attempt is suspended': [
    async ({ store, world, lease }) => {
      const call = pendingStart('a', 1);
      await startCall(store, lease, call);
      await store.attempts.pendCall(lease, call.source_invocation_id, pended(call));
      await store.attempts.suspend(lease, { agents: [], at: NOON + 5 });
      await report(store, call);
      const next = await begin(store, world);
      await finishCall(store, next.lease, { ...answered(call, 1), is_reported: true });
    },
    ['attempt_began', 'call_started a', 'call_pended a', 'attempt_suspended', 'attempt_continued', 'call_answered a'],
  ],
  'a call that is reported before its driver died, which had not heard that it would be': [
    async ({ store, outside, world, lease }) => {
      const [reported, unreported] = [pendingStart('a', 1), pendingStart('b', 2)];
      await store.attempts.writeCalls(lease, { finished: [], started: [reported, unreported] });
      await report(store, reported);
      await endLease(outside, world);
      const next = await begin(store, world);
      await finishCall(store, next.lease, { ...answered(reported, 1), is_reported: true });
    },
    [
      'attempt_began',
      'call_started a',
      'call_started b',
      'call_pended a',
      'call_interrupted b',
      'attempt_continued',
      'call_answered a',
    ],
  ],
  'a call that runs out of time': [
    async ({ store, lease }) => {
      const call = pendingStart('a', 1, 1);
      await startCall(store, lease, call);
      await store.attempts.pendCall(lease, call.source_invocation_id, pended(call));
      await store.pending.expire([v7()]);
      await finishCall(store, lease, { ...failed(call), is_reported: true });
    },
    ['attempt_began', 'call_started a', 'call_pended a', 'call_failed a'],
  ],
};

function failed(start: CallStart): CallFinish {
  const { source_invocation_id, outcome } = refused(start);
  return { source_invocation_id, outcome: { ...outcome, failure_class: 'timeout', refused: false } as typeof outcome };
}

function report(store: Store, { source_invocation_id }: CallStart): Promise<unknown> {
  return store.inbox.report({ inbox_id: v7(), source_invocation_id, payload: { result: 1 } });
}

/** The timeline of an attempt, an event a line. */
async function timelineOf(store: Store, attempt_id: string): Promise<readonly string[]> {
  const attempt = await store.records.attempt(attempt_id);
  const keys = new Map(attempt?.invocations.map((call) => [call.source_invocation_id, call.command_key]));
  return (attempt?.timeline ?? []).map(({ event_kind, source_invocation_id }) =>
    source_invocation_id === null ? event_kind : `${event_kind} ${keys.get(source_invocation_id)}`,
  );
}

/** Many attempts of many calls and events, in the world of a call and in others, as copies of what is there. */
async function crowd(outside: OutsideView, { source_invocation_id }: CallStart): Promise<void> {
  await outside.query('SET session_replication_role = replica');
  await outside.query(
    `INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
       command_key, request_hash, source_hash, invocation_kind, effect_class, redaction, request_json, started_at, ended_at,
       status, started_event_id, ended_event_id)
     SELECT CASE WHEN attempt % 2 = 0 THEN world_slug ELSE 'world-' || attempt END, gen_random_uuid(),
       ('00000000-0000-7000-8000-' || lpad(attempt::text, 12, '0'))::uuid, 1, seq, command_key || seq, request_hash,
       source_hash, invocation_kind, effect_class, redaction, request_json, started_at, ended_at, status,
       started_event_id, ended_event_id
     FROM source_invocations, generate_series(1, 400) AS attempt, generate_series(1, 20) AS seq
     WHERE source_invocation_id = $1`,
    [source_invocation_id],
  );
  await outside.query(
    `INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id)
     SELECT world_slug, attempt_id, 'call_pended', started_at, source_invocation_id FROM source_invocations
     WHERE command_key <> 'a'`,
  );
  await outside.query('SET session_replication_role = DEFAULT');
  await outside.query('ANALYZE');
}

forEachDatabase('the timeline of an attempt', (open) => {
  for (const [index, [what, [live, expected]]] of Object.entries(LIVES).entries())
    test(`the timeline of an attempt reports ${what}`, async () => {
      const { store, outside } = await open();
      const world = `life-${index}`;
      await makeWorld(store, world);
      const { lease } = await begin(store, world);
      await live({ store, outside, world, lease });
      assert.deepEqual(await timelineOf(store, lease.attempt_id), expected);
    });

  test('the timeline of an attempt reports a settled call in the attempt that left it in doubt, and the attempt that continues', async () => {
    const { store } = await open();
    await makeWorld(store, 'settled');
    const { lease, call } = await doubt(store, 'settled');
    const { attempt_id } = lease;
    await store.attempts.settle({ attempt_id, source_invocation_id: call, answer: {}, settled_at: NOON, ...BY_HAND });
    const left = ['attempt_began', 'call_started sale', 'attempt_failed sale', 'call_settled sale'];
    assert.deepEqual(await timelineOf(store, attempt_id), left);
    const next = await begin(store, 'settled');
    assert.deepEqual(await timelineOf(store, next.lease.attempt_id), ['attempt_began']);
  });

  test('the timeline of an attempt says of each event when it was, and whose', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'whose');
    const { lease } = await begin(store, 'whose');
    const [toy, denied, said] = [toyStart('a', 1), toyStart('b', 2), generationStart(3, [SYSTEM])];
    const refusal = refused(denied);
    const late = { ...refusal, outcome: { ...refusal.outcome, ended_at: denied.started_at + 7 } };
    await store.attempts.writeCalls(lease, { finished: [], started: [toy, { ...denied, refused: late }, said] });
    await finishCall(store, lease, answered(toy, {}));
    const answer = answered(said, { text: '{}', finish_reason: 'stop' });
    const patches = [patchOf({ before: 'rested', after: 'tired' })];
    await store.attempts.commit(lease, { ...committing(said, patches), answer });
    const rows = await outside.query<{ at: number }>(
      `SELECT event_kind, (extract(epoch FROM occurred_at) * 1000)::float8 - ${NOON} AS at, source_invocation_id AS call, cognition_workflow_hash AS workflow,
         workflow_node_id AS node, workflow_subject_entity_id AS subject, patch_seq, details
       FROM attempt_timeline_events WHERE world_slug = 'whose' AND attempt_id = $1 ORDER BY event_id`,
      [lease.attempt_id],
    );
    const nobody = { call: null, workflow: null, node: null, subject: null, patch_seq: null, details: {} };
    const workflow = DOCUMENTS.workflow.hash;
    const of = (start: CallStart) => ({ ...nobody, call: start.source_invocation_id, workflow });
    const zoe = { ...of(said), node: 'act', subject: 'zoe' };
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { ...nobody, event_kind: 'attempt_began', at: 0 },
        { ...of(toy), event_kind: 'call_started', at: 1 },
        // Nothing had begun that could have ended.
        { ...of(denied), event_kind: 'call_refused', at: 2 },
        { ...zoe, event_kind: 'call_started', at: 3 },
        { ...of(toy), event_kind: 'call_answered', at: 21 },
        { ...zoe, event_kind: 'call_answered', at: 23 },
        { ...zoe, event_kind: 'patch_applied', patch_seq: 1, details: { touched_entities: ['zoe'] }, at: 500 },
        { ...nobody, event_kind: 'turn_committed', details: { turn: 1, patches: 1 }, at: 500 },
      ],
    );
  });

  test('the timeline of an attempt has the same order however many attempts write at once', async () => {
    const { store } = await open();
    const worlds = Array.from({ length: 6 }, (_none, index) => `beside-${index}`);
    for (const world of worlds) await makeWorld(store, world);
    const attempts = await Promise.all(
      worlds.map(async (world) => {
        const outcome = await store.attempts.begin(beginning(world), () => true);
        assert.ok(outcome.kind === 'begun');
        for (let seq = 1; seq <= 9; seq += 3) {
          const calls = [0, 1, 2].map((place) => toyStart(`call-${seq + place}`, seq + place));
          await store.attempts.writeCalls(outcome.lease, { finished: [], started: calls });
          await store.attempts.writeCalls(outcome.lease, { finished: calls.map((c) => answered(c, {})), started: [] });
        }
        return outcome.lease.attempt_id;
      }),
    );
    const threes = [1, 4, 7].map((seq) => [seq, seq + 1, seq + 2]);
    const expected = threes.flatMap((calls) =>
      ['call_started', 'call_answered'].flatMap((kind) => calls.map((call) => `${kind} call-${call}`)),
    );
    for (const attempt_id of attempts)
      assert.deepEqual(await timelineOf(store, attempt_id), ['attempt_began', ...expected]);
  });

  test('the timeline of an attempt has a place for as many calls as a statement may write, and no statement writes more', async () => {
    const { store } = await open();
    await makeWorld(store, 'full');
    const { lease } = await begin(store, 'full');
    const calls = Array.from({ length: SLOTS_MAX + 1 }, (_none, index) => toyStart(`call-${index}`, index + 1));
    const most = calls.slice(0, SLOTS_MAX);
    await assert.rejects(store.attempts.writeCalls(lease, { finished: [], started: calls }), /too many/);
    await store.attempts.writeCalls(lease, { finished: [], started: most });
    await store.attempts.writeCalls(lease, { finished: most.map((call) => answered(call, {})), started: [] });
    const expected = ['call_started', 'call_answered'].flatMap((kind) =>
      most.map(({ command }) => `${kind} ${command.key}`),
    );
    assert.deepEqual(await timelineOf(store, lease.attempt_id), ['attempt_began', ...expected]);
  });

  test('the timeline of an attempt is read by indexes, whatever other attempts and worlds there are', async () => {
    const { store, outside, statementsOf } = await open();
    await makeWorld(store, 'crowded');
    const { lease } = await begin(store, 'crowded');
    const call = toyStart('a', 1);
    await startCall(store, lease, call);
    await finishCall(store, lease, answered(call, {}));
    await crowd(outside, call);
    const statements = await statementsOf(() => store.records.attempt(lease.attempt_id));
    const reading = statements.find((text) => text.includes('attempt_timeline_events'));
    await outside.query(`PREPARE reading AS ${reading}`);
    await outside.query('SET plan_cache_mode = force_generic_plan');
    const plan = await outside.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE reading ('crowded', '${lease.attempt_id}')`,
    );
    await outside.query('RESET plan_cache_mode');
    const lines = plan.map((row) => row['QUERY PLAN']);
    // Of attempts, turns and patches there are so few here that a plan may read them whole.
    assert.ok(!lines.some((line) => /Seq Scan on (attempt_events|source_invocations)/.test(line)), lines.join('\n'));
    const places = lines.filter((line) => /Index Cond.*world_slug.*attempt_id/.test(line));
    assert.ok(places.length >= 3, lines.join('\n'));
  });
});
