import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { compileShipped } from '../../engine/schema/compile-schema.js';
import { fillPath } from '../../engine/sources/fill-path.js';
import { parseAnswer } from '../../engine/sources/given.js';
import { makeSourceFailure } from '../../engine/sources/source-failure.js';
import { readAnswer } from '../../plugins/http_json/answer.js';
import { readRefusal } from '../../plugins/http_json/refusal.js';
import { toHttpRequest } from '../../plugins/http_json/request.js';
import { ask, askOnce, jsonCall, openTestSources, serve, storedText, summary } from '../sources/harness.js';

const SETTINGS = { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TEST_URL', path: '/buy_candy' } as const;

const CALL = { client_request_id: 'park/turn-1/x', correlation_id: 'call-1' };
const MEANS = { origin_url: 'http://toy.test/v1', failure: makeSourceFailure, fillPath, variables: {} };

test('a request is JSON that names its call', () => {
  assert.deepEqual(toHttpRequest(SETTINGS, MEANS, { candy: 'mars' }, CALL), {
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
  [204, '', null],
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
    const received = { http_status: status, content_type: '', body: new TextEncoder().encode(body) };
    const answer = readAnswer(received, parseAnswer, false);
    assert.deepEqual(answer.ok ? answer.value : answer.failure_class, expected);
  });
}

/** JSON of a service that says yes, and cannot be kept as it is written. */
const NOT_I_JSON = '{"id":653247040368672767,"text":"cut \\ud83d","again":1,"again":2}';
const LENIENT = { id: '653247040368672767', text: 'cut \uFFFD', again: 2 };

test('JSON that is no I-JSON is an answer where its source is lenient, or where its call may not be repeated', async (t) => {
  const { url } = await listen(t, NOT_I_JSON);
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const effect = 'external_side_effect';
  const taken = [
    jsonCall({}, { json: 'lenient' }),
    jsonCall({ call: { effect } }),
    jsonCall({ call: { effect } }, { json: 'strict' }),
  ];
  for (const call of taken) {
    const outcome = await ask(sources, call);
    assert.deepEqual(summary(outcome), { succeeded: LENIENT });
    assert.equal(Buffer.from(outcome.response_body ?? []).toString(), NOT_I_JSON);
  }
  for (const call of [jsonCall(), jsonCall({ call: { effect, repeatable: true } })]) {
    const outcome = await ask(sources, call);
    assert.ok(outcome.status === 'failed');
    assert.match(
      outcome.failure_message,
      /no double holds \(at character 7\); the source takes it with "json": "lenient"/,
    );
  }
});

const IDS = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 0 }, ids: { items: { type: 'integer' } } },
};

for (const [body, expected] of [
  ['{"id":653247040368672767}', { id: '653247040368672767' }],
  ['{"ids":[1,18446744073709551615,"653247040368672767"]}', { ids: [1, '18446744073709551615', '653247040368672767'] }],
  ['{"id":-653247040368672767}', 'at /id'],
  ['{"id":653247040368672767.5}', 'at /id'],
  ['{"id":"65"}', 'at /id'],
] as const)
  test(`${body} fits a schema of whole numbers as its numbers do, and is kept to the digit`, async (t) => {
    const { url } = await listen(t, body);
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    const compiled = createCompileSchema()('ids', IDS);
    assert.ok(compiled.ok);
    const output = { hash: 'ids', schema: IDS, validate: compiled.value };
    const outcome = await ask(sources, jsonCall({ call: { effect: 'external_side_effect', output } }));
    if (typeof expected === 'object') assert.deepEqual(summary(outcome), { succeeded: expected });
    else assert.ok(outcome.status === 'failed' && outcome.failure_message.includes(expected));
  });

for (const [what, type, body, expected] of [
  ['no body', 'application/json', '', null],
  ['a plain text', 'text/plain; charset=utf-8', 'ok', 'ok'],
  ['JSON that is no UTF-8', 'application/json', Buffer.from('{"a":"é"}', 'latin1'), { a: '\uFFFD' }],
  ['a page', 'text/html', '<p>ok', undefined],
] as const)
  test(`${what} of status 200 is ${expected === undefined ? 'no' : 'an'} answer to a call that may not be repeated`, async (t) => {
    const url = await serve(t, (_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    const outcome = await ask(sources, jsonCall({ call: { effect: 'external_side_effect' } }));
    if (expected !== undefined) assert.deepEqual(summary(outcome), { succeeded: expected });
    else assert.equal(outcome.status === 'failed' && outcome.outcome_unknown, true);
    assert.equal((await ask(sources, jsonCall())).status, 'failed');
  });

for (const [body, headers] of [
  ['{"detail":"Request was throttled. Expected available in 9 seconds."}', {}],
  ['{}', { 'ratelimit-remaining': '0', 'ratelimit-reset': '9' }],
] as const)
  test(`a service that answers 429 with ${body} tells its wait`, async (t) => {
    const url = await serve(t, (_request, response) => response.writeHead(429, headers).end(body));
    const outcome = await ask(await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } }), jsonCall());
    assert.equal(outcome.status === 'failed' && outcome.retry_after_ms, 9_000);
  });

const CHARSETS: readonly (readonly [content_type: string, body: Buffer])[] = [
  ['application/json; charset=utf-16le', Buffer.from('{"a":"é"}', 'utf16le')],
  ['application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'utf8')],
  ['application/json; charset="ISO-8859-1"', Buffer.from('{"a":"é"}', 'latin1')],
  ['application/json; charset=unheard-of', Buffer.from('{"a":"é"}', 'utf8')],
];
for (const [content_type, body] of CHARSETS)
  test(`${body.length} bytes of ${content_type} are read`, () => {
    const answer = readAnswer({ http_status: 200, content_type, body }, parseAnswer, false);
    assert.deepEqual(answer, { ok: true, value: { a: 'é' } });
  });

/** A service's answers in place of JSON, and the message of the failed call. */
const REFUSALS: readonly (readonly [status: number, body: string, failure_class: string, says: RegExp])[] = [
  [300, '{}', 'http_status', /redirects are not followed; set CHUKWA_TEST_URL/],
  [400, '{}', 'http_status', /check the request_template/],
  [401, '{}', 'http_status', /asks for authentication; check CHUKWA_TEST_KEY/],
  [402, '{}', 'call_rejected', /quota or credit is used up/],
  [403, '{}', 'http_status', /check CHUKWA_TEST_KEY/],
  [403, '{"error":"monthly quota is exhausted"}', 'call_rejected', /quota or credit is used up/],
  [404, '{"error":"no such station"}', 'http_status', /check path of the source, and CHUKWA_TEST_URL.*no such station/],
  [405, '{}', 'http_status', /does not take GET there/],
  [408, '{"error":"insufficient_quota"}', 'http_status', /this may pass by itself/],
  [415, '{}', 'http_status', /does not take JSON there/],
  [418, '{}', 'http_status', /answered with status 418; chukwa invocation/],
  [422, '{}', 'http_status', /check the request_template/],
  [429, '{"error":"quota exceeded, retry in 3 s"}', 'http_status', /this may pass by itself/],
  [429, '{"error":{"code":"insufficient_quota"}}', 'call_rejected', /waiting does not help/],
  [502, '{"error":"insufficient_quota"}', 'http_status', /this may pass by itself/],
  [503, '', 'http_status', /this may pass by itself$/],
];

for (const [status, body, failure_class, says] of REFUSALS)
  test(`status ${status} with the body ${JSON.stringify(body)} is ${failure_class}, and the message says what to mend`, async (t) => {
    const { url } = await listen(t, body, status);
    const overlay = { CHUKWA_TEST_URL: `${url}/s/correct-horse`, CHUKWA_TEST_KEY: 'k3y-of-the-station' };
    const sources = await openTestSources(t, { overlay });
    const settings = { ...STATION, secret_headers: { 'X-Api-Key': 'CHUKWA_TEST_KEY' } };
    const request = { station_id: 'kew', token: 'k3y-of-the-station' };
    const outcome = await ask(sources, jsonCall({ request }, settings));
    assert.ok(outcome.status === 'failed');
    assert.equal(outcome.failure_class, failure_class);
    const begun = `GET ${url}/stations/{station_id}/now answered with status ${status}`;
    assert.ok(outcome.failure_message.startsWith(begun), outcome.failure_message);
    assert.match(outcome.failure_message, says);
    assert.doesNotMatch(outcome.failure_message, /k3y-of|correct-horse|kew/);
  });

test('a time to come back is named where it is a number of seconds', () => {
  const asked = { method: 'GET', place: 'http://127.0.0.1/now', url_variable: 'CHUKWA_TEST_URL', keys: [] };
  const messageAfter = (retry_after: string): string =>
    readRefusal({ http_status: 429, body: new Uint8Array(), retry_after }, asked).message;
  assert.match(messageAfter('7'), /this may pass after 7 s$/);
  for (const other of ['Wed, 21 Oct 2026 07:28:00 GMT', '9'.repeat(7), '-1', '', '1e3'])
    assert.match(messageAfter(other), /this may pass by itself$/);
});

test("a failing service's words are quoted as far as redaction shows them", async (t) => {
  const { url } = await listen(t, JSON.stringify({ error: `no ${'such '.repeat(100)}station`, owner: 'Mary' }), 404);
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const messageOf = async (redaction: 'all' | readonly string[]): Promise<string> => {
    const outcome = await ask(sources, jsonCall({ request: { station_id: 'kew' }, call: { redaction } }, STATION));
    return outcome.status === 'failed' ? outcome.failure_message : '';
  };
  assert.match(await messageOf(['/error']), /; it said: \{"error":"no such .{100,200}\.\.\.$/);
  assert.doesNotMatch(await messageOf(['/error']), /Mary/);
  const hidden = await messageOf(['/temperature']);
  assert.match(hidden, /; chukwa invocation \S+ --unredacted shows the answer$/);
  assert.doesNotMatch(hidden, /invocation ID|such/);
});

test('a path stays below its service', async () => {
  const file = new URL('../../plugins/http_json/interface.schema.json', import.meta.url);
  const validate = compileShipped(JSON.parse(await readFile(file, 'utf8')) as JsonObject);
  const isGood = (path: string): boolean => validate({ ...SETTINGS, path }).length === 0;
  for (const path of ['/', '/a', '/a/b_c-d.json', '/a/', '/..a/b..', '/.well-known/x', '/a/{id}', '/{a}/{b}.json'])
    assert.ok(isGood(path), path);
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
    '/{}',
    '/{a b}',
    '/{a',
    '/a}',
    '/{/}',
    '/{../x}',
    '/{a}//b',
    '/{a}/../b',
    'http://evil.test/',
  ]) {
    assert.ok(!isGood(path), path);
  }
});

test('the service gets the canonical request at its path, below the path of its URL', async (t) => {
  const received: {
    url?: string | undefined;
    method?: string | undefined;
    headers: IncomingHttpHeaders;
    body: string;
  }[] = [];
  const url = await serve(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    received.push({ url: request.url, method: request.method, headers: request.headers, body });
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r-1' }).end('{"sold": "mars"}');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: `${url}/base/` } });
  const outcome = await ask(sources, jsonCall({ request: { b: 1, a: { d: 2, c: 'é' } } }));
  assert.deepEqual(summary(outcome), { succeeded: { sold: 'mars' } });
  assert.equal(outcome.http_status, 200);
  assert.equal(outcome.response_headers?.['x-request-id'], 'r-1');
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{"sold": "mars"}');
  const [request] = received;
  assert.equal(received.length, 1);
  assert.deepEqual(
    [request?.method, request?.url, request?.body],
    ['POST', '/base/answer', '{"a":{"c":"é","d":2},"b":1}'],
  );
  assert.equal(request?.headers['x-client-request-id'], 'park/turn-1/bob/act/round-1/try-1');
  assert.equal(request?.headers['content-type'], 'application/json');
});

/** A request as a service saw it. */
interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A service that keeps what it was sent, and answers with the JSON that is given. */
async function listen(t: TestContext, answer = '{"ok":true}', status = 200) {
  const received: Received[] = [];
  const url = await serve(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    received.push({ url: request.url, method: request.method, headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : answer);
  });
  return { received, url };
}

const STATION = { method: 'GET', path: '/stations/{station_id}/now' };

test('a GET has its path parameters and its query from the request, and no body', async (t) => {
  const { received, url } = await listen(t);
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const request = {
    station_id: 'Åre 7',
    units: 'm&s=1',
    tags: ['snow', 2, true],
    none: [],
    deep: false,
    left_out: null,
    'a b': '\r\nX: 1',
  };
  assert.deepEqual(summary(await ask(sources, jsonCall({ request }, STATION))), { succeeded: { ok: true } });
  const [seen] = received;
  assert.equal(
    seen?.url,
    '/stations/%C3%85re%207/now?a%20b=%0D%0AX%3A%201&deep=false&tags=snow&tags=2&tags=true&units=m%26s%3D1',
  );
  assert.deepEqual([seen?.method, seen?.body, seen?.headers['content-type']], ['GET', '', undefined]);
  assert.equal(seen?.headers['content-length'], undefined);
  assert.equal(seen?.headers['x-client-request-id'], 'park/turn-1/bob/act/round-1/try-1');
});

for (const request of [null, {}]) {
  test(`a GET whose request is ${JSON.stringify(request)} has no query`, async (t) => {
    const { received, url } = await listen(t);
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    await ask(sources, jsonCall({ request }, { method: 'GET' }));
    assert.equal(received[0]?.url, '/answer');
  });
}

for (const [method, url, body] of [
  ['DELETE', '/stations/7/now?reason=moved', ''],
  ['PUT', '/stations/7/now', '{"reason":"moved"}'],
  ['PATCH', '/stations/7/now', '{"reason":"moved"}'],
  ['POST', '/stations/7/now', '{"reason":"moved"}'],
] as const) {
  test(`${method} sends what is not in the path as its ${body === '' ? 'query' : 'body'}, and takes 204 as null`, async (t) => {
    const service = await listen(t, '', 204);
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: service.url } });
    const request = { station_id: 7, reason: 'moved' };
    const outcome = await ask(
      sources,
      jsonCall({ request, call: { effect: 'external_side_effect' } }, { ...STATION, method }),
    );
    assert.deepEqual(summary(outcome), { succeeded: null });
    const [seen] = service.received;
    assert.deepEqual([seen?.method, seen?.url, seen?.body], [method, url, body]);
  });
}

/** Requests that may not become a GET, and their messages. */
const REFUSED: readonly (readonly [what: string, request: Json, says: RegExp])[] = [
  ['a parent folder', { station_id: '..' }, /\/station_id is made of dots/],
  ['the folder itself', { station_id: '.' }, /\/station_id is made of dots/],
  ['dots before a semicolon', { station_id: '..;' }, /\/station_id is made of dots/],
  ['dots before a space', { station_id: '.. ' }, /\/station_id is made of dots/],
  ['a space', { station_id: ' ' }, /\/station_id is made of dots/],
  ['nothing', { station_id: '' }, /\/station_id is empty/],
  ['a slash', { station_id: 'a/b' }, /\/station_id holds a slash/],
  ['another origin', { station_id: '//evil.test' }, /\/station_id holds a slash/],
  ['a backslash', { station_id: '..\\..' }, /\/station_id holds a slash or a backslash/],
  ['an encoded dot', { station_id: '%2e%2e' }, /\/station_id holds an escape/],
  ['an encoded slash', { station_id: 'a%2Fb' }, /\/station_id holds an escape/],
  ['a character that is encoded twice', { station_id: '%252e' }, /\/station_id holds an escape/],
  ['a line break', { station_id: 'a\r\nHost: evil' }, /\/station_id holds a control character/],
  ['a control character of Latin 1', { station_id: 'a\u0085' }, /\/station_id holds a control character/],
  ['257 characters', { station_id: 'x'.repeat(257) }, /\/station_id has more than 256 characters/],
  ['null', { station_id: null }, /\/station_id is no text, number or boolean/],
  ['an object', { station_id: {} }, /\/station_id is no text, number or boolean/],
  ['a list', { station_id: ['a'] }, /\/station_id is no text, number or boolean/],
  ['no member', {}, /\/station_id is missing/],
  ['a member of every object', { constructor: 'x' }, /\/station_id is missing/],
  ['a text in place of an object', 'a', /it is not an object/],
  ['a list in place of an object', ['a'], /it is not an object/],
  ['an object in the query', { station_id: 'a', place: { lat: 1 } }, /\/place holds what a query cannot/],
  ['a list of lists in the query', { station_id: 'a', place: [[1]] }, /\/place holds what a query cannot/],
  ['null in a list of the query', { station_id: 'a', place: [1, null] }, /\/place holds what a query cannot/],
  ['a query that is too long', { station_id: 'a', place: 'ü'.repeat(2000) }, /have 12\d\d\d characters, and 8000/],
];

test('a request that could lead out of its path, or is no query, is refused and sends nothing', async (t) => {
  const { received, url } = await listen(t);
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: `${url}/v1` } });
  for (const [what, request, says] of REFUSED) {
    const outcome = await ask(sources, jsonCall({ request, call: { effect: 'external_side_effect' } }, STATION));
    assert.deepEqual(summary(outcome), { failed: 'schema_invalid', refused: false }, what);
    assert.ok(outcome.status === 'failed' && outcome.outcome_unknown === undefined, what);
    assert.match(outcome.failure_message, says, what);
    assert.match(outcome.failure_message, /^the request cannot be sent: /);
  }
  assert.deepEqual(received, []);
});

test('a value of any characters arrives as one segment, the same as it left', async (t) => {
  const { received, url } = await listen(t);
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: `${url}/v1` } });
  const values = [
    'a.b',
    '...a',
    'a..',
    '?x=1',
    '#x',
    '100%',
    '%zz',
    ';a=b',
    "a!'()*b",
    '@evil.test',
    ':80',
    '٪',
    '．．',
    '𝛼',
    'a b',
    '&',
    '+',
    '{station_id}',
    '$&',
    '__proto__',
    '1e400',
    'x'.repeat(256),
  ];
  for (const value of values) {
    await ask(sources, jsonCall({ request: { station_id: value, q: value } }, STATION));
    const seen = received.at(-1)?.url ?? '';
    const [, segment = '', query = ''] = /^\/v1\/stations\/([^/?#]+)\/now\?q=([^&]*)$/.exec(seen) ?? [];
    assert.deepEqual([decodeURIComponent(segment), decodeURIComponent(query)], [value, value], seen);
  }
  assert.equal(received.length, values.length);
});

test('headers are sent as they are written, and a secret header as its variable says, which no record holds', async (t) => {
  const { received, url } = await listen(t, '{"echo":"k3y-of-the-station","whole":"Bearer k3y-of-the-station"}');
  const overlay = { CHUKWA_TEST_URL: url, CHUKWA_TEST_KEY: 'Bearer k3y-of-the-station' };
  const sources = await openTestSources(t, { overlay });
  const settings = {
    method: 'GET',
    headers: { 'Accept-Language': 'de, en;q=0.5' },
    secret_headers: { Authorization: 'CHUKWA_TEST_KEY', 'X-Api-Key': 'CHUKWA_TEST_KEY' },
  };
  const outcome = await askOnce(sources, jsonCall({ request: {} }, settings));
  const { headers } = received[0] ?? {};
  assert.equal(headers?.['accept-language'], 'de, en;q=0.5');
  assert.equal(headers?.authorization, 'Bearer k3y-of-the-station');
  assert.equal(headers?.['x-api-key'], 'Bearer k3y-of-the-station');
  assert.equal(outcome.status, 'succeeded');
  assert.ok(!storedText(outcome).includes('k3y-of-the-station'), storedText(outcome));
});

for (const [what, value, says] of [
  ['is not set', undefined, /CHUKWA_TEST_KEY is not set, which holds the header X-Api-Key/],
  [
    'holds a line break',
    'k3y-of\r\nHost:evil',
    /CHUKWA_TEST_KEY holds an invisible character \(U\+000D\) at position 7/,
  ],
  ['is too short', 'key', /CHUKWA_TEST_KEY/],
] as const) {
  test(`a secret header whose variable ${what} is unavailable, and sends nothing`, async (t) => {
    const { received, url } = await listen(t);
    const overlay = { CHUKWA_TEST_URL: url, ...(value === undefined ? {} : { CHUKWA_TEST_KEY: value }) };
    const sources = await openTestSources(t, { overlay });
    const settings = { method: 'GET', secret_headers: { 'X-Api-Key': 'CHUKWA_TEST_KEY' } };
    const outcome = await ask(sources, jsonCall({ request: {} }, settings));
    assert.ok(outcome.status === 'failed' && outcome.failure_class === 'unavailable');
    assert.match(outcome.failure_message, says);
    assert.ok(!outcome.failure_message.includes('k3y-of'), outcome.failure_message);
    assert.deepEqual(received, []);
  });
}

const interfaceFile = new URL('../../plugins/http_json/interface.schema.json', import.meta.url);
const validateInterface = compileShipped(JSON.parse(await readFile(interfaceFile, 'utf8')) as JsonObject);

for (const name of [
  'Host',
  'CONTENT-LENGTH',
  'Content-Type',
  'accept',
  'Accept-Encoding',
  'Transfer-Encoding',
  'Connection',
  'Upgrade',
  'Expect',
  'TE',
  'X-Client-Request-Id',
  'X-Chukwa-Callback-Url',
  'bad name',
  'bad:name',
  'bäd',
  '',
]) {
  test(`a source may not set the header ${JSON.stringify(name)}, neither open nor secret`, () => {
    for (const settings of [{ headers: { [name]: 'x' } }, { secret_headers: { [name]: 'CHUKWA_KEY' } }])
      assert.notDeepEqual(validateInterface({ ...SETTINGS, ...settings }), []);
  });
}

for (const name of ['Authorization', 'Cookie', 'X-API-Key', 'apikey', 'X-Auth-Token', 'X-Secret']) {
  test(`the header ${name} belongs in secret_headers, and not in headers`, () => {
    const [problem] = validateInterface({ ...SETTINGS, headers: { [name]: 'x' } });
    assert.match(`${problem?.message} ${problem?.repair}`, /secret_headers/);
    assert.deepEqual(validateInterface({ ...SETTINGS, secret_headers: { [name]: 'CHUKWA_KEY' } }), []);
  });
}

for (const value of ['a\r\nb', 'a\u0000', ' a', 'a ', 'é'])
  test(`a constant header may not be ${JSON.stringify(value)}`, () => {
    assert.notDeepEqual(validateInterface({ ...SETTINGS, headers: { 'X-A': value } }), []);
  });
