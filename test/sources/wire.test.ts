import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, createGunzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { OriginFetch, SourceFailure } from '../../engine/contract/source.js';
import { boundCall } from '../../engine/sources/call-bounds.js';
import { decodeBody } from '../../engine/sources/content-coding.js';
import { openOriginFetches } from '../../engine/sources/origin-fetch.js';
import { type Listener, serve } from './harness.js';

// The requests and responses of a plugin's fetch: those of the platform, without the forbidden ones.

/** The fetch of one call to a server of the test. */
async function openFetch(t: TestContext, listener: Listener, over?: AbortController): Promise<OriginFetch> {
  return openFetchAt(t, await serve(t, listener), over);
}

/** @param over ends the call; left out, it ends with the test */
function openFetchAt(t: TestContext, url: string, over = new AbortController()): OriginFetch {
  const fetches = openOriginFetches(() => undefined);
  t.after(async () => {
    over.abort();
    await fetches.close();
  });
  const call = boundCall(over.signal, { left: () => 20_000, max_response_bytes: 1_000_000 }, { names_its_calls: true });
  const fetch = fetches.bind({ variable: 'CHUKWA_TEST_URL', url, endpoint: url, secrets: [] });
  return (asked, init) => fetch(asked, init, call);
}

const TEXT = '{"warm":true}';

const CODINGS: readonly (readonly [string, (text: Buffer) => Buffer, string?])[] = [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync, 'without its header'],
  ['br', brotliCompressSync],
  ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
  ['gzip, identity,', gzipSync],
  [
    Array(5).fill('gzip').join(', '),
    (text) =>
      Array(5)
        .fill(gzipSync)
        .reduce((packed, pack) => pack(packed), text),
  ],
];

for (const [coding, encode, how = 'as it should be'] of CODINGS) {
  for (const status of [200, 500]) {
    test(`a body in ${coding}, ${how}, is read as it was before, with status ${status}`, async (t) => {
      const fetch = await openFetch(t, (_request, response) =>
        response.writeHead(status, { 'content-encoding': coding }).end(encode(Buffer.from(TEXT))),
      );
      const response = await fetch('/answer');
      assert.equal(response.status, status);
      assert.equal(response.headers.get('content-encoding'), null);
      assert.equal(await response.text(), TEXT);
    });
  }
}

for (const [how, encode] of [
  ['with its header', deflateSync],
  ['without its header', deflateRawSync],
] as const) {
  test(`a body in deflate, ${how}, is read as it was before when it arrives byte by byte`, async (t) => {
    const fetch = await openFetch(t, async (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'deflate' });
      for (const byte of encode(TEXT)) {
        response.write(Uint8Array.of(byte));
        await wait(2);
      }
      response.end();
    });
    assert.equal(await (await fetch('/answer')).text(), TEXT);
  });
}

for (const [coding, encode, how] of CODINGS) {
  const asCut = [1, 4, 8].map((bytes) => encode(Buffer.from(TEXT)).subarray(0, -bytes));
  test(`a body in ${coding}, ${how ?? 'as it should be'}, is not taken for whole where its last bytes are missing`, async (t) => {
    const bodies = asCut.values();
    const fetch = await openFetch(t, (_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(bodies.next().value),
    );
    for (const _ of asCut)
      await assert.rejects(
        async () => (await fetch('/answer')).text(),
        ({ failure_class, message }: SourceFailure) =>
          failure_class === 'transport' && /cannot be decompressed: unexpected end of file/.test(message),
      );
  });

  test(`an empty body in ${coding}, ${how ?? 'as it should be'}, is empty`, async (t) => {
    const fetch = await openFetch(t, (_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(),
    );
    assert.equal(await (await fetch('/answer')).text(), '');
  });
}

for (const encode of [deflateSync, deflateRawSync, brotliCompressSync]) {
  test(`bytes after the end of a body by ${encode.name} are not waited for, nor read`, async (t) => {
    const fetch = await openFetch(t, (_request, response) =>
      response
        .writeHead(200, { 'content-encoding': encode === brotliCompressSync ? 'br' : 'deflate' })
        .end(Buffer.concat([encode(TEXT), Buffer.from('more')])),
    );
    assert.equal(await (await fetch('/answer')).text(), TEXT);
  });
}

test('a refusal whose body breaks off is a refusal to a reader that looks no further', async (t) => {
  const fetch = await openFetch(t, (_request, response) =>
    response.writeHead(409, { 'content-length': '1000' }).write('no', () => response.destroy()),
  );
  const response = await fetch('/answer');
  await assert.rejects(response.text(), ({ failure_class, message, facts }: SourceFailure) => {
    assert.match(message, /\(CHUKWA_TEST_URL\) answered with status 409, and its body broke off: /);
    return failure_class === 'http_status' && facts?.http_status === 409;
  });
});

test('a body in a coding that is not known is handed on as it came, with its name', async (t) => {
  const fetch = await openFetch(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'secret' }).end(TEXT),
  );
  const response = await fetch('/answer');
  assert.equal(response.headers.get('content-encoding'), 'secret');
  assert.equal(await response.text(), TEXT);
});

test('more codings around each other than anyone needs are not undone', async (t) => {
  const fetch = await openFetch(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': Array(6).fill('gzip').join(', ') }).end(TEXT),
  );
  assert.equal(await (await fetch('/answer')).text(), TEXT);
});

test('a body that nobody reads is not decompressed', async () => {
  const packed = gzipSync(Buffer.alloc(5_000_000));
  const { body } = decodeBody(Readable.from([packed]), 'gzip');
  await once(body, 'readable');
  // As much work, by the same threads, as all of it would be.
  for await (const _ of Readable.from([packed]).pipe(createGunzip()));
  assert.ok(body.readableLength < 200_000, `${body.readableLength} bytes are waiting`);
});

test('a request says what it takes and who asks, unless it says otherwise', async (t) => {
  const fetch = await openFetch(t, (request, response) => response.end(JSON.stringify(request.headers)));
  const said = (await (await fetch('/answer')).json()) as Record<string, string>;
  assert.deepEqual(
    [said['accept'], said['accept-encoding'], said['user-agent']],
    ['*/*', 'gzip, deflate, br', 'chukwa'],
  );
  const headers = { Accept: 'text/plain', 'Accept-Encoding': 'identity', 'User-Agent': 'plugin/1' };
  const other = (await (await fetch('/answer', { headers })).json()) as Record<string, string>;
  assert.deepEqual(
    [other['accept'], other['accept-encoding'], other['user-agent']],
    ['text/plain', 'identity', 'plugin/1'],
  );
});

const BODIES: readonly (readonly [string, RequestInit['body'], string, RegExp])[] = [
  ['text', 'wärm', 'wärm', /^text\/plain;charset=utf-8$/i],
  ['bytes', new TextEncoder().encode('warm'), 'warm', /^$/],
  ['a form', new URLSearchParams({ park: 'warm' }), 'park=warm', /^application\/x-www-form-urlencoded;charset=utf-8$/i],
  ['a blob', new Blob(['warm'], { type: 'text/csv' }), 'warm', /^text\/csv$/],
];

for (const [what, body, sent, type] of BODIES) {
  test(`${what} may be a body, and names its type where the headers do not`, async (t) => {
    const fetch = await openFetch(t, async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      response.end(JSON.stringify({ text, type: request.headers['content-type'] ?? '', method: request.method }));
    });
    const got = (await (await fetch('/answer', { method: 'post', body: body ?? null })).json()) as Record<
      string,
      string
    >;
    assert.deepEqual([got['text'], got['method']], [sent, 'POST']);
    assert.match(got['type'] ?? '', type);
    const headers = { 'content-type': 'application/json' };
    const named = await fetch('/answer', { method: 'POST', body: body ?? null, headers });
    assert.equal(((await named.json()) as Record<string, string>)['type'], 'application/json');
  });
}

test('headers come as they were sent: bytes beyond ASCII, and each of a name', async (t) => {
  const fetch = await openFetch(t, (request) =>
    request.socket.end(
      'HTTP/1.1 200 OK\r\nx-odd: \xe9\xff\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nvary: a\r\nvary: b\r\ncontent-length: 0\r\n\r\n',
      'latin1',
    ),
  );
  const { headers } = await fetch('/answer');
  assert.equal(headers.get('x-odd'), '\xe9\xff');
  assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(headers.get('vary'), 'a, b');
});

for (const status of [204, 205, 304]) {
  test(`status ${status} has no body, and its connection is used again`, async (t) => {
    const ports = new Set<number | undefined>();
    const fetch = await openFetch(t, (request, response) => {
      ports.add(request.socket.remotePort);
      response.writeHead(status).end();
    });
    for (let count = 0; count < 3; count += 1) {
      const response = await fetch('/answer');
      assert.equal(response.status, status);
      assert.equal(response.body, null);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(ports.size, 1);
  });
}

const sendsWithoutEnd: Listener = (_request, response) => response.writeHead(200).write('more');

test('a signal that a plugin gives a request ends it, and the reading of its body, though the call goes on', async (t) => {
  const asked = new AbortController();
  const fetch = await openFetch(t, () => asked.abort());
  await assert.rejects(fetch('/answer', { signal: asked.signal }), { name: 'AbortError' });
  const reading = new AbortController();
  const response = await (await openFetch(t, sendsWithoutEnd))('/answer', { signal: reading.signal });
  reading.abort();
  await assert.rejects(response.text(), { name: 'AbortError' });
});

test('the end of a call ends the reading of a body', async (t) => {
  const over = new AbortController();
  const response = await (await openFetch(t, sendsWithoutEnd, over))('/answer');
  over.abort();
  await assert.rejects(response.text(), { name: 'AbortError' });
});

test('a client that cancels a body hangs up', async (t) => {
  let resolveHungUp = (): void => {};
  const hungUp = new Promise<void>((resolve) => {
    resolveHungUp = resolve;
  });
  const fetch = await openFetch(t, (request, response) => {
    request.socket.once('close', () => resolveHungUp());
    response.writeHead(200).write('more');
  });
  const response = await fetch('/answer');
  await response.body?.cancel();
  await hungUp;
});

test('a service may be at a port that browsers refuse', async (t) => {
  const server = createServer((_request, response) => response.end(TEXT));
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(REFUSED_BY_BROWSERS, '127.0.0.1', () => resolve(true));
  });
  if (!isListening) return t.skip('something else listens there');
  t.after(() => server.close());
  const response = await openFetchAt(t, `http://127.0.0.1:${REFUSED_BY_BROWSERS}`)('/answer');
  assert.equal(await response.text(), TEXT);
});

/** Of the list in the fetch standard. */
const REFUSED_BY_BROWSERS = 6669;

test('a request that is to outlive its call ends with it all the same where it has the signal of the call', async (t) => {
  const over = new AbortController();
  const endsLate: Listener = (_request, response) => {
    over.abort();
    setTimeout(() => response.end(), 100);
  };
  const fetch = await openFetch(t, endsLate, over);
  await assert.rejects(fetch('/back', { keepalive: true, signal: over.signal }), { name: 'AbortError' });
});

for (const [when, waits_ms] of [
  ['at once', 0],
  ['most of a second later', 800],
] as const) {
  test(`a source that is asked to take a call back ${when} has until a second after the call`, async (t) => {
    const over = new AbortController();
    const fetch = await openFetch(t, () => {}, over);
    const order: string[] = [];
    over.abort();
    const marks = [
      [900, 'nearly a second'],
      [1_700, 'more than a second'],
    ] as const;
    const passed = marks.map(([after_ms, mark]) => wait(after_ms).then(() => order.push(mark)));
    await wait(waits_ms);
    await assert.rejects(fetch('/back', { method: 'POST', keepalive: true }), { name: 'AbortError' });
    order.push('given up');
    await Promise.all(passed);
    assert.deepEqual(order, ['nearly a second', 'given up', 'more than a second']);
  });
}

test('a second after a call nothing of it is sent any more, and before only what takes it back', async (t) => {
  const over = new AbortController();
  const received: string[] = [];
  const fetch = await openFetch(
    t,
    (request, response) => {
      received.push(request.url ?? '');
      response.end();
    },
    over,
  );
  over.abort();
  await assert.rejects(fetch('/late'), { name: 'AbortError' });
  await fetch('/back', { keepalive: true });
  await wait(1_100);
  await assert.rejects(fetch('/back-late', { keepalive: true }), { name: 'AbortError' });
  assert.deepEqual(received, ['/back']);
});
