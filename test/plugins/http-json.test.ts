import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { compileShipped } from '../../engine/schema/compile-schema.js';
import { parseAnswer } from '../../engine/sources/parse-answer.js';
import { readAnswer } from '../../plugins/http_json/answer.js';
import { toHttpRequest } from '../../plugins/http_json/request.js';
import { ask, jsonCall, openTestSources, serve, summary } from '../sources/harness.js';

const TOLD = { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TEST_URL', path: '/buy_candy' } as const;

const CALL = { client_request_id: 'park/turn-1/x', correlation_id: 'call-1' };

test('a request is JSON that names its call', () => {
  assert.deepEqual(toHttpRequest(TOLD, 'http://toy.test/v1', { candy: 'mars' }, CALL), {
    url: 'http://toy.test/v1/buy_candy',
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-client-request-id': 'park/turn-1/x',
      'x-chukwa-correlation-id': 'call-1',
    },
    body: '{"candy":"mars"}',
  });
});

const ANSWERS: readonly (readonly [number, string, unknown])[] = [
  [200, '{"a":[1]}', { a: [1] }],
  [201, '\uFEFFnull', null],
  [299, ' "x" ', 'x'],
  [199, '{}', 'http_status'],
  [300, '{}', 'http_status'],
  [404, '{"error":"no"}', 'http_status'],
  [200, '', 'non_json'],
  [200, '{]', 'non_json'],
  [200, '{"id":1,"id":2}', 'non_json'],
  [200, '{"id":12345678901234567890}', 'non_json'],
  [200, '{"id":1e400}', 'non_json'],
  [200, '"\\ud83d"', 'non_json'],
  [200, '"\\u0000"', 'non_json'],
];

for (const [status, body, expected] of ANSWERS) {
  test(`status ${status} with the body ${JSON.stringify(body)} is ${JSON.stringify(expected)}`, () => {
    const answer = readAnswer(status, new TextEncoder().encode(body), parseAnswer);
    assert.deepEqual(answer.ok ? answer.value : answer.failure_class, expected);
  });
}

test('a path stays below its service', async () => {
  const file = new URL('../../plugins/http_json/interface.schema.json', import.meta.url);
  const validate = compileShipped(JSON.parse(await readFile(file, 'utf8')) as JsonObject);
  const isGood = (path: string): boolean => validate({ ...TOLD, path }).length === 0;
  for (const path of ['/', '/a', '/a/b_c-d.json', '/a/', '/..a/b..', '/.well-known/x']) assert.ok(isGood(path), path);
  for (const path of [
    '',
    'a',
    '//evil.test',
    '/a//b',
    '/..',
    '/a/../b',
    '/a/.',
    '/a?b=c',
    '/a#b',
    '/%2e%2e/',
    '/a\\b',
    '/a b',
    '/a\n',
    'http://evil.test/',
  ]) {
    assert.ok(!isGood(path), path);
  }
});

test('the service hears the canonical request at its path, below the path of its URL', async (t) => {
  const heard: { url?: string | undefined; method?: string | undefined; headers: IncomingHttpHeaders; body: string }[] =
    [];
  const url = await serve(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    heard.push({ url: request.url, method: request.method, headers: request.headers, body });
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r-1' }).end('{"sold": "mars"}');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: `${url}/base/` } });
  const outcome = await ask(sources, jsonCall({ request: { b: 1, a: { d: 2, c: 'é' } } }));
  assert.deepEqual(summary(outcome), { succeeded: { sold: 'mars' } });
  assert.equal(outcome.http_status, 200);
  assert.equal(outcome.response_headers?.['x-request-id'], 'r-1');
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{"sold": "mars"}');
  const [request] = heard;
  assert.equal(heard.length, 1);
  assert.deepEqual(
    [request?.method, request?.url, request?.body],
    ['POST', '/base/answer', '{"a":{"c":"é","d":2},"b":1}'],
  );
  assert.equal(request?.headers['x-client-request-id'], 'park/turn-1/bob/act/round-1/try-1');
  assert.equal(request?.headers['content-type'], 'application/json');
});
