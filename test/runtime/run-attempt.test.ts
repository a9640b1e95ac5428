import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../../engine/contract/json.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import { askToStop, reportCall } from '../../engine/operations/settling/reports.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { Overtaken } from '../../engine/runtime/overtaken.js';
import type { AttemptEnd, AttemptRequest } from '../../engine/runtime/attempt-request.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';
import { editWorkflows, loadScript, must, type ParkStage, sharedStage } from '../support/park-stage.js';

const LONG_AFTER_A_HEARTBEAT_MS = 15_000;
const LOOK_MS = 1_000;

interface Driven {
  readonly world_slug: string;
  readonly end: Promise<AttemptEnd>;
}

/** Drives an attempt of a fresh world with some part of the outside otherwise. */
async function drive(
  stage: ParkStage,
  otherwise: { readonly parts?: Partial<RuntimeParts>; readonly request?: Partial<AttemptRequest> },
): Promise<Driven> {
  const { world_slug, scenario_hash } = await stage.makeWorld({ scenario: 'simple' });
  const { program } = must(await loadScenario(stage.engine, scenario_hash));
  const request = {
    world_slug,
    program,
    simulationTime: () => '2026-05-01T09:01:00.000Z',
    signal: new AbortController().signal,
    onProgress: () => {},
    ...otherwise.request,
  };
  return { world_slug, end: runAttempt({ ...stage.engine.runtime, ...otherwise.parts }, request) };
}

async function onlyAttemptOf({ engine }: ParkStage, world_slug: string): Promise<AttemptRecord> {
  const [summary, ...others] = await engine.store.records.attempts(world_slug);
  assert.ok(summary && others.length === 0);
  const record = await engine.store.records.attempt(summary.attempt_id);
  return record ?? assert.fail('the attempt left no record');
}

const BROKEN = new Error('the driver is broken');
const breaks = (): never => {
  throw BROKEN;
};

describe('an attempt whose service asks for days without a request', () => {
  const open = sharedStage('embedded');

  test('an attempt whose service asks for two days without a request puts off the queued turn that asked for it by one', async () => {
    const stage = await open();
    const { attempts, callSource } = stage.engine.runtime;
    stage.model.setScript({ version: 1, label: 'busy', turns: { '*': { 'bob/act/round-1/try-1': { status: 429 } } } });
    const delays: unknown[] = [];
    const parts: Partial<RuntimeParts> = {
      attempts: {
        ...attempts,
        fail(lease, failed) {
          delays.push(failed.retry_delays_ms);
          return attempts.fail(lease, failed);
        },
      },
      callSource: async (...asked) => ({ ...(await callSource(...asked)), retry_after_ms: 172_800_000 }),
    };
    const { end } = await drive(stage, { parts, request: { turn_retries: 2 } });
    assert.equal((await end).kind, 'failed');
    assert.deepEqual(delays, [[86_400_000, 86_400_000]]);
  });
});

describe('a driver that breaks', () => {
  const open = sharedStage('PostgreSQL');

  const WAYS: Readonly<Record<string, Parameters<typeof drive>[1]>> = {
    'before it has asked anything': { request: { simulationTime: breaks } },
    'while it tells what it does': { request: { onProgress: breaks } },
    'at a source': { parts: { callSource: async () => breaks() } },
  };

  for (const [when, otherwise] of Object.entries(WAYS)) {
    test(`${when}: the first error is reported, and the next driver continues the same attempt`, async () => {
      const stage = await open();
      const { world_slug, end } = await drive(stage, otherwise);
      await assert.rejects(end, BROKEN);
      assert.equal((await onlyAttemptOf(stage, world_slug)).status, 'running');
      stage.model.setScript(await loadScript('simple'));
      await stage.run(await stage.world(world_slug));
      const { status, take_overs } = await onlyAttemptOf(stage, world_slug);
      assert.deepEqual([status, take_overs], ['committed', 1]);
    });
  }

  test('every time: the attempt is poisoned after five, and was asked for nothing twice', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('simple'));
    const { world_slug, scenario_hash } = await stage.makeWorld({ scenario: 'simple' });
    const { program } = must(await loadScenario(stage.engine, scenario_hash));
    const attempts = { ...stage.engine.runtime.attempts, commit: async () => breaks() };
    const again = () =>
      runAttempt(
        { ...stage.engine.runtime, attempts },
        {
          world_slug,
          program,
          simulationTime: () => '2026-05-01T09:01:00.000Z',
          signal: new AbortController().signal,
          onProgress: () => {},
        },
      );
    await assert.rejects(again(), BROKEN);
    const asked = stage.model.requests.length;
    for (let times = 2; times <= 6; times += 1) await assert.rejects(again(), BROKEN);
    const end = await again();
    assert.equal(end.kind === 'failed' && end.failure.failure_class, 'poisoned');
    assert.equal((await onlyAttemptOf(stage, world_slug)).take_overs, 6);
    assert.equal(stage.model.requests.length, asked, 'the model was asked again');
  });

  test('because its database lets it down leaves the attempt to the next, which commits it', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('simple'));
    const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const attempts = { ...stage.engine.runtime.attempts, commit: () => Promise.reject(lost) };
    const engine = { ...stage.engine, runtime: { ...stage.engine.runtime, attempts } };
    const world = await stage.makeWorld({ scenario: 'simple' });
    const { world_slug } = world;
    const { signal } = new AbortController();
    const refused = await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} });
    assert.ok(!refused.ok && refused.because === 'environment');
    const asked = stage.model.requests.length;
    assert.equal((await onlyAttemptOf(stage, world_slug)).status, 'running');
    await stage.run(world);
    const { status, take_overs } = await onlyAttemptOf(stage, world_slug);
    assert.deepEqual([status, take_overs], ['committed', 0]);
    assert.equal(stage.model.requests.length, asked, 'the model was asked again');
  });

  test('a driver that breaks and cannot even write that: the first error is still reported', async () => {
    const stage = await open();
    const attempts = {
      ...stage.engine.runtime.attempts,
      handOver: () => Promise.reject(new Error('the second error')),
    };
    const { end } = await drive(stage, { parts: { attempts }, request: { onProgress: breaks } });
    await assert.rejects(end, BROKEN);
  });
});

describe('a driver that waits for a call', () => {
  const open = sharedStage('embedded');

  test('a driver that waits for a call looks for mail again after it found none', {
    timeout: 60_000,
  }, async (context) => {
    const stage = await open();
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { callSource, inbox } = stage.engine.runtime;
    let resolveLooked = (): void => {};
    const parts: Partial<RuntimeParts> = {
      inbox: {
        ...inbox,
        messagesOf: (lease) => inbox.messagesOf(lease).finally(() => resolveLooked()),
      },
      callSource: async (...given) => {
        for (const _ of ['first', 'second']) {
          const looked = new Promise<void>((resume) => (resolveLooked = resume));
          context.mock.timers.tick(LOOK_MS);
          await looked;
          await setImmediate();
        }
        return callSource(...given);
      },
    };
    stage.model.setScript(await loadScript('simple'));
    const { end } = await drive(stage, { parts });
    assert.equal((await end).kind, 'committed');
  });
});

describe('a driver whose world has been taken over', () => {
  const open = sharedStage('PostgreSQL');

  test('a driver whose world has been taken over learns of it at its next heartbeat, however long its call takes, and writes nothing', {
    timeout: 60_000,
  }, async (context) => {
    const stage = await open();
    context.mock.timers.enable({ apis: ['setInterval'] });
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const callSource: RuntimeParts['callSource'] = () => {
      isAsked();
      return new Promise(() => {});
    };
    const { world_slug, end } = await drive(stage, { parts: { callSource } });
    await asked;
    await stage.outside?.query(`UPDATE worlds SET lease_until = now() WHERE world_slug = $1`, [world_slug]);
    stage.model.setScript(await loadScript('simple'));
    assert.equal((await stage.run(await stage.world(world_slug))).report.turns[0]?.status, 'committed');
    const overtaken = assert.rejects(end, Overtaken);
    context.mock.timers.tick(LONG_AFTER_A_HEARTBEAT_MS);
    await overtaken;
    const attempts = await stage.engine.store.records.attempts(world_slug);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['committed'],
    );
  });
});

describe('an attempt that got an answer, and was then asked to stop, while nobody drove it', () => {
  const open = sharedStage('embedded');

  /** A letter that is answered later; the subject with the answer has a drink. */
  const errands: readonly JsonObject[] = [
    {
      id: 'ask',
      type: 'source_call',
      source_ref: { path: '../sources/post-office.json' },
      request_template: { from: { $from: '/subject/id' }, to: 'Emil', body: 'Will you come?' },
      result_schema_ref: { path: '../schemas/write-letter-result.json' },
      redaction: { allow: ['/status'] },
      effect: 'external_side_effect',
      pending_deadline_ms: 60_000,
    },
    {
      id: 'drink',
      type: 'source_call',
      source_ref: { path: '../sources/drinking-fountain.json' },
      request_template: { actor_id: { $from: '/subject/id' }, why: { $from: '/nodes/ask/output/status' } },
      redaction: { allow: ['/status'] },
      effect: 'state_change',
    },
  ];

  test('an attempt that got an answer, and was then asked to stop, while nobody drove it, keeps the answer, ends, and makes no call that follows from it', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, {
      'letters/workflow.json': ({ nodes, ...workflow }) => ({
        ...workflow,
        nodes: [...errands, ...(nodes as readonly JsonObject[])],
      }),
      'policies/letters.json': (policy) => ({ ...policy, allow: ['write_letter', 'ask', 'drink'] }),
    });
    const { turns } = await loadScript('letters');
    const says = { version: 1 as const, label: 'at once', turns: { '*': turns['*'] ?? {} } };
    const { before, attempts } = await stage.play({ scenario: 'letters', workflows, says });
    const [waiting] = attempts;
    const asked = waiting?.invocations.find(({ status }) => status === 'pending')?.source_invocation_id ?? '';
    must(await reportCall(stage.engine, asked, { kind: 'answered', value: { status: 'answered' } }));
    must(await askToStop(stage.engine, waiting?.attempt_id ?? ''));
    const [ended] = (await stage.run(before)).attempts;
    assert.deepEqual([ended?.status, ended?.failure_class], ['failed', 'stopped']);
    assert.equal((await stage.invocation(asked)).status, 'succeeded');
    assert.equal(stage.toys.fountain.served.length, 0);
  });
});

describe('a world at the end of its calendar', () => {
  const open = sharedStage('PostgreSQL');

  test('a world at the end of its calendar is refused before anything begins', async () => {
    const stage = await open();
    const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
    await stage.outside?.query(
      `INSERT INTO turns (world_slug, turn, simulation_time, committed_at) VALUES ($1, 1e9::bigint, now(), now())`,
      [world_slug],
    );
    await stage.outside?.query('ALTER TABLE worlds DISABLE TRIGGER turns_follow_each_other');
    await stage.outside?.query(`UPDATE worlds SET turn = 1e9::bigint WHERE world_slug = $1`, [world_slug]);
    await stage.outside?.query('ALTER TABLE worlds ENABLE TRIGGER turns_follow_each_other');
    const signal = new AbortController().signal;
    const done = await runTurns(stage.engine, { world_slug, turns: 1, signal, onProgress: () => {} });
    assert.ok(!done.ok);
    assert.deepEqual([done.because, done.problems[0]?.code], ['content', 'WORLD_TIME_ENDED']);
    assert.deepEqual(await stage.engine.store.records.attempts(world_slug), []);
  });
});

describe('attempts that share the signal that stops them', () => {
  const open = sharedStage('PostgreSQL');

  test('attempts that share the signal that stops them are not warned of as a leak, however many there are at once', async (t) => {
    const stage = await open();
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    const { signal } = new AbortController();
    let waiting = 0;
    let go = (): void => {};
    const allAsk = new Promise<void>((resolve) => (go = resolve));
    const callSource = async (): Promise<never> => {
      waiting += 1;
      if (waiting === ATTEMPTS) go();
      await allAsk;
      return breaks();
    };
    const driveOne = async (): Promise<void> =>
      assert.rejects((await drive(stage, { parts: { callSource }, request: { signal } })).end, BROKEN);
    await Promise.all(Array.from({ length: ATTEMPTS }, driveOne));
    assert.deepEqual(warnings, []);
  });
});

/** Node.js warns of the eleventh listener. */
const ATTEMPTS = 12;
