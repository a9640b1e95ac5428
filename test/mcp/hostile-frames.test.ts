import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import type { HttpServer } from '../../engine/operations/composition.js';
import { sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { ASSISTED, connectHttp, connectStdio } from './clients.js';

const open = sharedStage('PostgreSQL');
let server: HttpServer;
before(async () => {
  const stage = await open();
  server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
});
after(() => server.close(0));

const HEADERS = {
  authorization: `Bearer ${TOKENS.token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

async function post(body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
  return { status: response.status, text: await response.text() };
}

async function assertAlive(): Promise<void> {
  const client = await connectHttp('2026', `${server.url}/mcp`, TOKENS.token);
  assert.ok((await client.listTools()).tools.length > 0);
  await client.close();
}

test('a frame that is too large, broken, of no method or of no version is refused by the protocol', async () => {
  const call = (members: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...members });
  const large = await post(call({ method: 'tools/call', params: { name: 'x'.repeat(10 * 1_048_576) } }));
  assert.equal(large.status, 413);
  for (const [body, code] of [
    ['{"jsonrpc": "2.0", "id": 1, ', -32_700],
    ['', -32_700],
    [call({ method: 'no/such/method' }), -32_601],
    [call({ method: 'tools/call', params: { name: 'no_such_tool' } }), -32_602],
    [call({ method: 'tools/call', params: { name: '__proto__' } }), 'Unknown tool: __proto__'],
    [call({ method: 'tools/call', params: { name: 'constructor' } }), 'Unknown tool: constructor'],
    [`{"id": ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`, 'BODY_NOT_JSON'],
    [call({ method: 'resources/read', params: { uri: 'chukwa://worlds/%zz' } }), -32_602],
    [call({ method: 'tasks/result', params: { taskId: 'none' } }), -32_601],
  ] as const) {
    const answered = await post(body);
    assert.ok(answered.text.includes(String(code)), `${body}: ${answered.text}`);
  }
  const wrong = await post(call({ method: 'tools/list' }), { 'mcp-protocol-version': '1999-01-01' });
  assert.equal(wrong.status, 400);
  const unknown = await post(call({ method: 'tools/list' }), { 'mcp-session-id': 'no-such-session' });
  assert.equal(unknown.status, 404);
  await assertAlive();
});

test('a stranger, another host, another origin and a reader without the right are refused before a body is read', async () => {
  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(`${server.url}${path}`, { method: 'POST', headers: { ...HEADERS, ...headers } }, (given) => {
        given.resume();
        resolve(given.statusCode ?? 0);
      });
      sent.once('error', reject);
      sent.end('{}');
    });
  assert.equal(await ask('/mcp', { authorization: 'Bearer wrong' }), 401);
  assert.equal(await ask('/operator-mcp', {}), 403);
  assert.equal(await ask('/mcp', { host: 'evil.example.org' }), 403);
  assert.equal(await ask('/mcp', { origin: 'https://evil.example.org' }), 403);
  const { status } = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`);
  assert.equal(status, 404, 'nobody issues tokens');
});

test('where an issuer is named, a refusal says where that is told', async () => {
  const stage = await open();
  const place = { host: '127.0.0.1', port: 0, issuer: 'https://login.example.org' };
  const other = await startServer(toDesk(stage.engine), TOKENS, place);
  try {
    const refused = await fetch(`${other.url}/mcp`, { method: 'POST', body: '{}' });
    const [, told = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    assert.deepEqual(await (await fetch(told)).json(), {
      resource: `${other.url}/mcp`,
      authorization_servers: ['https://login.example.org'],
      bearer_methods_supported: ['header'],
    });
  } finally {
    await other.close(0);
  }
});

test('where the operator says so, consumers are offered only what reads, and are told why', async () => {
  const stage = await open();
  const place = { host: '127.0.0.1', port: 0, consumers_read_only: true } as const;
  const other = await startServer(toDesk(stage.engine), TOKENS, place);
  const consumer = await connectHttp('2026', `${other.url}/mcp`, TOKENS.token);
  const operator = await connectHttp('2025', `${other.url}/operator-mcp`, TOKENS.operator_token);
  try {
    const { tools } = await consumer.listTools();
    assert.ok(tools.some(({ name }) => name === 'get_world'));
    for (const { name, annotations } of tools) assert.equal(annotations?.readOnlyHint, true, name);
    for (const name of ['run_turn', 'put_documents', 'create_world', 'fork_world'])
      await assert.rejects(consumer.callTool({ name, arguments: {} }), /lets consumers read only/, name);
    assert.ok((await operator.listTools()).tools.some(({ name }) => name === 'run_turn'));
  } finally {
    await Promise.all([consumer.close(), operator.close()]);
    await other.close(0);
  }
});

test('a session is of who opened it, ends on request, and keeps no other out', async () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a-test', version: '1' } },
  };
  const url = `${server.url}/mcp`;
  const opened = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(hello) });
  await opened.text();
  const id = opened.headers.get('mcp-session-id') ?? '';
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const own = { 'mcp-session-id': id };
  assert.equal((await post(list, own)).status, 200);
  assert.equal((await post(list, { ...own, authorization: `Bearer ${TOKENS.operator_token}` })).status, 404);
  const stream = await fetch(url, { headers: { ...HEADERS, accept: 'text/event-stream', ...own } });
  assert.equal(stream.status, 200, 'a stream has a head before its first message');
  await stream.body?.cancel();
  // The same id twice, a cancelled request, and a notification of nothing: none disturbs the session.
  assert.equal((await post(list, own)).status, 200);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  assert.equal((await post(JSON.stringify(cancel), own)).status, 202);
  assert.equal((await fetch(url, { method: 'DELETE', headers: { ...HEADERS, ...own } })).status, 200);
  assert.equal((await post(list, own)).status, 404);
  const operator = await connectHttp('2025', `${server.url}/operator-mcp`, TOKENS.operator_token);
  for (let opens = 0; opens < 600; opens += 1) await post(JSON.stringify(hello));
  assert.ok((await operator.listTools()).tools.length > 0, 'sessions of consumers end none of operators');
  await operator.close();
  await assertAlive();
});

test('a client that never reads its answers, and one that leaves, keep nobody waiting', async () => {
  const { port } = new URL(server.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TOKENS.token}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const silent = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
  for (const socket of silent) {
    socket.pause();
    for (let sent = 0; sent < 10; sent += 1) socket.write(head + body);
  }
  await assertAlive();
  for (const socket of silent) socket.destroy();
  await assertAlive();
});

const MEMBERS = {
  jsonrpc: fc.constantFrom('2.0', '1.0', 2, null),
  id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant([])),
  method: fc.oneof(
    fc.constantFrom('initialize', 'tools/call', 'tools/list', 'resources/read', 'prompts/get', 'tasks/get', 'ping'),
    fc.constantFrom('notifications/cancelled', 'subscriptions/listen', 'completion/complete', 'server/discover'),
    fc.string(),
  ),
  params: fc.oneof(
    fc.jsonValue(),
    fc.record({
      name: fc.oneof(fc.constantFrom('get_world', 'run_turn', 'put_documents', 'author_a_workflow'), fc.jsonValue()),
      arguments: fc.jsonValue(),
      uri: fc.oneof(fc.constantFrom('chukwa://worlds', 'ui://chukwa/world'), fc.string(), fc.jsonValue()),
      _meta: fc.jsonValue(),
    }),
  ),
};

test('no frame ends the server, and each has an answer', async () => {
  const frames = fc.sample(
    fc.oneof(fc.record(MEMBERS, { requiredKeys: [] }), fc.jsonValue(), fc.array(fc.record(MEMBERS))),
    200,
  );
  for (const frame of frames) {
    const stop = AbortSignal.timeout(20_000);
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(frame),
      signal: stop,
    });
    if (response.headers.get('content-type')?.includes('event-stream') === true) await response.body?.cancel();
    else await response.arrayBuffer();
    assert.ok(response.status < 500, `${response.status}: ${JSON.stringify(frame)}`);
  }
  await assertAlive();
});

test('over standard output comes nothing but answers, whatever comes in, and the end of the input is the end', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-assistant-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const variables = { ...process.env, CHUKWA_DATA_DIR: join(folder, '.chukwa'), CHUKWA_DATABASE_URL: '' };
  const child = spawn(process.execPath, ASSISTED, { cwd: folder, env: variables });
  const rows = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () =>
    JSON.parse(String((await rows.next()).value)) as {
      readonly id?: unknown;
      readonly error?: { readonly code: number };
    };
  const write = (said: unknown): void =>
    void child.stdin.write(
      `${typeof said === 'string' ? said : JSON.stringify({ jsonrpc: '2.0', ...(said as object) })}\n`,
    );
  write({
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a-test', version: '1' } },
  });
  assert.equal((await next()).id, 'hello');
  write({ method: 'notifications/initialized' });
  for (const broken of ['{"jsonrpc": ', 'no JSON', '[]', 'null', '{"jsonrpc":"2.0"}', '\u0000']) write(broken);
  write({ id: 7, method: 'no/such/method' });
  for (;;) {
    const answered = await next();
    if (answered.id !== 7) continue;
    assert.equal(answered.error?.code, -32_601);
    break;
  }
  write({ id: 8, method: 'tools/call', params: { name: 'list_worlds', arguments: {} } });
  assert.equal((await next()).id, 8);
  const ended = once(child, 'exit');
  child.stdin.end();
  assert.equal((await ended)[0], 0);
});

test('who starts it as an operator is offered what is for operators', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-assistant-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const variables = { CHUKWA_DATA_DIR: join(folder, '.chukwa'), CHUKWA_DATABASE_URL: '' };
  const client = await connectStdio('2025', variables, ['--operator']);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'list_waiting'));
  await client.close();
});
