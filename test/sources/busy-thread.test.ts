import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ask, chatCall, ended, jsonCall, openTestSources } from './harness.js';

// The service runs in a thread of its own: it answers while the thread that calls it is busy.

/** Posts a message when a request has come, and answers soon after. */
const SERVICE = `
  const { createServer } = require('node:http');
  const { gzipSync } = require('node:zlib');
  const { parentPort } = require('node:worker_threads');
  const chunk = (choice) => 'data: ' + JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] }) + '\\n\\n';
  createServer((request, response) => {
    request.resume().on('end', () => {
      parentPort.postMessage('asked');
      setTimeout(() => {
        if (request.url.startsWith('/zip')) return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"ok":true}'));
        if (request.url.startsWith('/answer')) return response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(chunk({ delta: { content: '{}' } }) + chunk({ delta: {}, finish_reason: 'stop' }) + 'data: [DONE]\\n\\n');
      }, 20);
    });
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;

/** Keeps the thread busy for as long as the call's time, and longer, as soon as its request has arrived. */
async function serveWhileBusy(t: TestContext): Promise<string> {
  const service = new Worker(SERVICE, { eval: true });
  t.after(() => service.terminate());
  const [port] = await once(service, 'message');
  service.on('message', () => {
    const until = performance.now() + 2 * DEADLINE_MS;
    while (performance.now() < until);
  });
  return `http://127.0.0.1:${String(port)}`;
}

const DEADLINE_MS = 400;
const ACTS = { deadline_ms: DEADLINE_MS, call: { effect: 'external_side_effect' } } as const;

describe('an answer that came while the thread was busy is read after the deadline, and no doubt is left', () => {
  for (const [kind, command] of [
    ['JSON', jsonCall(ACTS)],
    ['JSON that is compressed', jsonCall(ACTS, { path: '/zip' })],
    ['a stream of a model', chatCall({ deadline_ms: DEADLINE_MS })],
  ] as const)
    test(kind, async (t) => {
      const url = await serveWhileBusy(t);
      const lookUp = (name: string): string | undefined => ({ CHUKWA_TEST_URL: url, CHUKWA_LLM_BASE_URL: url })[name];
      const sources = await openTestSources(t, { lookUp });
      const outcome = ended(await ask(sources, command));
      assert.equal(outcome.status, 'succeeded', JSON.stringify(outcome));
    });
});
