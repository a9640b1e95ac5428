import type { Outcome } from '../../../engine/contract/problem.js';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { HttpServer, RequestFault } from '../../../engine/operations/composition.js';
import type { Acknowledgement } from '../../../engine/operations/settling/reports.js';
import { callbacksAt, callbackToken } from '../../../engine/operations/serving/tokens.js';
import { ROUTES } from '../../../engine/surfaces/http/routes/index.js';
import { startServer } from '../../../engine/surfaces/http/server.js';

const TOKENS = { token: 'a-consumer-of-worlds', operator_token: 'an-operator-of-worlds' };
const CALL = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: HttpServer;
let received: unknown[] = [];
let answer: Outcome<Acknowledgement> = { ok: true, value: { accepted: true, message: 'kept' } };
let is_ready = true;
let faults: RequestFault[] = [];
let look = (): Outcome<never> => ({ ok: false, because: 'environment', problems: [] });

before(async () => {
  server = await startServer(
    {
      report: async (correlation, report) => (received.push([correlation, report]), answer),
      act: async ({ kind, input }, { acted_by, reason }) => (
        received.push([{ kind, ...input }, acted_by, reason]), answer
      ),
      look: async () => look(),
      onFault: (fault) => void faults.push(fault),
      isReady: async () => is_ready,
      use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
      checkReadable: async () => ({ ok: true, value: undefined }),
    },
    TOKENS,
    { host: '127.0.0.1', port: 0 },
  );
});
after(() => server.close(0));
beforeEach(() => {
  received = [];
  is_ready = true;
  faults = [];
  look = () => ({ ok: false, because: 'environment', problems: [] });
  answer = { ok: true, value: { accepted: true, message: 'kept' } };
});

async function post(path: string, headers: Readonly<Record<string, string>> = {}, body?: string) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body: new Blob([body]) }),
  });
  const text = await response.text();
  const document = JSON.parse(text) as Readonly<Partial<Record<'code' | 'detail' | 'repair', string>>> & {
    readonly status?: number;
  };
  if (response.status >= 400) {
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.equal(document.status, response.status);
  }
  return { status: response.status, code: document.code, document };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const callback = (id: string): string => new URL(callbacksAt(server.url, TOKENS)(id).url).pathname;
const withToken = (id: string): string => `${callback(id)}?token=${callbackToken(TOKENS, id)}`;

test('every route but health and signing in refuses a request without a token', async () => {
  const open = [
    'GET /healthz',
    'GET /readyz',
    'GET /sign-in',
    'POST /sign-in',
    'POST /sign-out',
    'GET /style.css',
    'GET /copy.js',
    'GET /live.js',
    'GET /pace.js',
    'GET /.well-known/oauth-protected-resource/mcp',
  ];
  for (const { method, url, access } of ROUTES) {
    const name = `${String(method)} ${url}`;
    const response = await fetch(`${server.url}${url.replaceAll(/:\w+/g, CALL)}`, {
      method: String(method),
      redirect: 'manual',
    });
    assertHeaders(response.headers, name);
    if (!open.includes(name)) assert.equal(response.status, 401, name);
    assert.equal(access === 'anybody', open.includes(name), name);
  }
  assert.deepEqual(received, []);
});

test('no answer may run a script, be framed, or be taken for another content type', async () => {
  const token = bearer(TOKENS.operator_token);
  for (const [path, headers] of [
    ['/healthz', {}],
    ['/style.css', {}],
    ['/sign-in', { accept: 'text/html' }],
    ['/worlds', token],
    ['/nothing', token],
    ['/nothing', { ...token, accept: 'text/html' }],
    ['/attempts/%zz', token],
  ] as const)
    assertHeaders((await fetch(`${server.url}${path}`, { headers })).headers, path);
  assertHeaders((await fetch(`${server.url}/worlds`, { method: 'POST', headers: token })).headers, 'POST /worlds');
  const raw = await sendRaw('GET /<script>alert(1)</script> \r\n\r\n');
  assert.match(raw, /^HTTP\/1\.1 400 [^]*Content-Type: application\/json/);
  assert.doesNotMatch(raw, /script/, 'a refusal of what is no HTTP repeats nothing of it');
});

function assertHeaders(headers: Headers, what: string): void {
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/, what);
  assert.doesNotMatch(policy, /unsafe/, what);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('x-frame-options'), 'DENY', what);
}

describe('health', () => {
  test('health is open, and readiness says whether what is stored can be reached', async () => {
    const look = async (path: string) => (await fetch(`${server.url}${path}`)).status;
    assert.deepEqual([await look('/healthz'), await look('/readyz')], [200, 200]);
    is_ready = false;
    assert.deepEqual([await look('/healthz'), await look('/readyz')], [200, 503]);
  });
});

describe('a callback', () => {
  test('a callback takes JSON as the answer of its call', async () => {
    const { status } = await post(withToken(CALL), JSON_TYPE, '{"status": "answered"}');
    assert.equal(status, 202);
    assert.deepEqual(received, [[CALL, { kind: 'answered', value: { status: 'answered' } }]]);
  });

  test('a callback takes a problem document as the word that there is no answer', async () => {
    const type = { 'content-type': 'application/problem+json; charset=utf-8' };
    await post(withToken(CALL), type, '{"title": "Lost", "detail": "The van lies in a ditch."}');
    await post(withToken(CALL), type, '[]');
    assert.deepEqual(received, [
      [CALL, { kind: 'failed', message: 'The van lies in a ditch.' }],
      [CALL, { kind: 'failed', message: 'the service reported a failure, and did not say which' }],
    ]);
  });

  test('a callback acknowledges what nothing follows from', async () => {
    answer = { ok: true, value: { accepted: false, reason: 'duplicate', message: 'again' } };
    const { status, document } = await post(withToken(CALL), JSON_TYPE, '{}');
    assert.equal(status, 200);
    assert.deepEqual(document, { accepted: false, reason: 'duplicate', message: 'again' });
  });

  test('a callback may be made by holders of a token, under any name of the call', async () => {
    for (const token of Object.values(TOKENS))
      assert.equal((await post('/callbacks/letter%2F7', { ...bearer(token), ...JSON_TYPE }, 'null')).status, 202);
    assert.deepEqual(
      received,
      [1, 2].map(() => ['letter/7', { kind: 'answered', value: null }]),
    );
  });

  test('a callback says that it is unavailable while the database is', async () => {
    answer = {
      ok: false,
      because: 'environment',
      problems: [{ code: 'DATABASE_UNREACHABLE', message: 'gone', repair: 'Mend it.' }],
    };
    const { status, code } = await post(withToken(CALL), JSON_TYPE, '{}');
    assert.deepEqual([status, code], [503, 'DATABASE_UNREACHABLE']);
  });
});

describe('a stop', () => {
  test('a stop is the operator’s alone', async () => {
    assert.equal((await post(`/attempts/${CALL}/stop`, bearer(TOKENS.operator_token))).status, 202);
    assert.equal((await post(`/attempts/${CALL}/stop`, bearer(TOKENS.token))).status, 403);
    assert.deepEqual(received, [[{ kind: 'stop_attempt', attempt_id: CALL }, 'token', undefined]]);
  });
});

describe('the token of the process', () => {
  test('the token of the process lets commands of this machine report, act and read, and opens no page as a bearer’s', async () => {
    const authorization = `Chukwa-Command ${server.command_token}`;
    assert.equal((await post(`/attempts/${CALL}/stop`, { authorization })).status, 202);
    assert.equal((await post('/callbacks/letter%2F7', { authorization, ...JSON_TYPE }, 'null')).status, 202);
    assert.deepEqual(received, [
      [{ kind: 'stop_attempt', attempt_id: CALL }, 'command', undefined],
      ['letter/7', { kind: 'answered', value: null }],
    ]);
    const as_bearer = { authorization: `Bearer ${server.command_token}` };
    assert.equal((await fetch(`${server.url}/worlds`, { headers: as_bearer })).status, 401);
  });

  for (const token of ['', TOKENS.operator_token])
    test(`a command does not sign in with ${token === '' ? 'an empty one' : 'another'}`, async () => {
      assert.equal((await post(`/attempts/${CALL}/stop`, { authorization: `Chukwa-Command ${token}` })).status, 401);
      assert.deepEqual(received, []);
    });
});

describe('a stranger', () => {
  const OTHER = '01a2015a-0bd6-7667-b4f2-ff813afe9e28';
  const refused: readonly (readonly [what: string, path: () => string, headers?: Record<string, string>])[] = [
    ['without a token', () => callback(CALL)],
    ['with a wrong token', () => callback(CALL), bearer('wrong')],
    ['with an empty one', () => callback(CALL), { authorization: 'Bearer ' }],
    ['with a token of another scheme', () => callback(CALL), { authorization: `Basic ${TOKENS.token}` }],
    ['with the token of another call', () => `${callback(CALL)}?token=${callbackToken(TOKENS, OTHER)}`],
    ['with the beginning of a token', () => withToken(CALL).slice(0, -1)],
    ['with two tokens', () => `${withToken(CALL)}&token=x`],
    ['who would stop', () => `/attempts/${CALL}/stop?token=${callbackToken(TOKENS, CALL)}`],
  ];
  for (const [what, path, headers = {}] of refused) {
    test(`${what} is refused, and nothing is recorded`, async () => {
      const { status, code } = await post(path(), { ...headers, ...JSON_TYPE }, '{}');
      assert.deepEqual([status, code], [401, 'UNAUTHORISED']);
      assert.deepEqual(received, []);
    });
  }
});

describe('a hostile caller', () => {
  test('a hostile caller sends no body that is larger than any answer', async () => {
    const { status, code } = await post(withToken(CALL), JSON_TYPE, `"${'x'.repeat(1_048_576)}"`);
    assert.deepEqual([status, code], [413, 'BODY_TOO_LARGE']);
    assert.deepEqual(received, []);
  });

  const bodies: readonly (readonly [what: string, body: string])[] = [
    ['nothing', ''],
    ['half an object', '{"status":'],
    ['text', 'answered'],
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ];
  test('JSON that no store can keep is taken with what replaces it: its call took place', async () => {
    assert.equal((await post(withToken(CALL), JSON_TYPE, '["\\ud800", 653247040368672767]')).status, 202);
    assert.deepEqual(received, [[CALL, { kind: 'answered', value: ['\uFFFD', '653247040368672767'] }]]);
  });

  for (const [what, body] of bodies) {
    test(`a hostile caller is refused where ${what} is no JSON that can be kept, and may be sent again`, async () => {
      const { status, code } = await post(withToken(CALL), JSON_TYPE, body);
      assert.deepEqual([status, code], [400, 'BODY_NOT_JSON']);
      assert.deepEqual(received, []);
    });
  }

  test('a hostile caller is refused where its body is not UTF-8', async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      const body = new Uint8Array(bytes);
      const response = await fetch(`${server.url}${withToken(CALL)}`, { method: 'POST', headers: JSON_TYPE, body });
      const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string };
      assert.deepEqual([response.status, code], [400, 'BODY_NOT_JSON']);
      assert.match(detail, /it is not UTF-8/);
    }
    assert.deepEqual(received, []);
  });

  test('a hostile caller sends nothing but JSON', async () => {
    const { status, code, document } = await post(withToken(CALL), { 'content-type': 'text/plain' }, '{}');
    assert.deepEqual([status, code], [415, 'BODY_NOT_JSON']);
    assert.equal(document.repair, 'Send it with the Content-Type application/json or application/problem+json.');
  });

  test('a hostile caller finds nothing anywhere else', async () => {
    for (const path of ['/nothing', '/callbacks', '/callbacks/a/b', '/attempts/x/go', '/../etc/passwd'])
      assert.equal((await post(path, bearer(TOKENS.operator_token))).code, 'NOTHING_HERE', path);
    assert.equal((await post('/nothing')).document.repair, 'Correct the method and the path.');
    assert.equal((await fetch(`${server.url}${withToken(CALL)}`)).status, 405);
    for (const path of ['/callbacks/%zz', `/callbacks/${'x'.repeat(300)}`])
      assert.equal((await post(path, bearer(TOKENS.operator_token))).code, 'REQUEST_MALFORMED');
  });

  for (const [what, head, status] of [
    ['without HTTP', 'EHLO example.test', /^HTTP\/1\.1 400 /],
    [
      'with too large a head',
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: ${'x'.repeat(20_000)}`,
      /^HTTP\/1\.1 431 /,
    ],
    ['that expects what there is not', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: foo', /^HTTP\/1\.1 417 /],
    ['that asks for a tunnel', 'CONNECT any:443 HTTP/1.1\r\nHost: any:443', /^$/],
  ] as const)
    test(`a client ${what} is refused before any route`, async () => {
      const said = await sendRaw(`${head}\r\nConnection: close\r\n\r\n`);
      assert.match(said, status);
      assert.doesNotMatch(said, /chukwa|fastify|node/i, 'it names no program');
    });

  const odd: readonly (readonly [what: string, head: string, status: RegExp])[] = [
    ['speaks HTTP/1.0 without a host', 'GET /healthz HTTP/1.0', /^HTTP\/1\.1 200 /],
    ['names a target that is no path', 'GET * HTTP/1.1\r\nHost: localhost', /^HTTP\/1\.1 400 [^]*REQUEST_MALFORMED/],
  ];
  for (const [what, head, status] of odd)
    test(`a request that ${what} is answered with the headers of every answer`, async () => {
      const said = await sendRaw(`${head}\r\nConnection: close\r\n\r\n`);
      assert.match(said, status);
      const [fields = ''] = said.split('\r\n\r\n');
      assertHeaders(
        new Headers(
          fields
            .split('\r\n')
            .slice(1)
            .map((line): [string, string] => [line.split(': ')[0] ?? '', line.replace(/^[^:]*: /, '')]),
        ),
        what,
      );
    });

  test('of two hosts or tokens the first one counts, so a right one behind another admits nobody', async () => {
    const right = `Authorization: Bearer ${TOKENS.operator_token}`;
    for (const [head, status] of [
      ['Host: localhost\r\nAuthorization: Bearer x\r\n' + right, 401],
      ['Host: other.test\r\nHost: localhost\r\n' + right, 403],
    ] as const)
      assert.match(
        await sendRaw(`GET /worlds HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`),
        new RegExp(`^HTTP/1.1 ${status} `),
      );
    assert.match(await sendRaw('GET /worlds HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 /);
  });

  test('a client that sends a byte now and then is sent away', async () => {
    const said = await sendRaw('POST /callbacks/x HTTP/1.1\r\nHost: x\r\n', 'X-Slow: x\r\n');
    assert.match(said, /^HTTP\/1\.1 408 Request Timeout/);
  });

  test('a client that tries tokens is soon rate limited, and others are not', async () => {
    const tries = await Promise.all(
      Array.from({ length: 40 }, () => post(callback(CALL), { ...bearer('guess'), ...JSON_TYPE }, '{}')),
    );
    assert.ok(tries.some(({ code }) => code === 'TOO_MANY_REQUESTS'));
    assert.equal((await post(withToken(CALL), JSON_TYPE, '{}')).status, 202);
  });
});

/** The answer to bytes, of which some are sent again and again. */
function sendRaw(first: string, again?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(first));
    const timer = again === undefined ? undefined : setInterval(() => socket.write(again), 500);
    socket.on('data', (piece) => (said += piece.toString()));
    socket.on('close', () => {
      clearInterval(timer);
      resolve(said);
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
    );
  });
}

test('a fault of the program is a page for a browser, and a problem document for a program', async () => {
  const read = async (accept: string) => {
    const response = await fetch(`${server.url}/`, { headers: { ...bearer(TOKENS.operator_token), accept } });
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
  };
  const page = await read('text/html');
  assert.deepEqual([page.status, page.type], [500, 'text/html; charset=utf-8']);
  assert.match(page.text, /<h1>Internal Server Error<\/h1>/);
  const document = await read('application/json');
  assert.deepEqual([document.status, document.type], [500, 'application/problem+json; charset=utf-8']);
});

test('a bug that a request meets is hidden from its reader, and told to the operator', async () => {
  const bug = new TypeError('a value of a secret shape');
  look = () => {
    throw bug;
  };
  const response = await fetch(`${server.url}/search?q=typed`, { headers: bearer(TOKENS.operator_token) });
  assert.equal(response.status, 500);
  assert.ok(!(await response.text()).includes('shape'));
  assert.deepEqual(faults, [{ method: 'GET', path: '/search', error: bug }]);
});
