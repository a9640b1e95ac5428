import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Progress } from '../../engine/runtime/progress.js';
import { freePort } from '../support/free-port.js';
import { type Edit, editWorkflows, loadScript, must, type ParkStage, sharedStage } from '../support/park-stage.js';
import { toolCall } from '../support/turn-player.js';
import { type Conduct, startUnreliableService } from '../support/unreliable-service.js';
import { waitUntil } from '../support/wait-until.js';
import { runHere, startChukwa, whileRunning } from './command.js';
import { keysOf, onlyAttempt, script } from './readings.js';

const FIRST = 'bob/act/round-1/try-1';
const TOOL = `${FIRST}/tool`;
const BUSY: Conduct = { kind: 'status', status: 503 };
const CUT: Conduct = { kind: 'cut_before' };
const RETRY = { max: 3, on: ['transport', 'http_429', 'http_5xx'], backoff_ms: 1, backoff_max_ms: 2_000 };
const BUY = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });

const withRetry =
  (retry: JsonObject): Edit =>
  (source) => ({ ...source, retry });

const repeatableTool: Edit = (workflow) => ({
  ...workflow,
  nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) => ({
    ...node,
    available_tools: (node['available_tools'] as readonly JsonObject[]).map((tool) =>
      tool['effect'] === 'read_only' ? tool : { ...tool, repeatable: true },
    ),
  })),
});

/** How each performance of a call ended, in their order. */
function performancesOf(attempt: AttemptRecord, key: string): readonly (readonly (string | number | null)[])[] {
  return attempt.invocations
    .filter(({ command_key }) => command_key.startsWith(key))
    .map(({ status, failure_class, http_status }) => [status, failure_class, http_status]);
}

describe('a source that says retry', () => {
  let weather: Awaited<ReturnType<typeof startUnreliableService>> | undefined;
  let vending: Awaited<ReturnType<typeof startUnreliableService>> | undefined;
  let model: Awaited<ReturnType<typeof startUnreliableService>> | undefined;
  const targets = new Map<string, string>();
  after(() => Promise.all([weather?.close(), vending?.close(), model?.close()]));
  const front = (name: string) => startUnreliableService(() => targets.get(name) ?? '');
  const fronts = Promise.all([front('weather'), front('vending'), front('model')]);
  const opened = fronts.then((started) => {
    [weather, vending, model] = started;
    return started;
  });
  let variables: Readonly<Record<string, string>> = {};
  const openStage = sharedStage('PostgreSQL', (here) => {
    targets.set('weather', here['CHUKWA_TOY_WEATHER_URL'] ?? '');
    targets.set('vending', here['CHUKWA_TOY_VENDING_URL'] ?? '');
    targets.set('model', (here['CHUKWA_LLM_BASE_URL'] ?? '').replace(/\/v1$/, ''));
    variables = {
      CHUKWA_TOY_WEATHER_URL: weather?.url ?? '',
      CHUKWA_TOY_VENDING_URL: vending?.url ?? '',
      CHUKWA_LLM_BASE_URL: `${model?.url}/v1`,
    };
    return variables;
  });

  async function open() {
    const [w, v, m] = await opened;
    return { stage: await openStage(), weather: w, vending: v, model: m };
  }

  const edited = (context: TestContext, retry: JsonObject = RETRY, tool: Edit = (workflow) => workflow) =>
    editWorkflows(context, {
      'sources/park-weather.json': withRetry(retry),
      'sources/vending-machine.json': withRetry(retry),
      'sources/chat.json': withRetry(retry),
      'tools/workflow.json': tool,
    });

  test('a reading that is answered 503 twice comes in at the third time, each time in a record of its own', async (context) => {
    const { stage, weather } = await open();
    const before = weather.asked.length;
    weather.will(BUSY, CUT);
    const play = await stage.play({ scenario: 'ambient-weather', workflows: await edited(context) });
    const attempt = onlyAttempt(play);
    assert.equal(attempt.status, 'committed');
    assert.deepEqual(performancesOf(attempt, 'turn/'), [
      ['failed', 'http_status', 503],
      ['failed', 'transport', null],
      ['succeeded', null, 200],
    ]);
    assert.equal(new Set(weather.asked.slice(before)).size, 1, 'the performances have several client request ids');
    assert.deepEqual(
      play.progress.flatMap((event) => (event.kind === 'retry_waits' ? event.retry.number : [])),
      [1, 2],
    );
  });

  test('a generation whose stream breaks is made again, and what was said before the break stays with its own record', async (context) => {
    const { stage, model } = await open();
    const [answer] = Object.values((await loadScript('simple')).turns['1'] ?? {});
    assert.ok(answer);
    const world = await stage.makeWorld({ scenario: 'simple', workflows: await edited(context) });
    stage.model.setScript(script({ [FIRST]: { fault: 'cut_stream', text: '{"kind": "fin' } }));
    let asked = 0;
    stage.model.onRequest(async () => {
      asked += 1;
      if (asked === 2) stage.model.setScript(script({ [FIRST]: answer }));
    });
    model.will();
    const attempt = onlyAttempt(await stage.run(world));
    assert.equal(attempt.status, 'committed');
    const calls = attempt.invocations.filter(({ command_key }) => command_key === FIRST);
    assert.deepEqual(
      calls.map(({ status, logical_generation_attempt }) => [status, logical_generation_attempt]),
      [
        ['failed', 1],
        ['succeeded', 1],
      ],
    );
    const [broken, whole] = await Promise.all(calls.map(({ llm_call_id }) => stage.llmCall(llm_call_id)));
    assert.ok(broken && whole);
    assert.notEqual(broken.raw_text, whole.raw_text);
    assert.doesNotMatch(whole.raw_text, /"fin$/);
  });

  test('Retry-After is obeyed: the wait is not shorter', async (context) => {
    const { stage, weather } = await open();
    weather.will({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
    const obeyed = await stage.play({ scenario: 'ambient-weather', workflows: await edited(context) });
    assert.equal(onlyAttempt(obeyed).status, 'committed');
    const [wait] = obeyed.progress.flatMap((event) => (event.kind === 'retry_waits' ? [event.wait_ms] : []));
    assert.ok(wait !== undefined && wait >= 1_000, `${wait} ms were waited`);
  });

  test('an unreachable service is retried until it is there', async (context) => {
    const { stage } = await open();
    const world = await stage.makeWorld({
      scenario: 'ambient-weather',
      workflows: await edited(context, { ...RETRY, max: 10, backoff_ms: 100 }),
    });
    stage.model.setScript(await loadScript('ambient-weather'));
    const port = await freePort();
    const gone = targets.get('weather') ?? '';
    targets.set('weather', `http://127.0.0.1:${port}`);
    context.after(() => targets.set('weather', gone));
    let back: ReturnType<typeof startUnreliableService> | undefined;
    context.after(async () => (await back)?.close());
    const onProgress = (progress: Progress): void => {
      if (progress.kind === 'retry_waits') back ??= startUnreliableService(() => gone, port);
    };
    const { signal } = new AbortController();
    const report = must(await runTurns(stage.engine, { world_slug: world.world_slug, turns: 1, signal, onProgress }));
    assert.equal(report.turns[0]?.status, 'committed');
    assert.ok(back !== undefined, 'nothing had to be made again');
  });

  test('a side effect that may have taken place is not made again, unless its binding is repeatable', async (context) => {
    const { stage, vending } = await open();
    const says = script({ ...(await loadScript('tools')).turns['1'], [FIRST]: { json: BUY } });
    vending.will({ kind: 'cut_after' });
    const once = await stage.play({ scenario: 'tools', workflows: await edited(context), says });
    assert.equal(onlyAttempt(once).failure_class, 'transport');
    assert.deepEqual(performancesOf(onlyAttempt(once), TOOL), [['failed', 'transport', null]]);
    const before = vending.asked.length;
    vending.will({ kind: 'cut_after' });
    const twice = await stage.play({
      scenario: 'tools',
      workflows: await edited(context, RETRY, repeatableTool),
      says,
    });
    assert.equal(onlyAttempt(twice).status, 'committed');
    assert.deepEqual(performancesOf(onlyAttempt(twice), TOOL), [
      ['failed', 'transport', null],
      ['succeeded', null, 200],
    ]);
    const [first, second, ...others] = vending.asked.slice(before);
    assert.deepEqual([first, others.length], [second, 0]);
    assert.match(first ?? '', /^tools-\d+~[0-9a-f]{12}\/turn-1\/bob\/act\/round-1\/try-1\/tool$/);
  });

  test('a side effect is made again after 503, which says that it was not performed, and not after another 5xx', async (context) => {
    const { stage, vending } = await open();
    const says = script({ ...(await loadScript('tools')).turns['1'], [FIRST]: { json: BUY } });
    const workflows = await edited(context);
    for (const [status, ended] of [
      [503, 'committed'],
      [500, 'failed'],
      [502, 'failed'],
      [504, 'failed'],
    ] as const) {
      const before = vending.asked.length;
      vending.will({ kind: 'status', status });
      const attempt = onlyAttempt(await stage.play({ scenario: 'tools', workflows, says }));
      const isMadeAgain = status === 503;
      assert.deepEqual([attempt.status, attempt.calls_in_doubt], [ended, isMadeAgain ? 0 : 1], String(status));
      assert.deepEqual(performancesOf(attempt, TOOL), [
        ['failed', 'http_status', status],
        ...(isMadeAgain ? [['succeeded', null, 200]] : []),
      ]);
      assert.equal(vending.asked.length - before, isMadeAgain ? 2 : 1);
    }
  });

  test('a stop ends the wait before a retry at once', async (context) => {
    const { stage, weather } = await open();
    weather.will(BUSY);
    const workflows = await edited(context, { ...RETRY, backoff_ms: 600_000, backoff_max_ms: 600_000 });
    const world = await stage.makeWorld({ scenario: 'ambient-weather', workflows });
    const stop = new AbortController();
    const onProgress = (progress: Progress): void => {
      if (progress.kind === 'retry_waits') stop.abort();
    };
    const { world_slug } = world;
    const report = must(await runTurns(stage.engine, { world_slug, turns: 1, signal: stop.signal, onProgress }));
    assert.deepEqual(
      report.turns.map(({ status, failure_class }) => [status, failure_class]),
      [['failed', 'stopped']],
    );
  });

  test('without it the first failure ends the attempt', async () => {
    const { stage, weather } = await open();
    weather.will(BUSY);
    const attempt = onlyAttempt(await stage.play({ scenario: 'ambient-weather' }));
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'http_status']);
    assert.equal(keysOf(attempt).length, 1);
  });

  // Its service asks for an hour without requests, so that no later test reaches it at once.
  test('a Retry-After beyond the longest wait ends the attempt', async (context) => {
    const { stage, weather } = await open();
    weather.will({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const refused = onlyAttempt(await stage.play({ scenario: 'ambient-weather', workflows: await edited(context) }));
    assert.equal(refused.failure_class, 'http_status');
    assert.match(refused.failure_message ?? '', /asks for 3600 s without a request.*waits 2 s at most/);
    assert.equal(performancesOf(refused, 'turn/').length, 1);
  });
});

describe('a driver that is killed while a retry waits (PostgreSQL)', () => {
  const opened = startUnreliableService(() => target);
  let target = '';
  after(async () => (await opened).close());
  let url = '';
  const openStage = sharedStage('PostgreSQL', (here) => {
    target = here['CHUKWA_TOY_WEATHER_URL'] ?? '';
    return { CHUKWA_TOY_WEATHER_URL: url };
  });

  async function countFailed({ outside }: ParkStage, { world_slug }: WorldSnapshot): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM source_invocations WHERE world_slug = $1 AND status = 'failed'`;
    const [row] = (await outside?.query<{ readonly count: number }>(sql, [world_slug])) ?? [];
    return row?.count ?? 0;
  }

  test('leaves its count: the next driver reads the failures, waits, and makes no more retries than max', async (context) => {
    const weather = await opened;
    url = weather.url;
    const stage = await openStage();
    const retry = { ...RETRY, max: 2, backoff_ms: 3_000, backoff_max_ms: 3_000 };
    const workflows = await editWorkflows(context, { 'sources/park-weather.json': withRetry(retry) });
    const world = await stage.makeWorld({ scenario: 'ambient-weather', workflows });
    weather.always(() => BUSY);
    for (const failures of [1, 2]) {
      const running = startChukwa(['run', world.world_slug, '--json'], stage.variables);
      await whileRunning(
        running,
        waitUntil(async () => (await countFailed(stage, world)) === failures),
      );
      running.kill('SIGKILL');
      await running.ended;
    }
    const play = await stage.run(world);
    const attempt = onlyAttempt(play);
    assert.deepEqual([attempt.status, attempt.failure_class, attempt.take_overs], ['failed', 'http_status', 2]);
    assert.match(attempt.failure_message ?? '', /made again 2 of 2 times/);
    assert.equal(weather.asked.length, 3);
    const shown = await runHere(['attempt', attempt.attempt_id], stage.variables);
    assert.match(shown.stdout, /performance 3/);
  });
});
