import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpServer } from '../../../engine/operations/composition.js';
import { waitUntil } from '../../support/wait-until.js';
import { startServer } from '../../../engine/surfaces/http/server.js';

const TOKENS = { token: 'a-consumer-of-worlds-and-of-nothing', operator_token: 'an-operator-of-worlds-and-of-all' };
const STOP = '/attempts/01a2015a-0bd6-7667-b4f2-ff813afe9e27/stop';

/** A server whose stops are answered when `answer` is called, or at once. */
async function open(
  t: TestContext,
  whileStopping: () => Promise<void> = async () => {},
  whileReading: () => Promise<void> = async () => {},
): Promise<HttpServer> {
  const server = await startServer(
    {
      report: async () => ({ ok: true, value: { accepted: true, message: 'kept' } }),
      act: async () => (await whileStopping(), { ok: true, value: { accepted: true, message: 'told' } }),
      look: async () => (await whileReading(), { ok: false, because: 'environment', problems: [] }),
      isReady: async () => true,
      use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
      checkReadable: async () => ({ ok: true, value: undefined }),
    },
    TOKENS,
    { host: '127.0.0.1', port: 0 },
  );
  t.after(() => server.close(0));
  return server;
}

/** Opens a connection that keeps its half open whatever the server does. */
async function openSocket(t: TestContext, { url }: HttpServer, first = ''): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (first !== '') socket.write(first);
  return socket;
}

const openSockets = (t: TestContext, server: HttpServer, count: number, first?: string): Promise<readonly Socket[]> =>
  Promise.all(Array.from({ length: count }, () => openSocket(t, server, first)));

/** The text of a connection until the server ends it. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (piece) => (text += piece.toString()));
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return text;
}

async function stop({ url }: HttpServer): Promise<number> {
  const headers = { authorization: `Bearer ${TOKENS.operator_token}`, connection: 'close' };
  return (await fetch(`${url}${STOP}`, { method: 'POST', headers })).status;
}

for (const [what, first] of [
  ['send nothing', ''],
  ['send half a head', 'POST /callbacks/x HTTP/1.1\r\nHost: x\r\n'],
] as const)
  test(`a server with 1,200 connections of one address that ${what} answers health and stops at once`, async (t) => {
    const server = await open(t);
    await openSockets(t, server, 1_200, first);
    for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(`${server.url}${path}`)).status, 200);
    assert.equal(await stop(server), 202);
  });

const READ_STYLE = 'GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n';
const beginForm = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nt`;

for (const [what, first] of [
  ['a body for signing in that never comes', beginForm('/sign-in')],
  ['a body for signing out that never comes', beginForm('/sign-out')],
] as const)
  test(`strangers with all connections of an address, who send ${what}, keep out neither health nor an operator`, async (t) => {
    const server = await open(t);
    await openSockets(t, server, 200, first);
    await sleep(300);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    assert.equal(await stop(server), 202);
  });

test('a consumer with all connections of an address, whose answers take long, keeps no operator out', async (t) => {
  let reads = 0;
  const server = await open(t, undefined, () => new Promise<void>(() => (reads += 1)));
  const read = (path: number): string =>
    `GET /attempts/${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKENS.token}\r\n\r\n`;
  await Promise.all(Array.from({ length: 200 }, (_, path) => openSocket(t, server, read(path))));
  await waitUntil(() => reads === 200);
  assert.equal(await stop(server), 202);
});

test('a connection with more requests than are answered at once is given up, and few in a row are answered', async (t) => {
  const server = await open(t);
  const few = await openSocket(t, server, READ_STYLE.repeat(16).replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'));
  const said = await readAll(few);
  assert.equal(said.match(/HTTP\/1\.1 200 OK/g)?.length, 16);
  const many = await openSocket(t, server, READ_STYLE.repeat(3_000));
  assert.ok((await readAll(many)).split('HTTP/1.1 200 OK').length <= 17);
});

test('a server gives up connections that send half a head, also those that keep their half open', async (t) => {
  const server = await open(t);
  const sockets = await openSockets(t, server, 20, 'GET /healthz HTTP/1.1\r\n');
  const said = await Promise.all(sockets.map(readAll));
  assert.match(said[0] ?? '', /^HTTP\/1\.1 408 Request Timeout/);
  // The server has closed its side whole: later bytes are answered by a reset.
  await Promise.all(
    sockets.map(async (socket) => {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const timer = setInterval(() => socket.write('X: x\r\n'), 50);
      await closed;
      clearInterval(timer);
    }),
  );
});

test('a server that ends waits for no connection that asks for nothing', async (t) => {
  const server = await open(t);
  await openSockets(t, server, 100);
  await openSockets(t, server, 50, 'POST /callbacks/x HTTP/1.1\r\n');
  await server.close(3_600_000);
});

test('a server that ends answers what is under way, and gives it up when its time is over', async (t) => {
  let answer = (): void => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const patient = await open(t, () => (begun(), isAnswered));
  const stopped = stop(patient);
  await hasBegun;
  const closed = patient.close(3_600_000);
  answer();
  assert.equal(await stopped, 202);
  await closed;
  let begunToo = (): void => {};
  const hasBegunToo = new Promise<void>((resolve) => (begunToo = resolve));
  const impatient = await open(t, () => (begunToo(), new Promise(() => {})));
  const cut = assert.rejects(stop(impatient));
  await hasBegunToo;
  await impatient.close(10);
  await cut;
});

test('a server refuses one connection more of an address where all are busy', async (t) => {
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  let busy = 0;
  let allBusy = (): void => {};
  const areAllBusy = new Promise<void>((resolve) => (allBusy = resolve));
  const server = await open(t, () => {
    busy += 1;
    if (busy === 200) allBusy();
    return isReleased;
  });
  const request = `POST ${STOP} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.operator_token}\r\nContent-Length: 0\r\n\r\n`;
  await openSockets(t, server, 200, request);
  await areAllBusy;
  const more = await openSocket(t, server, request);
  more.resume();
  await Promise.race([once(more, 'end'), once(more, 'close')]);
  release();
  assert.equal(busy, 200);
});
