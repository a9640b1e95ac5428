import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { CallOutcome } from '../../engine/ports/sources.js';
import {
  ask,
  findFreeOrigin,
  jsonCall,
  openTestSources,
  serve,
  summary,
  type Wanted,
  type Listener,
} from './harness.js';

interface Hostile {
  readonly name: string;
  readonly server: Listener;
  readonly failed: string;
  readonly message: RegExp;
  readonly wanted?: Wanted;
  readonly settings?: { readonly timeout_ms: number };
  readonly also?: (outcome: CallOutcome) => void;
}

const says =
  (body: string | Uint8Array, status = 200): Listener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };

function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
}

const SHORT: Wanted = { deadline_ms: 100 };

const HOSTILE: readonly Hostile[] = [
  {
    name: 'says 100 Continue unasked',
    server: (_, response) => response.writeContinue(),
    failed: 'transport',
    message: /answered with 100 Continue, which was not requested/,
  },
  {
    name: 'goes over to another protocol',
    server: (_, response) =>
      void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chess\r\n\r\n'),
    failed: 'transport',
    message: /goes on by another protocol \(101\)/,
  },
  { name: 'never answers', server: () => {}, failed: 'timeout', message: /within 100 ms/, wanted: SHORT },
  {
    name: 'drips past the deadline',
    server: (_, response) => drip(response),
    failed: 'timeout',
    message: /within 100 ms/,
    wanted: SHORT,
  },
  {
    name: 'is slower than the source allows',
    server: () => {},
    failed: 'timeout',
    message: /timeout_ms/,
    settings: { timeout_ms: 50 },
  },
  {
    name: 'drips longer than the source allows',
    server: (_, response) => drip(response),
    failed: 'timeout',
    message: /timeout_ms/,
    settings: { timeout_ms: 50 },
  },
  { name: 'sends 50 MB', server: says(Buffer.alloc(50_000_000, 0x20)), failed: 'result_too_large', message: /32768/ },
  {
    name: 'sends a small body that unpacks to 5 MB',
    server: (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(5_000_000, 0x20)));
    },
    failed: 'result_too_large',
    message: /32768/,
  },
  {
    name: 'sends many bytes that unpack to nothing',
    server: (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(Buffer.concat(Array.from({ length: 4_000 }, () => gzipSync(''))));
    },
    failed: 'result_too_large',
    message: /32768/,
  },
  {
    name: 'redirects to another origin',
    server: (_, response) => response.writeHead(302, { location: 'http://user:hunter2@evil.test/?q=1' }).end(),
    failed: 'http_status',
    message: /redirect \(302\) to http:\/\/evil\.test, .*CHUKWA_TEST_URL/,
    also: (outcome) => assert.equal(outcome.http_status, 302),
  },
  {
    name: 'refuses with a body',
    server: (_, response) => response.writeHead(503, { 'retry-after': '7', 'set-cookie': 'a=b' }).end('<p>busy</p>'),
    failed: 'http_status',
    message: /status 503/,
    also: (outcome) => {
      assert.equal(outcome.http_status, 503);
      assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '<p>busy</p>');
      assert.equal(outcome.response_headers?.['retry-after'], '7');
      assert.equal(outcome.status === 'failed' ? outcome.retry_after_ms : undefined, 7000);
      assert.equal(outcome.response_headers?.['set-cookie'], undefined);
    },
  },
  {
    name: 'refuses without an end',
    server: (_, response) => {
      response.writeHead(500);
      response.write('no candy');
    },
    failed: 'http_status',
    message: /status 500/,
    wanted: { deadline_ms: 1_000, call: { effect: 'external_side_effect' } },
    also: (outcome) => {
      assert.equal(outcome.http_status, 500);
      assert.equal(Buffer.from(outcome.response_body ?? []).toString(), 'no candy');
      assert.equal(outcome.status === 'failed' && outcome.outcome_unknown, undefined);
    },
  },
  {
    name: 'is a gateway that refuses without an end',
    server: (_, response) => void response.writeHead(502).write('no candy'),
    failed: 'http_status',
    message: /status 502.*it is unknown whether its side effect took place/,
    wanted: { deadline_ms: 1_000, call: { effect: 'external_side_effect' } },
    also: (outcome) => assert.equal(outcome.status === 'failed' && outcome.outcome_unknown, true),
  },
  {
    name: 'refuses with 50 MB',
    server: says(Buffer.alloc(50_000_000), 500),
    failed: 'http_status',
    message: /status 500/,
  },
  {
    name: 'does not speak JSON',
    server: says('<!doctype html>'),
    failed: 'non_json',
    message: /JSON/,
    also: (outcome) => assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '<!doctype html>'),
  },
  { name: 'sends half an object', server: says('{"candy": '), failed: 'non_json', message: /JSON/ },
  { name: 'sends nothing', server: says(''), failed: 'non_json', message: /empty/ },
  {
    name: 'sends what is not UTF-8',
    server: says(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    failed: 'non_json',
    message: /UTF-8/,
  },
  {
    name: 'sends U+0000',
    server: says('{"note":"a\\u0000b"}'),
    failed: 'non_json',
    message: /U\+0000 \(at character 9\)/,
  },
  {
    name: 'names a member twice',
    server: says('{"pin":1,"pin":2}'),
    failed: 'non_json',
    message: /twice \(at character 10\)/,
  },
  {
    name: 'sends an integer that no double holds',
    server: says('{"n":12345678901234567890}'),
    failed: 'non_json',
    message: /no double holds/,
  },
  { name: 'sends half a character', server: says('{"note":"\\ud83d"}'), failed: 'non_json', message: /surrogate/ },
  {
    name: 'sends a number beyond doubles',
    server: says('{"n":1e999}'),
    failed: 'non_json',
    message: /no double holds/,
  },
  {
    name: 'nests too deeply',
    server: says(`${'['.repeat(9_000)}${']'.repeat(9_000)}`),
    failed: 'non_json',
    message: /deeper/,
  },
  {
    name: 'breaks off in the middle of its body',
    server: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"candy":', () => response.destroy());
    },
    failed: 'transport',
    message: /CHUKWA_TEST_URL/,
    also: (outcome) => assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{"candy":'),
  },
  {
    name: 'hangs up without a word',
    server: (request) => request.socket.destroy(),
    failed: 'transport',
    message: /closed the connection/,
  },
  {
    name: 'sends a body that is not packed as it says',
    server: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"plain":true}'),
    failed: 'transport',
    message: /CHUKWA_TEST_URL/,
  },
];

for (const { name, server, failed, message, wanted, settings, also } of HOSTILE) {
  test(`a server that ${name} fails the call as ${failed}`, async (t) => {
    const url = await serve(t, server);
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    const outcome = await ask(sources, jsonCall(wanted, settings));
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', message);
    also?.(outcome);
  });
}

test('a service that is not there fails the call and is named with its variable', async (t) => {
  const url = await findFreeOrigin();
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall());
  assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
  const message = outcome.status === 'failed' ? outcome.failure_message : '';
  assert.ok(message.startsWith(`${url} (CHUKWA_TEST_URL) refused the connection`), message);
});

test('a connection that was closed between two calls does not fail the second', async (t) => {
  let connections = 0;
  const url = await serve(t, (request, response) => {
    connections += 1;
    response.end('{"ok":true}', () => request.socket.destroy());
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  for (let count = 1; count <= 2; count += 1) {
    assert.deepEqual(summary(await ask(sources, jsonCall())), { succeeded: { ok: true } });
    assert.equal(connections, count);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test('an answer of exactly the limit passes', async (t) => {
  const body = JSON.stringify('x'.repeat(98));
  const url = await serve(t, says(body));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const limits = { max_runtime_ms: 20_000, max_request_bytes: 8_192 };
  const fits = await ask(sources, jsonCall({ call: { limits: { ...limits, max_result_bytes: 100 } } }));
  const exceeds = await ask(sources, jsonCall({ call: { limits: { ...limits, max_result_bytes: 99 } } }));
  assert.deepEqual([fits.status, summary(exceeds)], ['succeeded', { failed: 'result_too_large', refused: false }]);
});
