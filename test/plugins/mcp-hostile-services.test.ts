import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { EffectClass } from '../../engine/core/protocol/program.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { ask, findFreeOrigin, makeRecorder, openTestSources, serve, summary, type Wanted } from '../sources/harness.js';
import { bodyOf, failureOf, toolCall } from './mcp-servers.js';

interface Message extends JsonObject {
  readonly id: number;
  readonly method: string;
}

/** Answers `tools/call`. */
type AnswerCall = (message: Message, response: ServerResponse, request: IncomingMessage) => unknown;

interface Received {
  readonly http: string;
  readonly message: Message | undefined;
  readonly session: string | undefined;
}

/** A server of the protocol over HTTP, whose calls are answered as a test wants it; gives its URL and its requests. */
async function fakeService(
  t: TestContext,
  answer: AnswerCall,
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const origin = await serve(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const message = body === '' ? undefined : (JSON.parse(body) as Message);
    const session = request.headers['mcp-session-id'];
    received.push({
      http: request.method ?? '',
      message,
      session: session === undefined ? undefined : String(session),
    });
    if (message?.method === 'initialize') return greet(message, response);
    if (message?.method === 'tools/list') {
      const tools = [{ name: 'do', inputSchema: { type: 'object' } }];
      return sayJson(response, { jsonrpc: '2.0', id: message.id, result: { tools } });
    }
    if (message?.method === 'tools/call' || request.method === 'GET')
      return void answer(message ?? ({ method: 'GET' } as unknown as Message), response, request);
    return void response.writeHead(202).end();
  });
  return { url: `${origin}/mcp`, received };
}

function greet(message: Message, response: ServerResponse): void {
  const { protocolVersion } = message['params'] as { readonly protocolVersion: string };
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } };
  response.setHeader('mcp-session-id', 'session-1');
  sayJson(response, { jsonrpc: '2.0', id: message.id, result });
}

function sayJson(response: ServerResponse, value: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function resultOf({ id }: Message, value: Json): JsonObject {
  return { jsonrpc: '2.0', id, result: { structuredContent: { value }, content: [] } };
}

function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': hello\n\n');
}

interface Hostile {
  readonly name: string;
  readonly answer: AnswerCall;
  readonly failed: string;
  readonly message: RegExp;
  readonly wanted?: Wanted;
  readonly body?: RegExp;
}

const SHORT: Wanted = { deadline_ms: 500 };

const HOSTILE: readonly Hostile[] = [
  { name: 'never answers', answer: () => {}, failed: 'timeout', message: /within 500 ms/, wanted: SHORT },
  {
    name: 'opens a stream and says nothing',
    answer: (_, response) => openEvents(response),
    failed: 'timeout',
    message: /within 500 ms/,
    wanted: SHORT,
  },
  {
    name: 'answers with a result that is none',
    answer: ({ id }, response) => sayJson(response, { jsonrpc: '2.0', id, result: null }),
    failed: 'transport',
    message: /not of the protocol/,
  },
  {
    name: 'ends its stream with a result that is none',
    answer: ({ id }, response) => {
      openEvents(response);
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: null })}\n\n`);
    },
    failed: 'transport',
    message: /ended the stream before it had answered/,
  },
  {
    name: 'ends its stream without an answer',
    answer: (_, response) => {
      openEvents(response);
      response.end(
        'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":1}}\n\n',
      );
    },
    failed: 'transport',
    message: /ended the stream before it had answered/,
  },
  {
    name: 'ends its stream in the middle of an answer',
    answer: (_, response) => {
      openEvents(response);
      response.end('event: message\ndata: {"jsonrpc":"2.0","id":');
    },
    failed: 'transport',
    message: /ended the stream before it had answered/,
  },
  {
    name: 'breaks off in the middle of its stream',
    answer: (_, response) => {
      openEvents(response);
      response.write('data: {"json', () => response.destroy());
    },
    failed: 'transport',
    message: /closed the connection before the answer was complete/,
  },
  {
    name: 'breaks off a stream that may be resumed, and cannot be found again',
    answer: (message, response) => {
      if (message.method === 'GET') return void response.writeHead(503).end();
      openEvents(response);
      response.write('id: 1\nretry: 10\ndata: \n\n', () => response.destroy());
    },
    failed: 'transport',
    message: /could not be resumed/,
  },
  {
    name: 'streams without an end',
    answer: (_, response) => {
      openEvents(response);
      const flood = (): void => {
        while (!response.destroyed && response.write(`: ${'x'.repeat(10_000)}\n\n`));
        if (!response.destroyed) response.once('drain', flood);
      };
      flood();
    },
    failed: 'result_too_large',
    message: /is the limit/,
  },
  {
    name: 'sends 50 MB',
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.alloc(50_000_000, 0x20));
    },
    failed: 'result_too_large',
    message: /is the limit/,
  },
  {
    name: 'sends a result that is too large',
    answer: (message, response) => sayJson(response, resultOf(message, 'x'.repeat(40_000))),
    failed: 'result_too_large',
    message: /32768/,
  },
  {
    name: 'answers with a status of failure',
    answer: (_, response) => response.writeHead(500).end('canary: it hurts'),
    failed: 'http_status',
    message: /answered with status 500; it said: canary: it hurts$/,
    body: /canary: it hurts/,
  },
  {
    name: 'answers with a status of failure that never ends',
    answer: (_, response) => void response.writeHead(500).write('canary: it hurts'),
    failed: 'http_status',
    message: /answered with status 500; it said: canary: it hurts; it is unknown whether its side effect took place/,
    body: /canary: it hurts/,
    wanted: { deadline_ms: 2_000, call: { effect: 'external_side_effect' } },
  },
  {
    name: 'wants to be paid',
    answer: (_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('canary'),
    failed: 'http_status',
    message: /answered with status 401/,
  },
  {
    name: 'knows no session, not even a new one',
    answer: (_, response) => response.writeHead(404).end(),
    failed: 'http_status',
    message: /answered with status 404/,
  },
  {
    name: 'redirects elsewhere',
    answer: (_, response) => response.writeHead(307, { location: 'http://evil.test/mcp' }).end(),
    failed: 'http_status',
    message: /redirects are not followed/,
  },
  {
    name: 'answers with a page',
    answer: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>canary</p>'),
    failed: 'transport',
    message: /neither JSON nor a stream of events/,
    body: /<p>/,
  },
  {
    name: 'answers with what is not JSON',
    answer: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
    failed: 'non_json',
    message: /did not answer with JSON/,
    body: /^\{"a":$/,
  },
  {
    name: 'answers with JSON that is no message',
    answer: (_, response) => sayJson(response, { hello: 'canary' }),
    failed: 'transport',
    message: /not of the protocol/,
  },
  {
    name: 'refuses the parameters',
    answer: ({ id }, response) => sayJson(response, { jsonrpc: '2.0', id, error: { code: -32602, message: 'canary' } }),
    failed: 'tool_error',
    message: /-32602/,
    body: /canary/,
  },
  {
    name: 'breaks while it handles the call',
    answer: ({ id }, response) => sayJson(response, { jsonrpc: '2.0', id, error: { code: -32603, message: 'canary' } }),
    failed: 'internal_error',
    message: /-32603.*; it is unknown whether its side effect took place/,
    body: /canary/,
    wanted: { call: { effect: 'external_side_effect' } },
  },
];

/** A failure quotes a service that says why it failed, as far as redaction shows it, and quotes nothing else. */
const QUOTED = ['http_status', 'tool_error', 'internal_error'];

for (const { name, answer, failed, message, wanted, body } of HOSTILE) {
  test(`a service that ${name} fails the call as ${failed}`, async (t) => {
    const { url } = await fakeService(t, answer);
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
    const outcome = failureOf(await ask(sources, toolCall('do', {}, wanted)));
    assert.equal(outcome.failure_class, failed, outcome.failure_message);
    assert.match(outcome.failure_message, message);
    if (!QUOTED.includes(failed)) assert.doesNotMatch(outcome.failure_message, /canary/);
    if (body) assert.match(bodyOf(outcome), body);
  });
}

test('a service that is not there fails the call as transport', async (t) => {
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: await findFreeOrigin() } });
  const outcome = failureOf(await ask(sources, toolCall('do')));
  assert.equal(outcome.failure_class, 'transport');
  assert.match(outcome.failure_message, /CHUKWA_MCP_TEST.*refused the connection/);
});

test('a service that fails once is asked again by the next call, in the same session', async (t) => {
  let calls = 0;
  const { url, received } = await fakeService(t, (message, response) => {
    calls += 1;
    if (calls === 1) response.destroy();
    else sayJson(response, resultOf(message, calls));
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
  assert.deepEqual(summary(await ask(sources, toolCall('do'))), { failed: 'transport', refused: false });
  assert.equal(calls, 1, 'it was not asked twice for one call');
  assert.deepEqual(summary(await ask(sources, toolCall('do'))), { succeeded: { value: 2 } });
  assert.equal(received.filter(({ message }) => message?.method === 'initialize').length, 1);
});

test('a stream that is broken off with a number is taken up again', async (t) => {
  const { url, received } = await fakeService(t, (message, response, request) => {
    openEvents(response);
    if (message.method !== 'GET') return void response.end('id: 7\nretry: 10\ndata: \n\n');
    assert.equal(request.headers['last-event-id'], '7');
    const asked = received.find((one) => one.message?.method === 'tools/call')?.message;
    return void response.end(`id: 8\ndata: ${JSON.stringify(asked && resultOf(asked, 'resumed'))}\n\n`);
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
  assert.deepEqual(summary(await ask(sources, toolCall('do'))), { succeeded: { value: 'resumed' } });
});

test('a stream whose server wants to be asked again at once is not asked more often than that makes sense', async (t) => {
  const { url, received } = await fakeService(t, (_message, response) => {
    openEvents(response);
    response.end('id: 7\nretry: 0\ndata: \n\n');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
  const outcome = await ask(sources, toolCall('do', {}, { settings: { timeout_ms: 1_500 } }));
  assert.deepEqual(summary(outcome), { failed: 'timeout', refused: false });
  const asked = received.filter(({ http }) => http === 'GET').length;
  assert.ok(asked >= 1 && asked <= 3, `it was asked ${asked} times`);
});

for (const [how, refuse] of [
  [
    'in a text',
    (_id: number, response: ServerResponse) => response.writeHead(400).end('supported: 2025-06-18, 2025-03-26'),
  ],
  [
    'in an error of the protocol',
    (id: number, response: ServerResponse) =>
      sayJson(response, {
        jsonrpc: '2.0',
        id,
        error: {
          code: -32602,
          message: 'Unsupported protocol version',
          data: { supported: ['2025-06-18', '2024-11-05'] },
        },
      }),
  ],
] as const)
  test(`a server that names the versions that it speaks ${how} is greeted in the newest of them`, async (t) => {
    const asked: unknown[] = [];
    const url = await serve(t, async (request, response) => {
      let body = '';
      for await (const piece of request) body += String(piece);
      const message = JSON.parse(body || '{}') as Message;
      if (message.method === 'initialize') {
        const { protocolVersion } = message['params'] as { readonly protocolVersion: string };
        asked.push(protocolVersion);
        return void (protocolVersion > '2025-06-18' ? refuse(message.id, response) : greet(message, response));
      }
      if (message.method === 'tools/call') return sayJson(response, resultOf(message, 'fine'));
      if (message.method !== 'tools/list') return void response.writeHead(202).end();
      sayJson(response, { jsonrpc: '2.0', id: message.id, result: { tools: [{ name: 'do' }] } });
    });
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
    assert.deepEqual(summary(await ask(sources, toolCall('do'))), { succeeded: { value: 'fine' } });
    assert.deepEqual(asked.slice(1), ['2025-06-18']);
  });

/** Sends an answer with a number that no double holds, as one JSON and as a stream whose pieces end anywhere. */
const LARGE: readonly (readonly [form: string, say: (text: string, response: ServerResponse) => void])[] = [
  ['JSON', (text, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text)],
  [
    'events',
    (text, response) => {
      openEvents(response);
      const event = `event: message\r\ndata: ${text}\r\n\r\n`;
      for (const piece of event.split(/(?=6532)/)) response.write(piece);
      response.end();
    },
  ],
];

for (const [form, say] of LARGE)
  test(`null is read as a member that a server left out, in ${form}`, async (t) => {
    const origin = await serve(t, async (request, response) => {
      let body = '';
      for await (const piece of request) body += String(piece);
      const { id, method, params } = JSON.parse(body || '{}') as Message & { readonly params: JsonObject };
      const reply = (result: JsonObject): void =>
        say(JSON.stringify({ jsonrpc: '2.0', id, error: null, result }), response);
      const { protocolVersion = null } = params ?? {};
      const capabilities = { tools: { listChanged: null }, logging: null };
      const serverInfo = { name: 'fake', version: '1', title: null };
      if (method === 'initialize') return reply({ protocolVersion, capabilities, serverInfo, instructions: null });
      if (method === 'tools/list')
        return reply({ _meta: null, nextCursor: null, tools: [{ name: 'do', title: null }] });
      if (method !== 'tools/call') return void response.writeHead(202).end();
      return reply({ _meta: null, isError: null, structuredContent: null, content: [{ type: 'text', text: 'ok' }] });
    });
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: `${origin}/mcp` } });
    const outcome = await ask(sources, toolCall('do'));
    assert.deepEqual(summary(outcome), { succeeded: { content: [{ type: 'text', text: 'ok' }] } });
  });

const WHOLE = toOutput({ type: 'object', properties: { value: { type: 'integer' } } });

function toOutput(schema: JsonObject) {
  const compiled = createCompileSchema()('whole', schema);
  assert.ok(compiled.ok);
  return { hash: 'whole', schema, validate: compiled.value };
}

test('a server that answers 429 tells its wait in the body', async (t) => {
  const { url } = await fakeService(t, (message, response) =>
    message.method === 'tools/call'
      ? response
          .writeHead(429, { 'content-type': 'application/json' })
          .end('{"error":{"message":"Please wait 9 seconds."}}')
      : sayJson(response, resultOf(message, 0)),
  );
  const failed = failureOf(await ask(await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } }), toolCall('do')));
  assert.deepEqual([failed.http_status, failed.retry_after_ms], [429, 9_000]);
});

for (const [form, say] of LARGE)
  test(`a large number in ${form} is refused, or is a text where the source is lenient or the call may not be repeated`, async (t) => {
    const { url } = await fakeService(t, (message, response) =>
      say(JSON.stringify(resultOf(message, 0)).replace('"value":0', '"value":653247040368672767'), response),
    );
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
    const failed = failureOf(await ask(sources, toolCall('do')));
    assert.equal(failed.failure_class, 'non_json');
    assert.match(failed.failure_message, /no double holds.*"json": "lenient"/);
    for (const call of [
      toolCall('do', {}, { settings: { json: 'lenient' } }),
      toolCall('do', {}, { call: { effect: 'external_side_effect', output: WHOLE } }),
    ]) {
      const outcome = await ask(sources, call);
      assert.deepEqual(summary(outcome), { succeeded: { value: '653247040368672767' } });
      assert.match(bodyOf(outcome), /"value":653247040368672767/);
    }
  });

test("the slash at the end of a URL is the operator's: a server that knows no other path is reached", async (t) => {
  const { url } = await fakeService(t, (message, response) => sayJson(response, resultOf(message, 'fine')));
  const front = await serve(t, async (request, response) => {
    if (request.url !== '/mcp/') return response.writeHead(307, { location: '/mcp/' }).end();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const answer = await fetch(url, {
      method: request.method ?? '',
      body: pieces.length > 0 ? Buffer.concat(pieces) : null,
    });
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: `${front}/mcp/` } });
  assert.deepEqual(summary(await ask(sources, toolCall('do'))), { succeeded: { value: 'fine' } });
  const other = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: `${front}/mcp` } });
  assert.match(failureOf(await ask(other, toolCall('do'))).failure_message, /from \/mcp to \/mcp\/.*with a slash/);
});

test('a call that is stopped is taken back, and the session is given back at the end', async (t) => {
  const stop = new AbortController();
  const { url, received } = await fakeService(t, () => stop.abort());
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: url } });
  const surroundings = { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal };
  const outcome = await sources.callSource(toolCall('do'), surroundings, makeRecorder());
  assert.deepEqual(summary(outcome), { failed: 'stopped', refused: false });
  const find = (wanted: (one: Received) => boolean): Received | undefined => received.find(wanted);
  const asked = find(({ message }) => message?.method === 'tools/call');
  while (!find(({ message }) => message?.method === 'notifications/cancelled'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  const cancelled = find(({ message }) => message?.method === 'notifications/cancelled')?.message;
  assert.deepEqual(cancelled?.['params'], {
    requestId: asked?.message?.id,
    reason: 'the answer is no longer wanted',
  });
  await sources.close();
  assert.deepEqual(
    received.filter(({ http }) => http !== 'POST').map(({ http, session }) => [http, session]),
    [['DELETE', 'session-1']],
  );
});

/** What a server answers to a call in a session that was used, whether it knows the session, and what follows. */
const REPEATS: readonly {
  readonly status: number;
  readonly knows?: true;
  readonly unnamed?: true;
  readonly effect?: EffectClass;
  readonly sent: number;
  readonly second: 'succeeded' | 'failed';
}[] = [
  { status: 404, sent: 2, second: 'succeeded' },
  { status: 404, unnamed: true, sent: 1, second: 'failed' },
  { status: 400, sent: 2, second: 'succeeded' },
  { status: 401, sent: 2, second: 'succeeded' },
  { status: 503, effect: 'external_side_effect', sent: 2, second: 'succeeded' },
  { status: 500, sent: 2, second: 'succeeded' },
  { status: 500, effect: 'external_side_effect', sent: 1, second: 'failed' },
  { status: 400, knows: true, sent: 1, second: 'failed' },
  { status: 503, knows: true, sent: 1, second: 'failed' },
  { status: 429, sent: 1, second: 'failed' },
];

for (const { status, knows, unnamed, effect = 'read_only', sent, second } of REPEATS) {
  const session = unnamed ? 'without a name' : knows ? 'that the server knows' : 'that the server forgot';
  const again = sent === 1 ? 'no second time' : 'in a new session';
  test(`after status ${status} in a session ${session}, a call (${effect}) is sent ${again}`, async (t) => {
    const calls: string[] = [];
    const known = new Set<string>();
    let greeted = 0;
    const url = await serve(t, async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const { method, id } = JSON.parse(Buffer.concat(pieces).toString() || '{}') as Readonly<Record<string, unknown>>;
      const session = String(request.headers['mcp-session-id'] ?? '');
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      const reply = (result: unknown) => {
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      };
      if (method === 'initialize') {
        greeted += 1;
        if (!unnamed) headers['mcp-session-id'] = `session-${greeted}`;
        known.add(unnamed ? '' : `session-${greeted}`);
        const abilities = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
        return reply({ protocolVersion: '2025-06-18', ...abilities });
      }
      if (method === 'tools/call') {
        calls.push(session);
        if (calls.length === 2 && !knows && status !== 429) known.delete(session);
        if (calls.length === 2) return response.writeHead(status).end();
      }
      if (!known.has(session)) return response.writeHead(status).end();
      if (method === 'ping') return reply({});
      if (method === 'tools/list') return reply({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
      if (method !== 'tools/call') return response.writeHead(202).end();
      return reply({ content: [{ type: 'text', text: 'done' }] });
    });
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: `${url}/mcp` } });
    const act = toolCall('act', {}, { call: { effect } });
    assert.equal((await ask(sources, act)).status, 'succeeded');
    assert.equal((await ask(sources, act)).status, second);
    assert.equal(calls.length, 1 + sent);
    assert.equal(greeted, known.has('session-1') || second === 'failed' ? 1 : 2, 'a known session is kept');
    assert.equal((await ask(sources, act)).status, 'succeeded', 'the call after that finds the server');
  });
}
