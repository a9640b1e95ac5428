import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWorker } from '../../engine/operations/running/run-worker.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { waitUntil } from '../support/wait-until.js';
import { type AnyClient, callForProgress, connectHttp, connectStdio, type Progress } from './clients.js';

const REVISION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';
const PLACE = { host: '127.0.0.1', port: 0 };

interface Answered {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** One request of the newest revision, as its text says: no session, and all that the server has to know in it. */
async function send(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  {
    token = TOKENS.token,
    extensions = { [TASKS]: {} },
  }: { readonly token?: string; readonly extensions?: object } = {},
): Promise<Answered> {
  const name = params['name'] ?? params['taskId'];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'a-test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { extensions },
        },
      },
    }),
  });
  return (await response.json()) as Answered;
}

const open = sharedStage('PostgreSQL');

async function makeWorld(stage: ParkStage): Promise<string> {
  stage.model.setScript(await loadScript('park'));
  return (await stage.makeWorld({ scenario: 'park' })).world_slug;
}

/** Runs queued turns of a world while the task goes on. */
async function whileWorking(stage: ParkStage, world_slug: string, task: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const settings = { concurrency: 1, grace_ms: 5_000, lease_ms: 10_000, worlds: [world_slug], signal: stop.signal };
  const working = runWorker(stage.engine, { ...settings, onEvent: () => {}, onReady: () => {} });
  try {
    await task();
  } finally {
    stop.abort();
    await working;
  }
}

const runTurns = (world_slug: string, turns: number) => ({
  name: 'run_turn',
  arguments: { world_slug, turns, reason: 'to see' },
});

test('queued turns are a task that another server knows after a restart, and that runs each turn once', async () => {
  const stage = await open();
  const world_slug = await makeWorld(stage);
  const first = await startServer(toDesk(stage.engine), TOKENS, PLACE);
  const begun = (await send(`${first.url}/mcp`, 'tools/call', runTurns(world_slug, 2))).result;
  assert.equal(begun?.['resultType'], 'task');
  const taskId = String(begun['taskId']);
  await first.close(0);
  const second = await startServer(toDesk(stage.engine), TOKENS, PLACE);
  const url = `${second.url}/mcp`;
  const get = () => send(url, 'tasks/get', { taskId });
  try {
    assert.equal((await get()).result?.['status'], 'working');
    await whileWorking(stage, world_slug, async () => {
      await waitUntil(async () => (await get()).result?.['status'] === 'completed');
    });
    const { result } = await get();
    assert.equal(result?.['taskId'], taskId);
    const done = result['result'] as {
      readonly isError?: boolean;
      readonly structuredContent: { readonly attempts: readonly { readonly turn: number }[] };
    };
    assert.equal(done.isError, undefined);
    assert.deepEqual(
      done.structuredContent.attempts.map(({ turn }) => turn),
      [1, 2],
    );
    assert.equal((await stage.engine.store.records.attempts(world_slug)).length, 2);
    assert.equal((await stage.world(world_slug)).turn, 2);
    const cancelled = await send(url, 'tasks/cancel', { taskId });
    assert.equal(cancelled.result?.['resultType'], 'complete');
    assert.equal((await get()).result?.['status'], 'completed', 'what is over stays as it is');
  } finally {
    await second.close(0);
  }
});

test('a task is of who began it, and of clients that declare the extension', async () => {
  const stage = await open();
  const world_slug = await makeWorld(stage);
  const server = await startServer(toDesk(stage.engine), TOKENS, PLACE);
  const [consumers, operators] = [`${server.url}/mcp`, `${server.url}/operator-mcp`];
  try {
    const begun = (await send(consumers, 'tools/call', runTurns(world_slug, 1))).result;
    const params = { taskId: String(begun?.['taskId']) };
    const strange = { token: TOKENS.operator_token };
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      assert.equal((await send(operators, method, params, strange)).error?.code, -32_602, method);
      assert.equal((await send(consumers, method, params, strange)).error?.code, -32_602, method);
      assert.equal((await send(consumers, method, { taskId: 'none' })).error?.code, -32_602, method);
      const undeclared = await send(consumers, method, params, { extensions: {} });
      assert.equal(undeclared.error?.code, -32_021, method);
    }
    const plain = (await send(consumers, 'tools/call', runTurns(world_slug, 1), { extensions: {} })).result;
    assert.equal(plain?.['resultType'], 'complete');
    const { made } = plain['structuredContent'] as { readonly made: { readonly inbox_ids: readonly string[] } };
    assert.equal(made.inbox_ids.length, 1, 'the handle of who polls get_world');
  } finally {
    await server.close(0);
  }
});

test('who cancels a task takes back its own turns, and none of others', async () => {
  const stage = await open();
  const world_slug = await makeWorld(stage);
  const server = await startServer(toDesk(stage.engine), TOKENS, PLACE);
  const url = `${server.url}/mcp`;
  try {
    const begun = (await send(url, 'tools/call', runTurns(world_slug, 2))).result;
    const other = (await send(url, 'tools/call', runTurns(world_slug, 1))).result;
    const params = { taskId: String(begun?.['taskId']) };
    const cancelled = await send(url, 'tasks/cancel', params);
    assert.deepEqual(Object.keys(cancelled.result ?? {}).toSorted(), ['_meta', 'resultType']);
    assert.equal((await send(url, 'tasks/get', params)).result?.['status'], 'cancelled');
    await whileWorking(stage, world_slug, async () => {
      const taskId = String(other?.['taskId']);
      await waitUntil(async () => (await send(url, 'tasks/get', { taskId })).result?.['status'] === 'completed');
    });
    assert.equal((await stage.world(world_slug)).turn, 1);
  } finally {
    await server.close(0);
  }
});

for (const [place, era] of [
  ['HTTP', '2025'],
  ['stdio', '2026'],
] as const)
  test(`over ${place} of ${era}, who asks for progress is told of calls and turns while they run, and then how they ended`, async (t) => {
    const stage = await open();
    const world_slug = await makeWorld(stage);
    const told: Progress[] = [];
    const isMidway = (): boolean => told.some(({ progress }) => progress >= 1 && progress < 2);
    stage.model.onRequest(async ({ turn }) => (turn === 2 ? waitUntil(isMidway) : undefined));
    const play = async (client: AnyClient): Promise<void> => {
      t.after(() => client.close());
      const params = { ...runTurns(world_slug, 2) };
      const called = await callForProgress(era, client, params, (one) => told.push(one));
      assert.match(called.content[0]?.text ?? '', /2 of 2 turns of .* are committed/);
      const { attempts } = called.structuredContent as { readonly attempts: readonly unknown[] };
      assert.equal(attempts.length, 2);
    };
    if (place === 'stdio') await play(await connectStdio(era, stage.variables));
    else {
      const server = await startServer(toDesk(stage.engine), TOKENS, PLACE);
      t.after(() => server.close(0));
      const client = await connectHttp(era, `${server.url}/mcp`, TOKENS.token);
      await whileWorking(stage, world_slug, () => play(client));
    }
    const steps = told.map(({ progress }) => progress);
    assert.deepEqual(
      steps,
      [...new Set(steps)].toSorted((one, other) => one - other),
      'it grows',
    );
    const midway = told.find(({ progress }) => progress >= 1);
    assert.ok(midway, JSON.stringify(told));
    assert.match(midway.message ?? '', new RegExp(`^1 of 2 turns of ${world_slug} are committed`));
    assert.equal(midway.total, 2);
    assert.equal((await stage.world(world_slug)).turn, 2);
  });

test('who follows turns is answered when they are taken back, or when it no longer waits', async (t) => {
  const stage = await open();
  const world_slug = await makeWorld(stage);
  const server = await startServer(toDesk(stage.engine), TOKENS, PLACE);
  t.after(() => server.close(0));
  const operator = await connectHttp('2026', `${server.url}/operator-mcp`, TOKENS.operator_token);
  t.after(() => operator.close());
  let took: Promise<unknown> = Promise.resolve();
  const called = await callForProgress('2026', operator, runTurns(world_slug, 2), () => {
    took = operator.callTool({ name: 'take_back_turns', arguments: { world_slug } });
  });
  await took;
  assert.match(called.content[0]?.text ?? '', /0 of 2 turns of .* are committed/);
  const leaving = new AbortController();
  const left = callForProgress('2026', operator, runTurns(world_slug, 2), () => leaving.abort(), leaving);
  await assert.rejects(left);
  const world = await operator.callTool({ name: 'get_world', arguments: { world_slug } });
  assert.equal(world.structuredContent?.['queued_turns'], 2, 'its turns stay');
});
