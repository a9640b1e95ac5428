import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { ask, chatCall, jsonCall, openTestSources, serve, summary, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

test('a protocol that says things twice has room for it on the wire, and its result has none', async (t) => {
  const folder = await makeFolder(t);
  const twice = `export default { open: (definition, { origin }) => ({
    invoke: async (request) => ({ value: (await (await origin.fetch('/' + definition.interface.name)).json()).slice(0, request) }),
  }) };`;
  const origin = { variables: ['CHUKWA_TEST_URL'] };
  await writePlugin(folder, 'plain', twice, { origin });
  await writePlugin(folder, 'wrapped', twice, { origin, wire_overhead: { factor: 2, bytes: 50 } });
  const bodies = { plain: 100, wrapped: 250 };
  let more = 0;
  const url = await serve(t, (request, response) => {
    const bytes = request.url === '/plain' ? bodies.plain : bodies.wrapped;
    response.end(JSON.stringify('x'.repeat(bytes - 2 + more)));
  });
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
  const limits = { max_runtime_ms: 20_000, max_request_bytes: 100, max_result_bytes: 100 };
  const askFor = async (name: string, length: number): Promise<Json> =>
    summary(await ask(sources, jsonCall({ request: length, call: { limits } }, { name })));
  for (const name of ['plain', 'wrapped']) assert.deepEqual(await askFor(name, 50), { succeeded: 'x'.repeat(50) });
  assert.deepEqual(await askFor('wrapped', 150), { failed: 'result_too_large', refused: false });
  more = 1;
  for (const name of ['plain', 'wrapped'])
    assert.deepEqual(await askFor(name, 50), { failed: 'result_too_large', refused: false });
});

test('the stream of a model has room for the events around its text', async (t) => {
  const folder = await makeFolder(t);
  const reads = `export default { open: (definition, { origin }) => ({
    invoke: async () => ({ value: { text: String((await (await origin.fetch('/')).text()).length), finish_reason: 'stop' } }),
  }) };`;
  await writePlugin(folder, 'reads', reads, { speaks: 'chat', origin: { variables: ['CHUKWA_TEST_URL'] } });
  const most = 100 * 512 + 1_048_576;
  let bytes = most;
  const url = await serve(t, (_, response) => response.end(Buffer.alloc(bytes)));
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
  const limits = { max_runtime_ms: 20_000, max_request_bytes: 100, max_result_bytes: 100 };
  const askFor = async (): Promise<Json> =>
    summary(await ask(sources, chatCall({ call: { limits } }, { name: 'reads' })));
  assert.deepEqual(await askFor(), { succeeded: { text: `${most}`, finish_reason: 'stop' } });
  bytes += 1;
  assert.deepEqual(await askFor(), { failed: 'result_too_large', refused: false });
});
