import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { HttpServer } from '../../../engine/operations/composition.js';
import type { FactReader } from '../../../engine/store/open-store.js';
import type { Archive } from '../../../engine/operations/engine.js';
import { openSessions, SESSION_SECONDS } from '../../../engine/surfaces/http/sessions.js';
import { readEvents, type WireEvent } from '../../support/server-sent-events.js';
import { TOKENS } from '../../support/served-park.js';
import { serveStored, talkative } from '../../support/stream-servers.js';

const ATTEMPT = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const PATH = `/attempts/${ATTEMPT}/events`;
const BY_TOKEN = { authorization: `Bearer ${TOKENS.token}` };

/** Serves the stream of one attempt, which is endless by default. */
const serve = (t: TestContext, facts: FactReader = talkative(ATTEMPT, 1)): Promise<HttpServer> =>
  serveStored(t, { store: { facts } as Archive['store'] });

async function signIn({ url }: HttpServer, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const body = new URLSearchParams({ token: TOKENS.token });
  const response = await fetch(`${url}/sign-in`, { method: 'POST', redirect: 'manual', headers, body });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

type Reader = AsyncGenerator<WireEvent>;

/** Reads the stream up to its first event. */
async function listen(t: TestContext, { url }: HttpServer, headers: Readonly<Record<string, string>>): Promise<Reader> {
  const leaving = new AbortController();
  const reader = readEvents(await fetch(`${url}${PATH}`, { headers, signal: leaving.signal }));
  t.after(() => leaving.abort());
  assert.equal((await reader.next()).done, false);
  return reader;
}

async function readToEnd(reader: Reader): Promise<void> {
  for (let isDone = false; !isDone; ) isDone = (await reader.next()).done === true;
}

describe('an event stream', { timeout: 60_000 }, () => {
  test('an event stream ends for every copy of a cookie when its session is signed out, and for no other session', async (t) => {
    const server = await serve(t);
    const cookie = await signIn(server);
    const own = await Promise.all([listen(t, server, { cookie }), listen(t, server, { cookie })]);
    const others = await Promise.all([
      listen(t, server, { cookie: await signIn(server) }),
      listen(t, server, BY_TOKEN),
      // A token lets its request in, whatever cookie comes with it.
      listen(t, server, { ...BY_TOKEN, cookie }),
    ]);
    await fetch(`${server.url}/sign-out`, { method: 'POST', redirect: 'manual', headers: { cookie } });
    await Promise.all(own.map(readToEnd));
    for (const other of others) assert.equal((await other.next()).done, false);
    assert.equal((await fetch(`${server.url}${PATH}`, { headers: { cookie } })).status, 401);
  });

  test('an event stream does not begin where its session ends while it is looked up', async (t) => {
    const facts = talkative(ATTEMPT, 1);
    let signOut = async (): Promise<void> => {};
    const server = await serve(t, { ...facts, attempt: async (id) => (await signOut(), facts.attempt(id)) });
    const cookie = await signIn(server);
    signOut = async () => {
      await fetch(`${server.url}/sign-out`, { method: 'POST', redirect: 'manual', headers: { cookie } });
    };
    assert.equal((await fetch(`${server.url}${PATH}`, { headers: { cookie } })).status, 401);
  });

  test('an event stream ends when its browser signs in anew, which ends the session before', async (t) => {
    const server = await serve(t);
    const cookie = await signIn(server);
    const reader = await listen(t, server, { cookie });
    const next = await signIn(server, { cookie });
    await readToEnd(reader);
    assert.equal((await fetch(`${server.url}${PATH}`, { headers: { cookie } })).status, 401);
    await listen(t, server, { cookie: next });
  });

  test('an event stream ends with the time of its session', async (t) => {
    const server = await serve(t);
    const name = (await signIn(server)).replace(/=.*/, '');
    const sessions = openSessions(TOKENS, { now: () => Date.now() - SESSION_SECONDS * 1_000 + 1_500 });
    const session = sessions.open('consumer');
    const cookie = `${name}=${sessions.seal({ ...session, until: session.ends_at })}`;
    await readToEnd(await listen(t, server, { cookie }));
    assert.equal((await fetch(`${server.url}${PATH}`, { headers: { cookie } })).status, 401);
  });

  test('an event stream ends where the record cannot be read on', async (t) => {
    const facts = talkative(ATTEMPT, 1);
    const broken: FactReader = {
      ...facts,
      read: async (cursor, until) => {
        if (cursor.after > 2) throw new Error('the test breaks it');
        return { ...(await facts.read(cursor, until)), has_more: true };
      },
    };
    await readToEnd(await listen(t, await serve(t, broken), BY_TOKEN));
  });

  test('an event stream that is over keeps no connection of a reader that takes nothing', async (t) => {
    const { read, ...others } = talkative(ATTEMPT, 200_000);
    let is_over = false;
    const facts: FactReader = { ...others, read: async (...asked) => ({ ...(await read(...asked)), is_over }) };
    const server = await serve(t, facts);
    const responses: ServerResponse[] = [];
    const keep = (said: unknown): void => void responses.push((said as { response: ServerResponse }).response);
    subscribe('http.server.request.start', keep);
    t.after(() => unsubscribe('http.server.request.start', keep));
    t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const idle = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    t.after(() => idle.destroy());
    idle.on('error', () => {}).pause();
    idle.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BY_TOKEN.authorization}\r\n\r\n`);
    const passUntil = async (holds: () => boolean | undefined): Promise<void> => {
      for (; holds() !== true; await setImmediate()) t.mock.timers.tick(1_000);
    };
    // More is on its way than the connection holds.
    await passUntil(() => (responses[0]?.writableLength ?? 0) > 100_000);
    is_over = true;
    await passUntil(() => responses[0]?.writableEnded);
    await passUntil(() => responses[0]?.destroyed);
  });
});
