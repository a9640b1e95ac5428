import assert from 'node:assert/strict';
import { once } from 'node:events';
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
  writePlugin,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

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

/** Says this in the place of a response, whatever it is. */
const saysRaw =
  (text: string): Listener =>
  ({ socket }) =>
    void socket.end(text);

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
    message: /switched protocols \(101\), which was not requested/,
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
    name: 'redirects to what is no place',
    server: (_, response) => response.writeHead(302, { location: 'javascript:alert(1)' }).end(),
    failed: 'http_status',
    message: /redirect \(302\), and redirects are not followed/,
  },
  ...[301, 302, 303, 307, 308].map(
    (status): Hostile => ({
      name: `redirects to its own origin by ${status}`,
      server: (_, response) => response.writeHead(status, { location: '/elsewhere' }).end('{}'),
      failed: 'http_status',
      message: new RegExp(`redirect \\(${status}\\) to another of its own paths, and redirects are not followed`),
    }),
  ),
  {
    name: 'redirects to the same path with a slash',
    server: ({ headers }, response) =>
      response.writeHead(307, { location: `http://${headers.host}/answer/` }).end('{}'),
    failed: 'http_status',
    message: /redirect \(307\) from \/answer to \/answer\/, and .*: write the path so, with a slash at its end/,
  },
  {
    name: 'answers with the last status that HTTP defines',
    server: saysRaw('HTTP/1.1 599 Odd\r\ncontent-length: 2\r\n\r\n{}'),
    failed: 'http_status',
    message: /POST .*\/answer answered with status 599/,
    also: (outcome) => assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{}'),
  },
  {
    name: 'answers with a status that HTTP does not define',
    server: saysRaw('HTTP/1.1 600 Odd\r\ncontent-length: 2\r\n\r\n{}'),
    failed: 'http_status',
    message: /^http:\/\/127\.0\.0\.1:\d+ \(CHUKWA_TEST_URL\) answered with status 600$/,
    also: (outcome) => assert.equal(outcome.http_status, 600),
  },
  {
    name: 'speaks no HTTP',
    server: saysRaw('220 ready\r\n'),
    failed: 'transport',
    message: /\(CHUKWA_TEST_URL\) answered with what is no HTTP$/,
  },
  {
    name: 'sends headers without measure',
    server: saysRaw(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
    failed: 'transport',
    message: /\(CHUKWA_TEST_URL\) answered with headers that are too large$/,
  },
  {
    name: 'names two lengths of its body',
    server: saysRaw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} '),
    failed: 'transport',
    message: /\(CHUKWA_TEST_URL\) answered with a body of another length than its content-length$/,
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
      assert.equal(outcome.status === 'failed' && outcome.outcome_unknown, true);
    },
  },
  {
    name: 'is a gateway that refuses without an end',
    server: (_, response) => void response.writeHead(502).write('no candy'),
    failed: 'http_status',
    message: /status 502: this may pass by itself.*; it is unknown whether its side effect took place$/,
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
  ...['gzip', 'deflate', 'br'].map(
    (coding): Hostile => ({
      name: `sends a body that is not packed in ${coding} as it says`,
      server: (_, response) => response.writeHead(200, { 'content-encoding': coding }).end('{"plain":true}'),
      failed: 'transport',
      message: /CHUKWA_TEST_URL.* cannot be decompressed/,
    }),
  ),
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
  const outcome = await ask(sources, jsonCall({ call: { effect: 'external_side_effect' } }));
  assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
  assert.ok(outcome.status === 'failed');
  assert.equal(
    outcome.failure_message,
    `${url} (CHUKWA_TEST_URL) refused the connection: is the service running there?`,
  );
  assert.equal(outcome.outcome_unknown, undefined);
});

test('a service whose name cannot be resolved is named with its variable', async (t) => {
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: `http://${'no-'.repeat(21)}name.invalid` } });
  const outcome = await ask(sources, jsonCall());
  assert.match(
    outcome.status === 'failed' ? outcome.failure_message : '',
    /\(CHUKWA_TEST_URL\) is a name that cannot be resolved$/,
  );
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

test('a service may close the connection before its long answer is read', async (t) => {
  const body = 'x'.repeat(200_000);
  let closed: Promise<unknown> | undefined;
  const url = await serve(t, (request, response) => {
    if (request.url === '/closed') return void closed?.then(() => response.end());
    closed = once(request.socket, 'close');
    request.socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${body}`);
  });
  const folder = await makeFolder(t);
  const slow = `export default { open: (_, { origin }) => ({ invoke: async () => {
    const answer = await origin.fetch('/answer');
    await origin.fetch('/closed');
    return { value: (await answer.text()).length };
  } }) };`;
  await writePlugin(folder, 'slow', slow, { origin: { variables: ['CHUKWA_TEST_URL'] } });
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
  const limits = { max_runtime_ms: 20_000, max_request_bytes: 8_192, max_result_bytes: 300_000 };
  const outcome = await ask(sources, jsonCall({ call: { limits } }, { name: 'slow' }));
  assert.deepEqual(summary(outcome), { succeeded: body.length });
});
