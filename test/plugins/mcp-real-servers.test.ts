import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { ask, makeRecorder, openTestSources, serve, summary } from '../sources/harness.js';
import { makeFolder } from '../support/folder.js';
import { bodyOf, commandOf, failureOf, startHttpServer, toolCall } from './mcp-servers.js';

const BOB = { name: 'bob', entityType: 'person', observations: ['likes candy'] };

test('server-memory over stdio: one program keeps the memory of several sources', async (t) => {
  const file = join(await makeFolder(t), 'memory.jsonl');
  const command = commandOf('memory', [], { MEMORY_FILE_PATH: file });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: command } });
  const created = await ask(sources, toolCall('create_entities', { entities: [BOB] }));
  assert.deepEqual(summary(created), { succeeded: { entities: [BOB] } });
  assert.match(bodyOf(created), /"structuredContent"/);
  const found = await ask(sources, toolCall('search_nodes', { query: 'candy' }));
  assert.deepEqual(summary(found), { succeeded: { entities: [BOB], relations: [] } });
  assert.match(await readFile(file, 'utf8'), /likes candy/);
});

test('server-filesystem over stdio: a file of its folder is read, and one outside of it is a tool_error', async (t) => {
  const folder = await makeFolder(t);
  await writeFile(join(folder, 'note.txt'), 'meet at noon');
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: commandOf('filesystem', [folder]) } });
  const read = await ask(sources, toolCall('read_text_file', { path: join(folder, 'note.txt') }));
  assert.deepEqual(summary(read), { succeeded: { content: 'meet at noon' } });
  const outside = await ask(sources, toolCall('read_text_file', { path: '/etc/hostname' }));
  assert.deepEqual(summary(outside), { failed: 'tool_error', refused: false });
  assert.match(bodyOf(outside), /outside allowed directories/);
  assert.match(failureOf(outside).failure_message, /answered that it failed; it said: .*outside allowed directories/);
});

/** The same server behind a command and behind a URL, and the same answers. */
const PLACES = {
  stdio: async () => commandOf('everything'),
  'Streamable HTTP': startHttpServer,
} as const;

for (const [transport, findPlace] of Object.entries(PLACES)) {
  test(`server-everything over ${transport}`, async (t) => {
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: await findPlace(t) } });
    const call = async (tool_name: string, request: Json, settings: JsonObject = {}): Promise<Json> =>
      summary(await ask(sources, toolCall(tool_name, request, { settings })));
    const [echo, weather, image] = await Promise.all([
      call('echo', { message: 'hello' }),
      call('get-structured-content', { location: 'Chicago' }),
      call('get-tiny-image', {}),
    ]);
    assert.deepEqual(echo, { succeeded: { content: [{ type: 'text', text: 'Echo: hello' }] } });
    assert.deepEqual(weather, { succeeded: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 } });
    assert.deepEqual((image as { succeeded: JsonObject }).succeeded['left_out'], ['image']);
    assert.deepEqual(await call('echo', { message: 'hello' }, { text: 'json' }), {
      failed: 'non_json',
      refused: false,
    });
    assert.deepEqual(await call('echo', { wrong: 1 }), { failed: 'tool_error', refused: false });
    assert.deepEqual(await call('echo', ['hello']), { failed: 'unavailable', refused: false });
    const missing = failureOf(await ask(sources, toolCall('no-such-tool')));
    assert.equal(missing.failure_class, 'unavailable');
    assert.match(missing.failure_message, /has no tool no-such-tool; it has .*\becho\b/);
  });

  test(`a slow tool over ${transport} is cut at the source's own time, and the server answers the next call`, async (t) => {
    const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: await findPlace(t) } });
    const slow = { duration: 60, steps: 60 };
    await ask(sources, toolCall('echo', { message: 'up' }));
    const late = await ask(
      sources,
      toolCall('trigger-long-running-operation', slow, { settings: { timeout_ms: 300 } }),
    );
    assert.deepEqual(summary(late), { failed: 'timeout', refused: false });
    assert.match(failureOf(late).failure_message, /300 ms.*timeout_ms/);
    const cut = await ask(sources, toolCall('trigger-long-running-operation', slow, { deadline_ms: 300 }));
    assert.deepEqual(summary(cut), { failed: 'timeout', refused: false });
    const next = await ask(sources, toolCall('echo', { message: 'still here' }));
    assert.deepEqual(summary(next), { succeeded: { content: [{ type: 'text', text: 'Echo: still here' }] } });
  });
}

test('a stopped turn leaves no call running', async (t) => {
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: commandOf('everything') } });
  await ask(sources, toolCall('echo', { message: 'up' }));
  const stop = new AbortController();
  const recorder = makeRecorder({ started: async () => void setTimeout(() => stop.abort(), 50) });
  const surroundings = { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal };
  const command = toolCall('trigger-long-running-operation', { duration: 60, steps: 60 });
  const outcome = await sources.callSource(command, surroundings, recorder);
  assert.deepEqual(summary(outcome), { failed: 'stopped', refused: false });
});

test('a server of another session knows nothing of ours: the call is asked again in a new one', async (t) => {
  const real = await startHttpServer(t);
  let forgotten = false;
  const sessions = new Set<string>();
  const proxy = await serve(t, async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (session !== '') sessions.add(session);
    if (forgotten && session !== '') {
      forgotten = false;
      response.writeHead(404).end();
      return;
    }
    const headers = Object.entries(request.headers).filter(([name]) => /^(accept|content-type|mcp-)/.test(name));
    const answer = await fetch(real, {
      method: request.method ?? 'POST',
      headers: headers as [string, string][],
      ...(pieces.length > 0 ? { body: Buffer.concat(pieces) } : {}),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers.entries()));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_MCP_TEST: `${proxy}/mcp` } });
  const echo = toolCall('echo', { message: 'hello' });
  assert.equal((await ask(sources, echo)).status, 'succeeded');
  forgotten = true;
  assert.equal((await ask(sources, echo)).status, 'succeeded');
  assert.equal(sessions.size, 2);
});
