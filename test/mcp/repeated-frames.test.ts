import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test, type TestContext } from 'node:test';
import type { HttpServer } from '../../engine/operations/composition.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { ASSISTED } from './clients.js';

// Frames that are right by themselves, and wrong by what came before: over HTTP in a session, and over standard input.

const open = sharedStage('PostgreSQL');
let server: HttpServer;
before(async () => {
  const { engine } = await open();
  server = await startServer(toDesk(engine), TOKENS, { host: '127.0.0.1', port: 0 });
});
after(() => server.close(0));

interface Answered {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

const hello = (protocolVersion: string): object => ({
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'a-test', version: '1' } },
});

const WAIT_MS = 20_000;

async function post(frame: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    signal: AbortSignal.timeout(WAIT_MS),
    headers: {
      authorization: `Bearer ${TOKENS.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...frame }),
  });
  const text = await response.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    answered: (data === '' ? {} : JSON.parse(data)) as Answered,
  };
}

async function openSession(version = '2025-11-25'): Promise<Readonly<Record<string, string>>> {
  const { headers } = await post(hello(version));
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

const listWorlds = (id: unknown): object => ({
  id,
  method: 'tools/call',
  params: { name: 'list_worlds', arguments: {} },
});

test('of requests of one id at a time in a session one is answered, and the others are refused by name', async () => {
  const [one, other] = [await openSession(), await openSession()];
  const asked = [one, one, one, other].map((session) => post(listWorlds(7), session));
  const answers = await Promise.all(asked);
  for (const { status, answered } of answers) assert.deepEqual([status, answered.id], [200, 7]);
  const outcomes = answers.map(({ answered }) => String(answered.error?.code ?? 'answered'));
  assert.deepEqual(outcomes.toSorted(), ['-32600', '-32600', 'answered', 'answered']);
  assert.equal(outcomes[3], 'answered');
  assert.ok((await post(listWorlds(7), one)).answered.result, 'an id is free again after its answer');
});

test('a version that nobody speaks is answered with one that is spoken', async () => {
  for (const version of ['1999-01-01', '3000-01-01', '']) {
    const { status, answered } = await post(hello(version));
    assert.equal(status, 200, version);
    assert.match(String(answered.result?.['protocolVersion']), /^20\d\d-\d\d-\d\d$/);
    assert.notEqual(answered.result?.['protocolVersion'], version);
  }
});

test('a notification gets no answer, whatever it is, and cancels nothing of others', async () => {
  const [one, other] = [await openSession(), await openSession()];
  const slow = post(listWorlds(9), one);
  for (const frame of [
    { method: 'notifications/no_such' },
    { method: 'no/such/method' },
    { method: 'notifications/cancelled', params: { requestId: 9 } },
    { method: 'notifications/cancelled', params: { requestId: 'never-asked' } },
    { method: 'notifications/cancelled', params: {} },
  ]) {
    const { status, answered } = await post(frame, other);
    assert.deepEqual([status < 500, answered.result], [true, undefined], JSON.stringify(frame));
  }
  assert.equal((await slow).answered.id, 9);
});

test('handles of nothing are refused by the protocol', async () => {
  const session = await openSession();
  for (const [method, params, code] of [
    ['resources/read', { uri: 'chukwa://worlds/no-such-world' }, -32_602],
    ['resources/read', { uri: 'chukwa://attempts/01a20766-c13e-7239-9bcf-590aa32028ef' }, -32_602],
    ['resources/read', { uri: 'file:///etc/passwd' }, -32_602],
    ['prompts/get', { name: 'no_such_prompt' }, -32_602],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } }, -32_601],
  ] as const) {
    const { answered } = await post({ id: 1, method, params }, session);
    assert.equal(answered.error?.code, code, JSON.stringify(params));
  }
});

/** The program over its standard streams. */
function openProgram(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-assistant-'));
  const env = { ...process.env, CHUKWA_DATA_DIR: join(folder, '.chukwa'), CHUKWA_DATABASE_URL: '' };
  const child = spawn(process.execPath, ASSISTED, { cwd: folder, env });
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const rows = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    write: (frame: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`),
    next: async () => JSON.parse(String((await rows.next()).value)) as Answered,
  };
}

test('over standard input a frame of ten megabytes, equal ids and a cancelled request disturb none that follow', async (t) => {
  const { child, write, next } = openProgram(t);
  write(hello('1999-01-01'));
  assert.equal((await next()).id, 'hello');
  write({ method: 'notifications/initialized' });
  write({ id: 1, method: 'tools/call', params: { name: 'x'.repeat(10_000_000) } });
  assert.deepEqual((await next()).error, { code: -32_600, message: 'a message may have 4194304 bytes' });
  write(listWorlds(2));
  write(listWorlds(2));
  assert.deepEqual([(await next()).id, (await next()).id], [2, 2]);
  write(listWorlds(3));
  write({ method: 'notifications/cancelled', params: { requestId: 3 } });
  write(listWorlds(4));
  let answered = await next();
  if (answered.id === 3) answered = await next();
  assert.equal(answered.id, 4);
  const ended = once(child, 'exit');
  child.stdin.end();
  assert.equal((await ended)[0], 0);
});
