import * as fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { askToStop, expireCalls, reportCall } from '../../engine/operations/settling/reports.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import {
  type Edit,
  editWorkflows,
  must,
  type ParkStage,
  type Play,
  sharedStage,
  withDeadline,
} from '../support/park-stage.js';
import { misbehave } from '../support/faults.js';

const LETTERS = { scenario: 'letters' } as const;
const ANSWER = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };

/** The letters, whose tool may not be answered later. */
const withoutDeadline = (context: TestContext, binding: JsonObject) =>
  editWorkflows(context, {
    'letters/workflow.json': (workflow) => ({
      ...workflow,
      nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) => ({
        ...node,
        available_tools: (node['available_tools'] as readonly JsonObject[]).map((tool) => ({
          ...Object.fromEntries(Object.entries(tool).filter(([name]) => name !== 'pending_deadline_ms')),
          ...binding,
        })),
      })),
    }),
  });

describe('a call that is answered later', () => {
  const open = sharedStage('PostgreSQL');

  test('a pending call suspends its turn, and its report resumes and commits it', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const call = waiting(first);
    assert.equal(first.report.turns[0]?.status, 'suspended');
    assert.equal(first.after.turn, 0);
    assert.deepEqual(
      first.report.awaited?.map(({ source_label, correlation_alias, command_key }) => [
        source_label,
        correlation_alias,
        command_key,
      ]),
      [['post_office', `letter-${stage.toys.post.letters.length}`, 'nora/act/round-1/try-1/tool']],
    );
    assert.equal((await report(stage, call)).accepted, true);
    const second = await stage.run(first.before);
    assert.deepEqual(statusesOf(second), ['committed']);
    assert.equal(second.report.turns[0]?.attempt_id, first.report.turns[0]?.attempt_id);
    assert.equal(second.after.turn, 1);
    assert.equal(stage.toys.post.served.length, 1);
    const record = await stage.invocation(call);
    assert.deepEqual([record.status, record.http_status, record.validation_status], ['succeeded', 202, 'valid']);
    assert.deepEqual(record.response_json, { status: 'answered', from: 'Emil', body: ANSWER.body });
    assert.deepEqual(kindsOf(second), [
      'attempt_began',
      'call_started',
      'call_answered',
      'call_started',
      'call_pended',
      'attempt_suspended',
      'attempt_continued',
      'call_answered',
      'call_started',
      'call_answered',
      'patch_applied',
      'turn_committed',
    ]);
  });

  test('a 202 is shown to the model as a failure where its binding allows no late answer and says tell_model', async (context) => {
    const stage = await open();
    const workflows = await withoutDeadline(context, { effect: 'read_only', on_failure: 'tell_model' });
    const play = await stage.play({ ...LETTERS, workflows });
    assert.deepEqual(statusesOf(play), ['committed']);
    const failed = play.attempts[0]?.invocations.find(({ status }) => status === 'failed');
    assert.deepEqual([failed?.failure_class, failed?.failure_detail], ['schema_invalid', 'told_to_model']);
  });

  test('a 202 to a side effect that allows no late answer is in doubt until it is settled', async (context) => {
    const stage = await open();
    const workflows = await withoutDeadline(context, {});
    const play = await stage.play({ ...LETTERS, workflows });
    assert.deepEqual(statusesOf(play), ['failed']);
    assert.deepEqual(
      play.attempts.map(({ failure_class, calls_in_doubt }) => [failure_class, calls_in_doubt]),
      [['schema_invalid', 1]],
    );
  });

  test('a suspended turn stays suspended until a report arrives', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const again = await stage.run(first.before);
    assert.deepEqual(statusesOf(again), ['suspended']);
    assert.deepEqual(again.report.awaited, first.report.awaited);
    assert.equal(again.attempts[0]?.epoch, first.attempts[0]?.epoch);
  });

  test('a pending call may be reported by the name that its service gave it', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const alias = first.report.awaited?.[0]?.correlation_alias ?? '';
    assert.equal((await report(stage, alias)).source_invocation_id, waiting(first));
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['committed']);
  });

  test('a report is accepted once: duplicates, unknown names and calls that are not awaited change nothing', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const call = waiting(first);
    await report(stage, call);
    assert.deepEqual(await report(stage, call, { status: 'returned' }), { reason: 'duplicate' });
    const second = await stage.run(first.before);
    assert.deepEqual(await report(stage, call, { status: 'returned' }), { reason: 'duplicate' });
    const generation = second.report.turns[0]?.invocations[0]?.source_invocation_id ?? '';
    assert.deepEqual(await report(stage, generation), { reason: 'not_awaited' });
    for (const junk of ['', 'letter-99', '0198c3b0-0000-7000-8000-000000000000', "'; DROP TABLE worlds; --", '\u0000'])
      assert.deepEqual(await report(stage, junk), { reason: 'unknown' });
    assert.deepEqual((await stage.invocation(call)).response_json, {
      status: 'answered',
      from: 'Emil',
      body: ANSWER.body,
    });
  });

  test('a report of another schema fails its attempt', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    await report(stage, waiting(first), { status: 'eaten by the dog' });
    const second = await stage.run(first.before);
    assert.deepEqual(failuresOf(second), ['schema_invalid']);
    assert.equal(second.attempts[0]?.failed_source_invocation_id, waiting(first));
    assert.equal(second.after.turn, 0);
  });

  test('a reported failure fails its attempt, in its own words', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    must(await reportCall(stage.engine, waiting(first), { kind: 'failed', message: 'The post van lies in a ditch.' }));
    const second = await stage.run(first.before);
    assert.deepEqual(failuresOf(second), ['tool_error']);
    assert.equal(second.attempts[0]?.failure_message, 'The post van lies in a ditch.');
  });

  test('a pending call whose deadline passes without a driver fails its attempt, and a later report settles it', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, { 'letters/workflow.json': withDeadline(1) });
    const first = await stage.play({ ...LETTERS, workflows });
    assert.deepEqual(statusesOf(first), ['suspended']);
    const second = await stage.run(first.before);
    assert.deepEqual(failuresOf(second), ['timeout']);
    assert.equal((await report(stage, waiting(first))).accepted, true);
    assert.deepEqual(await report(stage, waiting(first)), { reason: 'duplicate' });
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['committed']);
    assert.equal(stage.toys.post.served.length, 1);
    assert.equal(await expireCalls(stage.engine), 0);
  });

  for (const order of ['before', 'after'] as const)
    test(`a call that is reported after its deadline, ${order} the deadline is noticed and without a driver, is answered`, async (t) => {
      const stage = await open();
      const workflows = await editWorkflows(t, { 'letters/workflow.json': withDeadline(1) });
      const first = await stage.play({ ...LETTERS, workflows });
      const notice = () => expireCalls(stage.engine);
      if (order === 'after') assert.equal(await notice(), 1);
      assert.equal((await report(stage, waiting(first))).accepted, true);
      if (order === 'before') await notice();
      const second = await stage.run(first.before);
      assert.deepEqual(statusesOf(second), ['committed']);
      assert.equal((await stage.invocation(waiting(first))).status, 'succeeded');
    });

  const ACTS = ['report', 'report', 'report', 'notice', 'drive', 'stop'] as const;

  test('a call is answered by its accepted report, or none was accepted, in every order of deadlines, drivers, stops and reports', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, { 'letters/workflow.json': withDeadline(1) });
    const orders = fc.shuffledSubarray([...ACTS], { minLength: 3 });
    const waits = fc.array(fc.boolean(), { minLength: ACTS.length, maxLength: ACTS.length });
    await fc.assert(
      fc.asyncProperty(orders, waits, async (order, waits) => {
        const first = await stage.play({ ...LETTERS, workflows });
        const call = waiting(first);
        const accepted: string[] = [];
        const acts: Readonly<Record<(typeof ACTS)[number], (index: number) => Promise<unknown>>> = {
          report: async (index) => {
            const value = { ...ANSWER, body: `report ${index}` };
            const done = await reportCall(stage.engine, call, { kind: 'answered', value });
            if (done.ok && done.value.accepted) accepted.push(value.body);
          },
          notice: () => expireCalls(stage.engine),
          drive: () => drive(stage, first.world_slug),
          stop: () => askToStop(stage.engine, first.report.turns[0]?.attempt_id ?? ''),
        };
        const under_way: Promise<unknown>[] = [];
        for (const [index, name] of order.entries()) {
          const done = acts[name](index);
          under_way.push(done);
          if (waits[index] === true) await done;
        }
        await Promise.all(under_way);
        await drive(stage, first.world_slug);
        const record = await stage.invocation(call);
        const answer = (record.response_json as { readonly body?: string } | null)?.body;
        const summary = `${order.join(', ')}: ${record.status}, settled as ${record.settled_as}`;
        // The answer of a report that settled a doubt stands beside the call, which stays as it ended.
        if (record.settled_as === 'performed') assert.equal(accepted.length, 1, summary);
        else assert.deepEqual(accepted, answer === undefined ? [] : [answer], summary);
      }),
      { numRuns: 40 },
    );
  });

  test('a suspended attempt is stopped once', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const attempt = first.report.turns[0]?.attempt_id ?? '';
    assert.equal(must(await askToStop(stage.engine, attempt)).accepted, true);
    assert.equal(must(await askToStop(stage.engine, attempt)).reason, 'duplicate');
    assert.deepEqual(failuresOf(await stage.run(first.before)), ['stopped']);
    assert.equal((await stage.invocation(waiting(first))).status, 'interrupted');
    assert.equal(must(await askToStop(stage.engine, attempt)).reason, 'duplicate');
    assert.equal(must(await askToStop(stage.engine, 'nobody')).reason, 'unknown');
    assert.equal((await report(stage, waiting(first))).accepted, true);
    assert.equal((await stage.invocation(waiting(first))).settled_as, 'performed');
  });

  test('a call may be reported before its service has said that it is answered later', async () => {
    const stage = await open();
    stage.toys.post.onRequest(async ({ headers }) => {
      assert.equal((await report(stage, String(headers['x-chukwa-correlation-id']))).accepted, true);
    });
    const play = await stage.play(LETTERS);
    assert.deepEqual(statusesOf(play), ['committed']);
    assert.equal(kindsOf(play).includes('attempt_suspended'), false);
  });

  for (const fault of ['reset_connection', 'status_500'] as const)
    test(`a call counts as reported where its service reports how it ended and then has the fault ${fault}`, async () => {
      const stage = await open();
      stage.toys.post.onRequest(async ({ headers }) => {
        assert.equal((await report(stage, String(headers['x-chukwa-correlation-id']))).accepted, true);
      });
      misbehave(stage.toys.post, fault);
      const play = await stage.play(LETTERS);
      assert.deepEqual(statusesOf(play), ['committed']);
      assert.equal(stage.toys.post.served.length, 1);
      assert.deepEqual(kindsOf(play).slice(3, 6), ['call_started', 'call_pended', 'call_answered']);
    });

  test('a turn with several pending calls suspends until the first report, and again until the last', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, { 'letters/workflow.json': withReadings('once_per_turn') });
    const first = await stage.play({ ...LETTERS, workflows });
    const [one, other] = first.report.awaited ?? [];
    assert.ok(one && other);
    await report(stage, other.source_invocation_id);
    const second = await stage.run(first.before);
    assert.deepEqual(second.report.awaited, [one]);
    await report(stage, one.source_invocation_id);
    const third = await stage.run(first.before);
    assert.deepEqual(
      third.report.awaited?.map(({ command_key }) => command_key),
      ['nora/act/round-1/try-1/tool'],
    );
    assert.equal(stage.toys.post.served.length, 3);
  });

  test('several pending calls may be reported before a driver resumes', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, { 'letters/workflow.json': withReadings('before_subject_workflow') });
    const first = await stage.play({ ...LETTERS, workflows });
    for (const { source_invocation_id } of first.report.awaited ?? []) await report(stage, source_invocation_id);
    const second = await stage.run(first.before);
    await report(stage, waiting(second));
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['committed']);
  });

  test('a pending call whose name its service has given twice is found by its id alone', async () => {
    const stage = await open();
    stage.toys.post.countAnew();
    const first = await stage.play(LETTERS);
    stage.toys.post.countAnew();
    const second = await stage.play(LETTERS);
    const alias = second.report.awaited?.[0]?.correlation_alias ?? '';
    assert.equal(first.report.awaited?.[0]?.correlation_alias, alias);
    assert.deepEqual(await report(stage, alias), { reason: 'ambiguous' });
    assert.equal((await report(stage, waiting(second))).accepted, true);
    assert.deepEqual(statusesOf(await stage.run(second.before)), ['committed']);
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['suspended']);
  });
});

describe('a call that is reported before an upgrade', () => {
  const open = sharedStage('PostgreSQL');

  test('is settled by that report, and the attempt after the one of the earlier version adopts it', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const call = waiting(first);
    assert.equal((await report(stage, call)).accepted, true);
    const attempt_id = first.report.turns[0]?.attempt_id;
    await stage.outside?.query(`UPDATE attempts SET renderer_version = '1' WHERE attempt_id = $1`, [attempt_id]);
    const second = await stage.run(first.before);
    assert.deepEqual(failuresOf(second), ['record_mismatch']);
    assert.deepEqual((await stage.invocation(call)).settled_as, 'performed');
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['committed']);
    assert.equal(stage.toys.post.served.length, 1);
  });
});

/** Drives what is open in a world, unless somebody else does. */
async function drive({ engine }: ParkStage, world_slug: string): Promise<void> {
  await runTurns(engine, { world_slug, turns: 1, signal: new AbortController().signal, onProgress: () => {} });
}

function waiting({ report }: Play): string {
  const [call] = report.awaited ?? [];
  assert.ok(call, 'nothing is awaited');
  return call.source_invocation_id;
}

async function report(stage: ParkStage, correlation: string, value: object = ANSWER) {
  const said = { kind: 'answered', value: value as typeof ANSWER } as const;
  const { accepted, reason, source_invocation_id } = must(await reportCall(stage.engine, correlation, said));
  return accepted ? { accepted, source_invocation_id } : { reason };
}

/** Two readings that are answered later, before the model's first call. */
const withReadings =
  (run: string): Edit =>
  (document) => ({
    ...document,
    ambient_sources: ['one', 'other'].map((id) => ({
      id,
      source_ref: { path: '../sources/post-office.json' },
      effect: 'read_only',
      redaction: { allow: ['/status'] },
      pending_deadline_ms: 3_600_000,
      run,
      scope: 'world',
      visible_to: 'all_subjects',
      request_template: { from: 'nora', to: id, body: 'news?' },
      result_schema_ref: { path: '../schemas/write-letter-result.json' },
      inject_as: `/ambient/${id}`,
    })),
  });

const statusesOf = ({ report }: Play) => report.turns.map(({ status }) => status);
const failuresOf = ({ report }: Play) => report.turns.map(({ failure_class }) => failure_class);
const kindsOf = ({ attempts }: Play) =>
  attempts.flatMap(({ timeline }) => timeline.map(({ event_kind }) => event_kind));
