import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { AttemptRecord, InvocationRecord } from '../../engine/ports/records.js';
import { type Edit, editWorkflows, type ParkStage, type Play, sharedStage } from '../support/park-stage.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { callAt, contentsOf, keysOf, onlyAttempt, script } from './readings.js';
import { type Fault, misbehave } from '../support/faults.js';

const open = sharedStage('PostgreSQL');

const FIRST = 'bob/act/round-1/try-1';
const NOTHING = { json: finalPatch([], 'Nothing happens.') };
const BUY = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });

interface Misfortune {
  readonly what: string;
  readonly fault: Fault;
  readonly failure_class: string;
  readonly message: RegExp;
  readonly http_status: number | null;
  /** Of the source, where it is not as authored. */
  readonly timeout_ms?: number;
  readonly validation_status?: string;
  /** Checks the record of the answer, with all parts of it visible. */
  readonly kept?: (record: InvocationRecord) => void;
}

const OUT_OF_ORDER = { error: { code: 'out_of_order', message: 'The service is out of order.' } };

const MISFORTUNES: readonly Misfortune[] = [
  {
    what: 'status 500',
    fault: 'status_500',
    failure_class: 'http_status',
    message: /status 500/,
    http_status: 500,
    kept: ({ response_text }) => assert.deepEqual(JSON.parse(response_text ?? ''), OUT_OF_ORDER),
  },
  {
    what: 'a page instead of JSON',
    fault: 'non_json',
    failure_class: 'non_json',
    message: /did not answer with JSON/,
    http_status: 200,
    validation_status: 'invalid',
    kept: ({ response_text }) => assert.equal(response_text, '<p>Back in a minute.</p>'),
  },
  {
    what: 'JSON that is not of its schema',
    fault: 'schema_invalid',
    failure_class: 'schema_invalid',
    message: /does not fit its schema/,
    http_status: 200,
    validation_status: 'invalid',
    kept: ({ response_json }) => assert.deepEqual(response_json, { unexpected: true }),
  },
  {
    what: 'a body over the limit',
    fault: 'oversized_body',
    failure_class: 'result_too_large',
    message: /more than 32768 bytes/,
    http_status: 200,
  },
  {
    what: 'a body over the limit once it is unzipped',
    fault: 'oversized_when_unzipped',
    failure_class: 'result_too_large',
    message: /more than 32768 bytes/,
    http_status: 200,
  },
  {
    what: 'no answer at all',
    fault: 'hang',
    failure_class: 'timeout',
    message: /no answer within 200 ms, which is the source's timeout_ms/,
    http_status: null,
    timeout_ms: 200,
  },
  {
    what: 'a connection that is reset',
    fault: 'reset_connection',
    failure_class: 'transport',
    message: /closed the connection/,
    http_status: null,
  },
  {
    what: 'a redirect',
    fault: 'redirect',
    failure_class: 'http_status',
    message: /redirect \(307\)/,
    http_status: 307,
  },
];

/** Redaction that hides nothing, so that the record shows all that was kept. */
const shown: Edit = (binding) => ({ ...binding, redaction: { allow: 'all' } });

const inWeather: Edit = (workflow) => ({
  ...workflow,
  ambient_sources: (workflow['ambient_sources'] as readonly Parameters<Edit>[0][]).map(shown),
});

const inTools: Edit = (workflow) => ({
  ...workflow,
  nodes: (workflow['nodes'] as readonly Parameters<Edit>[0][]).map((node) => ({
    ...node,
    available_tools: (node['available_tools'] as readonly Parameters<Edit>[0][]).map(shown),
  })),
});

function editedWorkflows(context: TestContext, { timeout_ms = 5000 }: Misfortune): Promise<string> {
  const impatient: Edit = (source) => ({ ...source, interface: { ...(source['interface'] as object), timeout_ms } });
  return editWorkflows(context, {
    'sources/park-weather.json': impatient,
    'sources/vending-machine.json': impatient,
    'ambient-weather/workflow.json': inWeather,
    'tools/workflow.json': inTools,
  });
}

/** The attempt failed with the call's class, the call says all that is known, and the world is as it was. */
async function assertFailedBy(stage: ParkStage, play: Play, key: string, misfortune: Misfortune): Promise<void> {
  const attempt = onlyAttempt(play);
  const { failure_class, message, http_status } = misfortune;
  const call = callAt(attempt, key);
  assert.deepEqual(
    [attempt.status, attempt.failure_class, attempt.failed_source_invocation_id],
    ['failed', failure_class, call.source_invocation_id],
  );
  assert.match(attempt.failure_message ?? '', message);
  assert.equal(keysOf(attempt).at(-1), key, 'another call followed the failure');
  const record = await stage.invocation(call.source_invocation_id);
  assert.deepEqual([record.status, record.failure_class, record.http_status], ['failed', failure_class, http_status]);
  assert.match(record.failure_message ?? '', message);
  assert.equal(record.validation_status, misfortune.validation_status ?? 'not_checked');
  assert.ok(record.ended_at !== null && record.duration_ms !== null);
  misfortune.kept?.(record);
  assertStayed(play);
}

function assertStayed(play: Play): void {
  assert.equal(play.after.turn, play.before.turn);
  assert.deepEqual(contentsOf(play.after), contentsOf(play.before));
  assert.deepEqual(onlyAttempt(play).patches, []);
}

describe('a failing ambient source ends the attempt before any generation', () => {
  for (const misfortune of MISFORTUNES) {
    test(`${misfortune.what}: ${misfortune.failure_class}`, async (context) => {
      const stage = await open();
      misbehave(stage.toys.weather, misfortune.fault);
      const workflows = await editedWorkflows(context, misfortune);
      const play = await stage.play({ scenario: 'ambient-weather', workflows });
      const [key = ''] = keysOf(onlyAttempt(play));
      assert.match(key, /^turn\/park_weather@[0-9a-f]{12}$/);
      await assertFailedBy(stage, play, key, misfortune);
      assert.deepEqual(stage.model.requests, []);
      assert.equal(stage.toys.weather.served.length, 1, 'the service was asked again');
    });
  }

  test('a reading that is under way when another fails is dropped, and says why', async () => {
    const stage = await open();
    misbehave(stage.toys.weather, 'status_500');
    misbehave(stage.toys.pa, 'hang');
    const play = await stage.play({ scenario: 'park' });
    const dropped = onlyAttempt(play).invocations.filter(({ failure_class }) => failure_class === 'stopped');
    assert.deepEqual(
      dropped.map(({ failure_message }) => failure_message),
      ['the turn had failed elsewhere while the call was under way'],
    );
    assertStayed(play);
  });
});

describe('a failing tool ends the attempt, and the model is not asked again', () => {
  for (const misfortune of MISFORTUNES) {
    test(`${misfortune.what}: ${misfortune.failure_class}`, async (context) => {
      const stage = await open();
      misbehave(stage.toys.vending, misfortune.fault);
      const workflows = await editedWorkflows(context, misfortune);
      const says = script({ [FIRST]: { json: BUY }, 'bob/act/round-2/try-1': NOTHING });
      const play = await stage.play({ scenario: 'tools', workflows, says });
      await assertFailedBy(stage, play, `${FIRST}/tool`, misfortune);
      assert.equal(stage.model.requests.length, 1);
      assert.equal(stage.toys.vending.served.length, 1, 'the machine was asked again');
      assert.equal(onlyAttempt(play).failed_subject_entity_id, 'bob');
    });
  }
});

describe('a failed attempt', () => {
  test('a failed attempt keeps the patches of earlier subjects as artifacts and commits none of them', async () => {
    const stage = await open();
    const patch = finalPatch([setState('bob', 'fed')], 'Bob eats.');
    const says = script({ [FIRST]: { json: patch }, 'ant/act/round-1/try-1': { status: 503 } });
    const play = await stage.play({ scenario: 'bob-and-ant', says });
    const attempt = onlyAttempt(play);
    assert.deepEqual(
      [attempt.status, attempt.failure_class, attempt.failed_subject_entity_id],
      ['failed', 'http_status', 'ant'],
    );
    assertStayed(play);
    const call = callAt(attempt, FIRST);
    assert.deepEqual([call.status, call.model_output_kind], ['succeeded', 'final_patch']);
    const { artifacts } = await stage.llmCall(call.llm_call_id);
    assert.deepEqual(artifacts.find(({ kind }) => kind === 'accepted_patch')?.value, patch['patch']);
    assert.deepEqual(
      attempt.audit.map(({ audit_kind }) => audit_kind),
      ['attempt_failed'],
    );
  });

  test('a failed attempt leaves its turn to the next attempt', async () => {
    const stage = await open();
    misbehave(stage.toys.weather, 'status_500');
    const { world_slug, before, attempts } = await stage.play({ scenario: 'ambient-weather' });
    misbehave(stage.toys.weather);
    const second = await stage.run(before);
    assert.equal(onlyAttempt(second).status, 'committed');
    assert.deepEqual([attempts[0]?.attempted_turn, onlyAttempt(second).attempted_turn], [1, 1]);
    const all = await stage.engine.store.records.attempts(world_slug);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['failed', 'committed'],
    );
  });

  test('a failed attempt that used up its tool calls says so, after the model has read that only the final answer is left', async () => {
    const stage = await open();
    const calls = [1, 2, 3, 4].map((round) => [`bob/act/round-${round}/try-1`, { json: BUY }] as const);
    const play = await stage.play({ scenario: 'tools', says: script(Object.fromEntries(calls)) });
    const attempt = onlyAttempt(play);
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'max_tool_calls_exhausted']);
    assert.equal(stage.toys.vending.served.length, 3);
    const last = await stage.llmCall(callAt(attempt, 'bob/act/round-4/try-1').llm_call_id);
    assert.match(last.messages.at(-1)?.content ?? '', /No tool calls are left/);
    assertStayed(play);
  });

  test('a failed attempt that was stopped while a model thinks ends as stopped, at once', async () => {
    const stage = await open();
    const stop = new AbortController();
    stage.model.onRequest(async () => stop.abort());
    const says = script({ [FIRST]: { fault: 'hang', text: '{"kind": ' } });
    const play = await stage.play({ scenario: 'tools', says, signal: stop.signal, turns: 5 });
    assertStopped(play, FIRST);
    assert.equal(stage.model.requests.length, 1);
  });

  test('a failed attempt that was stopped while a machine works lets it finish, and does nothing with its answer', async () => {
    const stage = await open();
    const stop = new AbortController();
    stage.toys.vending.onRequest(async () => stop.abort());
    const says = script({ [FIRST]: { json: BUY }, 'bob/act/round-2/try-1': NOTHING });
    const play = await stage.play({ scenario: 'tools', says, signal: stop.signal });
    const attempt = onlyAttempt(play);
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'stopped']);
    assert.equal(callAt(attempt, `${FIRST}/tool`).status, 'succeeded');
    assert.equal(stage.model.requests.length, 1);
    assertStayed(play);
  });
});

function assertStopped(play: Play, key: string): void {
  const attempt: AttemptRecord = onlyAttempt(play);
  assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'stopped']);
  const call = callAt(attempt, key);
  assert.deepEqual(
    [call.status, call.failure_class, call.failure_message],
    ['failed', 'stopped', 'the turn was stopped while the call was under way'],
  );
  assert.deepEqual(
    [attempt.failed_subject_entity_id, attempt.failed_node_id, attempt.failed_source_invocation_id],
    ['bob', 'act', call.source_invocation_id],
  );
  assertStayed(play);
}
