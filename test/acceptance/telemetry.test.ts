import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { toSpanId, toTraceId } from '../../engine/core/content/trace-id.js';
import { compose } from '../../engine/main.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import type { AttemptRecord, InvocationSummary } from '../../engine/ports/records.js';
import {
  type OtlpReceiver,
  type ReceivedPoint,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../support/otlp-receiver.js';
import {
  loadScript,
  must,
  openParkStage,
  type ParkStage,
  ROOT,
  type Scene,
  sharedStage,
} from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { runChukwa, runHere, startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { callAt, onlyAttempt, script } from './readings.js';
import { misbehave } from '../support/faults.js';

interface Traced {
  readonly attempt: AttemptRecord;
  readonly receiver: OtlpReceiver;
  readonly spans: readonly ReceivedSpan[];
  readonly root: ReceivedSpan;
}

/** Plays one turn with telemetry on, and closes the engine, which sends what is left. */
async function trace(
  context: TestContext,
  scene: Scene,
  variables: Readonly<Record<string, string>> = {},
): Promise<Traced> {
  const receiver = await startOtlpReceiver();
  context.after(() => receiver.close());
  const stage = await openParkStage('PostgreSQL', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...variables }));
  const play = await stage.play(scene);
  await stage.close();
  const attempt = onlyAttempt(play);
  return { attempt, receiver, spans: receiver.spans, root: rootOf(receiver) };
}

function rootOf({ spans }: OtlpReceiver): ReceivedSpan {
  const roots = spans.filter(({ parent_span_id }) => parent_span_id === '');
  assert.equal(roots.length, 1, 'one span has no parent');
  return roots[0] ?? assert.fail();
}

function spanOf({ spans }: Pick<OtlpReceiver, 'spans'>, call: InvocationSummary): ReceivedSpan {
  const found = spans.filter(({ span_id }) => span_id === toSpanId(call.source_invocation_id));
  assert.equal(found.length, 1, `spans of ${call.command_key}`);
  return found[0] ?? assert.fail();
}

/** The names of a span and of what it stands in, from the attempt on. */
function pathOf(receiver: OtlpReceiver, span: ReceivedSpan): readonly string[] {
  const parent = receiver.spans.find(({ span_id }) => span_id === span.parent_span_id);
  return parent === undefined ? [span.name] : [...pathOf(receiver, parent), span.name];
}

function pointsOf({ points }: OtlpReceiver, name: string): readonly ReceivedPoint[] {
  return points.filter((point) => point.name === name);
}

function sum(points: readonly ReceivedPoint[]): number {
  return points.reduce((total, { value }) => total + value, 0);
}

describe('telemetry', () => {
  test('an attempt is one trace: attempt, agent turns, nodes and each call that is on record, once', async (context) => {
    const { attempt, receiver, spans, root } = await trace(context, { scenario: 'park' });
    assert.equal(attempt.status, 'committed');
    assert.deepEqual([...new Set(spans.map(({ trace_id }) => trace_id))], [toTraceId(attempt.attempt_id)]);
    for (const call of attempt.invocations) spanOf(receiver, call);
    const agents = spans.filter(({ name }) => name.startsWith('invoke_agent '));
    assert.deepEqual(
      agents.map(({ span_id }) => span_id).toSorted(),
      attempt.agent_turns.map(({ agent_turn_id }) => toSpanId(agent_turn_id)).toSorted(),
    );
    const nodes = spans.filter(({ name }) => name.startsWith('node '));
    assert.equal(spans.length, 1 + agents.length + nodes.length + attempt.invocations.length);
    for (const call of attempt.invocations.filter(({ llm_call_id }) => llm_call_id !== null)) {
      assert.deepEqual(pathOf(receiver, spanOf(receiver, call)).slice(0, 3), [
        'invoke_workflow park',
        `invoke_agent ${call.workflow_subject_entity_id}`,
        `node ${call.workflow_node_id}`,
      ]);
    }
    for (const span of spans) {
      assert.ok(span.began_at <= span.ended_at, span.name);
      assert.ok(span.began_at >= root.began_at - 1 && span.ended_at <= root.ended_at + 1, `${span.name} is within`);
    }
  });

  test('generations and tools have the names of the conventions, and metrics count the same', async (context) => {
    const { attempt, receiver, root } = await trace(context, { scenario: 'tools' });
    const call = callAt(attempt, 'bob/act/round-1/try-1');
    const { attributes, kind, status, resource } = spanOf(receiver, call);
    assert.equal(attributes['gen_ai.operation.name'], 'chat');
    assert.equal(attributes['gen_ai.provider.name'], 'llm_chat');
    assert.equal(attributes['gen_ai.conversation.id'], 'bob/act');
    assert.equal(attributes['server.address'], '127.0.0.1');
    assert.equal(attributes['chukwa.source_invocation.id'], call.source_invocation_id);
    assert.ok(Number(attributes['gen_ai.usage.input_tokens']) > 0);
    assert.deepEqual([kind, status.code ?? 0], [3, 0]);
    const tool = spanOf(receiver, callAt(attempt, 'bob/act/round-1/try-1/tool'));
    assert.deepEqual(pathOf(receiver, tool).slice(1), ['invoke_agent bob', 'node act', 'execute_tool buy_candy']);
    assert.equal(resource['service.name'], 'chukwa');
    assert.equal(root.attributes['chukwa.attempt.id'], attempt.attempt_id);
    const generations = attempt.invocations.filter(({ llm_call_id }) => llm_call_id !== null);
    const durations = pointsOf(receiver, 'gen_ai.client.inference.duration');
    assert.equal(
      durations.reduce((total, { count = 0 }) => total + count, 0),
      generations.length,
    );
    const shown = generations.map((one) => Number(spanOf(receiver, one).attributes['gen_ai.usage.input_tokens']));
    const counted = sum(pointsOf(receiver, 'gen_ai.client.inference.usage.input_tokens'));
    assert.equal(
      counted,
      shown.reduce((total, tokens) => total + tokens, 0),
    );
    assert.deepEqual(
      pointsOf(receiver, 'chukwa.attempts').map(({ value, attributes: said }) => [
        value,
        said['chukwa.attempt.outcome'],
      ]),
      [[1, 'committed']],
    );
  });

  test('contents stay at home unless they are asked for, and what redaction hides stays there even then', async (context) => {
    const quiet = await trace(context, { scenario: 'park' });
    const sent = Buffer.concat(quiet.receiver.bodies).toString('latin1');
    const narration = quiet.attempt.patches[0]?.narration ?? assert.fail();
    assert.ok(!sent.includes(narration));
    assert.ok(quiet.spans.every(({ attributes }) => attributes['gen_ai.input.messages'] === undefined));
    const loud = await trace(
      context,
      { scenario: 'park' },
      { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' },
    );
    const generation = loud.attempt.invocations.findLast(({ llm_call_id }) => llm_call_id !== null) ?? assert.fail();
    const { attributes } = spanOf(loud.receiver, generation);
    const input = JSON.parse(String(attributes['gen_ai.input.messages'])) as readonly { readonly role: string }[];
    assert.equal(input[0]?.role, 'system');
    assert.match(String(attributes['gen_ai.output.messages']), /final_patch/);
    for (const call of loud.attempt.invocations.filter(({ llm_call_id }) => llm_call_id === null)) {
      const result = spanOf(loud.receiver, call).attributes['gen_ai.tool.call.result'];
      assert.deepEqual(JSON.parse(String(result)), call.response_json, call.command_key);
    }
  });

  test('a failed attempt names its failure on the call, the agent and the attempt, and says no more', async (context) => {
    const says = script({ 'bob/act/round-1/try-1': { text: 'SECRET-LOOKING-WORDS' } });
    const { attempt, receiver, root } = await trace(context, { scenario: 'simple', says });
    assert.equal(attempt.status, 'failed');
    assert.equal(root.status.code, 2);
    assert.equal(root.attributes['error.type'], attempt.failure_class);
    const failed = spanOf(receiver, callAt(attempt, 'bob/act/round-1/try-1'));
    assert.equal(failed.attributes['error.type'], 'model_content');
    assert.equal(failed.status.message ?? '', '');
    assert.ok(!Buffer.concat(receiver.bodies).includes('SECRET-LOOKING-WORDS'));
    assert.deepEqual(
      pointsOf(receiver, 'chukwa.attempts').map(({ attributes: said }) => said['error.type']),
      [attempt.failure_class],
    );
  });

  test('a part of all attempts is traced where the operator says so; metrics count all of them', async (context) => {
    const receiver = await startOtlpReceiver();
    context.after(() => receiver.close());
    const stage = await openParkStage('PostgreSQL', () => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'always_off',
    }));
    await stage.play({ scenario: 'simple' });
    await stage.close();
    assert.deepEqual(receiver.spans, []);
    assert.equal(sum(pointsOf(receiver, 'chukwa.attempts')), 1);
  });
});

describe('telemetry of processes (PostgreSQL)', { timeout: 600_000 }, () => {
  const opened = sharedStage('PostgreSQL');

  async function receive(
    context: TestContext,
  ): Promise<{ receiver: OtlpReceiver; stage: ParkStage; variables: Record<string, string> }> {
    const receiver = await startOtlpReceiver();
    context.after(() => receiver.close());
    const stage = await opened();
    return { receiver, stage, variables: { ...stage.variables, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } };
  }

  test('a driver that takes an attempt over continues its trace, and names calls without a recorded end', async (context) => {
    const { receiver, stage, variables } = await receive(context);
    const world = await stage.makeWorld({ scenario: 'tools' });
    stage.model.setScript(await loadScript('tools'));
    misbehave(stage.toys.vending, 'hang');
    const asked = new Promise<void>((resolve) => stage.toys.vending.onRequest(async () => resolve()));
    const running = startChukwa(['run', world.world_slug, '--json'], variables);
    await whileRunning(running, asked);
    running.kill('SIGKILL');
    await running.ended;
    stage.toys.reset();
    const next = await runHere(['run', world.world_slug, '--json'], variables);
    assert.equal(next.code, 3, next.stderr);
    const root = rootOf(receiver);
    assert.equal(root.attributes['chukwa.epoch'], 2);
    const [tool] = receiver.spans.filter(({ name }) => name === 'execute_tool buy_candy');
    assert.equal(tool?.attributes['error.type'], 'interrupted');
    assert.equal(tool?.trace_id, root.trace_id);
    assert.deepEqual(pathOf(receiver, tool ?? root).slice(0, 3), [root.name, 'invoke_agent bob', 'node act']);
    assert.equal(sum(pointsOf(receiver, 'chukwa.calls.in_doubt')), 1);
    const shown = await runHere(['attempt', String(root.attributes['chukwa.attempt.id'])], stage.variables);
    assert.match(shown.stdout, new RegExp(`trace +${root.trace_id}`));
  });

  test('a worker reports how long a queued turn was due', async (context) => {
    const { receiver, stage, variables } = await receive(context);
    stage.model.setScript(await loadScript('simple'));
    const world = await stage.makeWorld({ scenario: 'simple' });
    must(await queueTurns(stage.engine, { world_slug: world.world_slug, turns: 1 }));
    const worker = startHere(['worker', '--json'], variables);
    await whileRunning(
      worker,
      waitUntil(async () => (await stage.world(world.world_slug)).turn === 1),
    );
    worker.interrupt();
    assert.equal((await worker.ended).code, 0);
    const [wait] = pointsOf(receiver, 'chukwa.queue.wait');
    assert.equal(wait?.count, 1);
    assert.ok((wait?.value ?? -1) >= 0);
  });

  test('without a variable of OpenTelemetry nothing of it is loaded', async () => {
    const stage = await opened();
    stage.model.setScript(await loadScript('simple'));
    const world = await stage.makeWorld({ scenario: 'simple' });
    const refusing = { ...stage.variables, NODE_OPTIONS: `--import ${ROOT}test/support/refuse-packages.mjs` };
    const off = await runChukwa(['run', world.world_slug], refusing);
    assert.equal(off.code, 0, off.stderr);
    const on = await runChukwa(['run', world.world_slug], {
      ...refusing,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    assert.match(on.stderr, /imported @opentelemetry/);
  });

  test('a collector that is away is complained of once, and changes nothing else', async () => {
    const stage = await opened();
    stage.model.setScript(await loadScript('simple'));
    const world = await stage.makeWorld({ scenario: 'simple' });
    const away = { ...stage.variables, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hidden@127.0.0.1:9' };
    const ended = await runHere(['run', world.world_slug, '--turns', '2'], away);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stderr.match(/telemetry: /g)?.length, 1, ended.stderr);
    assert.ok(!ended.stderr.includes('hidden'));
  });
});

describe('the endpoint of telemetry', () => {
  const common = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const open = async (variables: Readonly<Record<string, string>>) =>
    (await compose({ CHUKWA_DATABASE_URL: 'memory:', ...variables })).openEngine();

  test('the endpoint of telemetry is refused by the name of its variable where it is no URL of HTTP', async () => {
    const own = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT';
    const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ [common]: 'not a url' }, common],
      [{ [common]: 'localhost:4318' }, common],
      [{ [common]: 'grpc://localhost:4317' }, common],
      [{ [common]: 'http://localhost:4318', [own]: 'http://user:hidden@' }, own],
    ];
    for (const [variables, wrong] of cases) {
      const opened = await open(variables);
      if (opened.ok) await opened.value.close();
      const problems = opened.ok ? [] : opened.problems;
      assert.deepEqual(
        problems.map(({ code, details }) => [code, details]),
        [['TELEMETRY_URL_INVALID', { variable: wrong }]],
      );
      assert.match(problems[0]?.message ?? '', new RegExp(wrong));
      assert.ok(!JSON.stringify(problems).includes('hidden'));
    }
  });

  test('a header that nobody sees as it is sent is refused by the name of its variable', async () => {
    const variable = 'OTEL_EXPORTER_OTLP_TRACES_HEADERS';
    const opened = await open({ [common]: 'http://localhost:4318', [variable]: 'x-key=hid\u200bden' });
    if (opened.ok) await opened.value.close();
    const problems = opened.ok ? [] : opened.problems;
    assert.deepEqual(
      problems.map(({ code, details }) => [code, details]),
      [['INVISIBLE_CHARACTER', { variable }]],
    );
    assert.match(problems[0]?.message ?? '', /holds an invisible character \(U\+200B\) at position 4/);
    assert.ok(!JSON.stringify(problems).includes('hid'));
  });

  test('the endpoint of telemetry is of no interest where telemetry is switched off', async () => {
    const opened = must(await open({ [common]: 'not a url', OTEL_SDK_DISABLED: 'true' }));
    await opened.close();
  });
});

describe('logs for programs (PostgreSQL)', { timeout: 600_000 }, () => {
  const opened = sharedStage('PostgreSQL');

  interface LogLine {
    readonly level: string;
    readonly time: string;
    readonly msg: string;
    readonly kind?: string;
    readonly attempt_id?: string;
    readonly trace_id?: string;
  }

  const toLines = (text: string): readonly LogLine[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine);

  test('a worker writes each thing that it does as an object, with the ids of attempt and trace', async () => {
    const stage = await opened();
    stage.model.setScript(await loadScript('simple'));
    const world = await stage.makeWorld({ scenario: 'simple' });
    must(await queueTurns(stage.engine, { world_slug: world.world_slug, turns: 1 }));
    const worker = startHere(['worker'], { ...stage.variables, CHUKWA_LOG_FORMAT: 'json' });
    await whileRunning(
      worker,
      waitUntil(() => worker.complained().includes('turn_committed')),
    );
    worker.interrupt();
    const { code, stdout, stderr } = await worker.ended;
    assert.deepEqual([code, stdout], [0, '']);
    const lines = toLines(stderr);
    const committed = lines.find(({ kind }) => kind === 'turn_committed') ?? assert.fail(stderr);
    assert.equal(committed.level, 'info');
    assert.equal(committed.trace_id, toTraceId(committed.attempt_id ?? ''));
    assert.match(committed.msg, /turn 1 committed/);
    assert.ok(!Number.isNaN(Date.parse(committed.time)));
    assert.deepEqual([lines[0]?.kind, lines.at(-1)?.kind], ['working', 'stopped']);
  });

  test('a server keeps tokens and sign-in links out of a log for programs', async (context) => {
    const stage = await opened();
    const variables = { ...stage.variables, CHUKWA_DATA_DIR: await makeFolder(context), CHUKWA_LOG_FORMAT: 'json' };
    const server = startHere(['serve', '--port', '0'], variables);
    await whileRunning(
      server,
      waitUntil(() => server.complained().includes('serving')),
    );
    server.interrupt();
    const { stderr } = await server.ended;
    assert.ok(toLines(stderr).some(({ kind }) => kind === 'serving'));
    assert.doesNotMatch(stderr, /sign-in|[0-9a-f]{40}/);
  });
});
