import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import type { Connection } from '../../engine/generated/connection.js';
import { toolCall } from '../plugins/mcp-servers.js';
import { over, storeOf } from './connection-support.js';
import {
  ask,
  chatCall,
  findFreeOrigin,
  jsonCall,
  makeRecorder,
  openTestSources,
  serve,
  storedText,
  summary,
  writePlugin,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

const SECRET = 'canary-5f3e-91ab-77c2';
const BASIC = Buffer.from(`clerk:${SECRET}`).toString('base64');

/** A service of JSON, a model and an MCP server alike, which repeats all that it is sent. */
async function serveEcho(t: TestContext) {
  const requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const url = await serve(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const { method, id } = JSON.parse(body || '{}') as { readonly method?: string; readonly id?: number };
    const { headers, url: asked = '' } = request;
    requests.push({ url: asked, headers });
    response.setHeader('content-type', 'application/json');
    if (asked.includes('/chat/completions')) {
      const message = { role: 'assistant', content: JSON.stringify(headers) };
      return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    }
    const results: Readonly<Record<string, Json>> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1' },
      },
      'tools/list': { tools: [{ name: 'do', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [], structuredContent: { headers: headers as Json } },
    };
    const result = method === undefined ? undefined : results[method];
    if (method !== undefined && result === undefined) return response.writeHead(202).end();
    return response.end(JSON.stringify(result === undefined ? { asked, headers } : { jsonrpc: '2.0', id, result }));
  });
  return { url, requests };
}

const KINDS: Readonly<Record<string, (origin: string) => Connection>> = {
  header: (origin) => ({ kind: 'header', origin, name: 'X-Api-Key', secret: SECRET }),
  bearer: (origin) => ({ kind: 'bearer', origin, secret: SECRET }),
  basic: (origin) => ({ kind: 'basic', origin, user: 'clerk', secret: SECRET }),
  query: (origin) => ({ kind: 'query', origin, name: 'key', secret: SECRET }),
};

const CALLS = {
  http_json: jsonCall(),
  llm_chat: chatCall({}, { base_url_env: 'CHUKWA_TEST_URL', stream: false }),
  mcp_tool: toolCall('do'),
};

for (const [kind, toConnection] of Object.entries(KINDS))
  for (const [plugin, call] of Object.entries(CALLS))
    test(`each request of ${plugin} gets the ${kind} of its connection, and no record holds it`, async (t) => {
      const { url, requests } = await serveEcho(t);
      const logged: string[] = [];
      const sources = await openTestSources(t, {
        connection_store: storeOf({ desk: toConnection(url) }),
        overlay: { CHUKWA_MCP_TEST: `${url}/api`, CHUKWA_TEST_URL: `${url}/api` },
        log: (remark) => void logged.push(JSON.stringify(remark)),
      });
      const outcome = await ask(sources, over('desk', call));
      assert.equal(outcome.status, 'succeeded', JSON.stringify(outcome));
      assert.ok(requests.length > 0);
      for (const { url: asked, headers } of requests) {
        const sent = {
          header: headers['x-api-key'],
          bearer: headers.authorization?.replace('Bearer ', ''),
          basic: headers.authorization?.replace(`Basic ${BASIC}`, SECRET),
          query: new URL(asked, url).searchParams.get('key'),
        }[kind];
        assert.equal(sent, SECRET, asked);
      }
      const stored = storedText(outcome) + logged.join('\n');
      for (const canary of [SECRET, BASIC]) assert.ok(!stored.includes(canary), stored);
      if (kind !== 'query' || plugin === 'http_json') assert.match(stored, /\[secret:connection:desk\]/);
    });

test('a connection is for one origin: a source that leads elsewhere is refused, and nobody is asked', async (t) => {
  const [own, other] = [await serveEcho(t), await serveEcho(t)];
  for (const elsewhere of [other.url, own.url.replace('127.0.0.1', 'localhost'), own.url.replace('http:', 'https:')]) {
    const sources = await openTestSources(t, {
      connection_store: storeOf({ desk: { kind: 'bearer', origin: own.url, secret: SECRET } }),
      overlay: { CHUKWA_TEST_URL: elsewhere },
    });
    const recorder = makeRecorder();
    const outcome = await ask(sources, over('desk', jsonCall()), recorder);
    assert.deepEqual(summary(outcome), { failed: 'policy_denied', refused: true });
    assert.match(
      storedText(outcome),
      /the connection desk is for http:\/\/127\.0\.0\.1:\d+ alone, and CHUKWA_TEST_URL/,
    );
    assert.deepEqual(recorder.events, []);
  }
  assert.deepEqual([...own.requests, ...other.requests], []);
});

test('a redirect gets nothing of a connection', async (t) => {
  const other = await serveEcho(t);
  const url = await serve(t, (_, response) => response.writeHead(307, { location: `${other.url}/?${SECRET}` }).end());
  const connections = storeOf({ desk: { kind: 'query', origin: url, name: 'key', secret: SECRET } });
  const sources = await openTestSources(t, { connection_store: connections, overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, over('desk', jsonCall()));
  assert.deepEqual(summary(outcome), { failed: 'http_status', refused: false });
  assert.ok(!storedText(outcome).includes(SECRET));
  assert.deepEqual(other.requests, []);
});

test('a connection that the profile or the run does not grant is refused before anything of it is read', async (t) => {
  const connections = storeOf({ desk: { kind: 'bearer', origin: await findFreeOrigin(), secret: SECRET } });
  const sources = await openTestSources(t, {
    connection_store: connections,
    overlay: { CHUKWA_TEST_URL: await findFreeOrigin() },
  });
  for (const granted of [[], ['till']]) {
    const outcome = await ask(sources, over('desk', jsonCall(), granted));
    assert.deepEqual(summary(outcome), { failed: 'policy_denied', refused: true });
    assert.match(storedText(outcome), /the connection desk is not granted/);
  }
  assert.deepEqual(connections.read, []);
});

test('a connection that nobody has set is unavailable, and the message says how to set it', async (t) => {
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: await findFreeOrigin() } });
  const command = over('post-office', jsonCall());
  const outcome = await ask(sources, command);
  assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
  assert.match(storedText(outcome), /chukwa connections add post-office, or set CHUKWA_CONNECTION_POST_OFFICE/);
  assert.match((await sources.findObstacle(command.call.source)) ?? '', /there is no connection post-office/);
});

test('a program that a command starts can have no connection', async (t) => {
  const connections = storeOf({ desk: { kind: 'bearer', origin: 'http://127.0.0.1:1', secret: SECRET } });
  const sources = await openTestSources(t, {
    connection_store: connections,
    overlay: { CHUKWA_MCP_TEST: process.execPath },
  });
  const outcome = await ask(sources, over('desk', toolCall('do')));
  assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
});

test('a secret is read when a call is made, and both the old and the new one are replaced', async (t) => {
  const { url, requests } = await serveEcho(t);
  const connections = storeOf({ desk: { kind: 'bearer', origin: url, secret: SECRET } });
  const sources = await openTestSources(t, { connection_store: connections, overlay: { CHUKWA_TEST_URL: url } });
  await ask(sources, over('desk', jsonCall()));
  connections.connections['desk'] = { kind: 'bearer', origin: url, secret: 'canary-changed-0042' };
  const outcome = await ask(sources, over('desk', jsonCall({ request: { late: SECRET } })));
  assert.equal(requests.at(-1)?.headers.authorization, 'Bearer canary-changed-0042');
  assert.ok(!storedText(outcome).includes('canary-'), storedText(outcome));
});

test('two connections of one MCP server have a session each', async (t) => {
  const { url, requests } = await serveEcho(t);
  const other = 'canary-of-the-other-0007';
  const connections = storeOf({
    desk: { kind: 'bearer', origin: url, secret: SECRET },
    till: { kind: 'bearer', origin: url, secret: other },
  });
  const sources = await openTestSources(t, { connection_store: connections, overlay: { CHUKWA_MCP_TEST: url } });
  for (const id of ['desk', 'till', 'desk']) await ask(sources, over(id, toolCall('do')));
  const sent = requests.map(({ headers }) => headers.authorization);
  const handshake = ['Bearer A', 'Bearer A', 'Bearer A', 'Bearer A'];
  assert.deepEqual(
    sent.map((value) => value?.replace(SECRET, 'A').replace(other, 'B')),
    [...handshake, ...handshake.map((value) => value.replace('A', 'B')), 'Bearer A'],
  );
});

test("what a connection adds replaces a plugin's own header and a model's own member of the query", async (t) => {
  const { url, requests } = await serveEcho(t);
  const connections = storeOf({
    desk: { kind: 'query', origin: url, name: 'key', secret: SECRET },
    till: { kind: 'header', origin: url, name: 'Accept-Language', secret: SECRET },
  });
  const sources = await openTestSources(t, { connection_store: connections, overlay: { CHUKWA_TEST_URL: url } });
  const settings = { method: 'GET', headers: { 'Accept-Language': 'de' } };
  const request = { key: 'of the model', q: 'a b' };
  await ask(sources, over('desk', jsonCall({ request }, settings)));
  await ask(sources, over('till', jsonCall({ request: {} }, settings)));
  assert.deepEqual(
    [...new URL(requests[0]?.url ?? '', url).searchParams],
    [
      ['q', 'a b'],
      ['key', SECRET],
    ],
  );
  assert.equal(requests[1]?.headers['accept-language'], SECRET);
});

const CURIOUS = `
const seen = [];
const look = (value, depth = 0) => {
  if (typeof value === 'string') seen.push(value);
  if (typeof value !== 'object' || value === null || depth > 6) return;
  for (const name of Reflect.ownKeys(value)) { seen.push(String(name)); look(value[name], depth + 1); }
};
export default {
  open(definition, capabilities) {
    look(definition); look(capabilities);
    return { invoke: async (request, context) => { look(request); look(context); await capabilities.origin.fetch('/', {}, context); return { value: seen }; } };
  },
};`;

test("a plugin is handed the connection's id, and never its secret nor that of a secret header", async (t) => {
  const { url, requests } = await serveEcho(t);
  const folder = await makeFolder(t);
  const manifest = {
    origin: { interface_field: 'url_env' },
    secret_variable_fields: ['secret_headers'],
    secret_headers_field: 'secret_headers',
  };
  await writePlugin(folder, 'curious', CURIOUS, manifest, ['url_env', 'secret_headers']);
  const sources = await openTestSources(t, {
    folders: [folder],
    connection_store: storeOf({ desk: { kind: 'bearer', origin: url, secret: SECRET } }),
    overlay: { CHUKWA_TEST_URL: url, CHUKWA_A_KEY: 'canary-of-a-header-01' },
  });
  const settings = { name: 'curious', secret_headers: { 'X-A-Key': 'CHUKWA_A_KEY' } };
  const outcome = await ask(sources, over('desk', jsonCall({}, settings)));
  assert.ok(outcome.status === 'succeeded', JSON.stringify(outcome));
  const seen = outcome.view as readonly string[];
  assert.ok(seen.includes('desk'));
  assert.deepEqual(
    seen.filter((text) => text.includes('[secret:') || text.includes('canary')),
    [],
  );
  const { authorization, 'x-a-key': key } = requests[0]?.headers ?? {};
  assert.deepEqual([authorization, key], [`Bearer ${SECRET}`, 'canary-of-a-header-01']);
});
