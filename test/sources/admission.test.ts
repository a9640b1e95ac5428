import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { FlightLimits, Sources } from '../../engine/sources/index.js';
import { waitUntil } from '../support/wait-until.js';
import { jsonCall, makeRecorder, openTestSources, serve } from './harness.js';

interface Service {
  readonly sources: Sources;
  /** Requests without an answer, oldest first. */
  readonly open: ServerResponse[];
  /** The most that were open at a time. */
  most: number;
}

/** A service that answers when the test says so. */
async function openService(t: TestContext, flight_limits: FlightLimits = {}): Promise<Service> {
  const service: { sources?: Sources; open: ServerResponse[]; most: number } = { open: [], most: 0 };
  const url = await serve(t, (request, response) => {
    request.resume();
    service.open.push(response);
    service.most = Math.max(service.most, service.open.length);
  });
  const lookUp = (name: string) => (name === 'CHUKWA_TEST_URL' ? url : undefined);
  const sources = await openTestSources(t, { lookUp, flight_limits });
  return Object.assign(service, { sources });
}

function limited(max_in_flight: number): Invoke {
  const command = jsonCall();
  return { ...command, call: { ...command.call, source: { ...command.call.source, max_in_flight } } };
}

function call({ sources }: Service, command: Invoke, signal = new AbortController().signal) {
  const surroundings = { client_request_id: 'park/turn-1/bob/act/call', correlation_id: 'call-1', signal };
  return sources.callSource(command, surroundings, makeRecorder());
}

const answer = (response: ServerResponse | undefined): void =>
  void response?.writeHead(200, { 'content-type': 'application/json' }).end('{"status": "ok"}');

test('a source with max_in_flight is asked by so many calls at a time, and by all of them in the end', async (t) => {
  const service = await openService(t);
  const calls = Array.from({ length: 9 }, () => call(service, limited(3)));
  let answered = 0;
  while (answered < 9) {
    const wanted = Math.min(3, 9 - answered);
    await waitUntil(() => service.open.length === wanted);
    answer(service.open.shift());
    answered += 1;
  }
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.deepEqual(
    statuses,
    Array.from({ length: 9 }, () => 'succeeded'),
  );
  assert.equal(service.most, 3);
});

test('a call that is aborted while it waits sends nothing, and leaves its place to the next', async (t) => {
  const service = await openService(t);
  const abort = new AbortController();
  const first = call(service, limited(1));
  await waitUntil(() => service.open.length === 1);
  const aborted = call(service, limited(1), abort.signal);
  const last = call(service, limited(1));
  abort.abort('nobody wants it');
  const end = await aborted;
  assert.equal(end.status === 'failed' && end.failure_class, 'stopped');
  answer(service.open.shift());
  assert.equal((await first).status, 'succeeded');
  await waitUntil(() => service.open.length === 1);
  answer(service.open.shift());
  assert.equal((await last).status, 'succeeded');
  assert.equal(service.most, 1);
});

test('a call without a rank is made before one of rank 1 that came first', async (t) => {
  const service = await openService(t);
  const first = call(service, limited(1));
  await waitUntil(() => service.open.length === 1);
  const ended: string[] = [];
  const higher = call(service, { ...limited(1), rank: 1 }).then(() => ended.push('rank 1'));
  const lower = call(service, limited(1)).then(() => ended.push('no rank'));
  for (let answered = 0; answered < 3; answered += 1) {
    await waitUntil(() => service.open.length === 1);
    answer(service.open.shift());
  }
  await Promise.all([first, higher, lower]);
  assert.deepEqual(ended, ['no rank', 'rank 1']);
});

const aside = (): Invoke => jsonCall({}, { path: '/aside' });

test('the sources of one endpoint share its limit', async (t) => {
  const service = await openService(t, { endpoint: 2 });
  const calls = [jsonCall(), aside(), jsonCall(), aside()].map((command) => call(service, command));
  for (let left = calls.length; left > 0; left -= 1) {
    await waitUntil(() => service.open.length === Math.min(2, left));
    answer(service.open.shift());
  }
  await Promise.all(calls);
  assert.equal(service.most, 2);
});

for (const status of [429, 503]) {
  test(`an endpoint that answers ${status} with Retry-After gets no call of any source until then`, async (t) => {
    const service = await openService(t);
    const refused = call(service, jsonCall());
    await waitUntil(() => service.open.length === 1);
    service.open.shift()?.writeHead(status, { 'retry-after-ms': '300' }).end();
    await refused;
    const began = performance.now();
    const next = call(service, aside());
    await waitUntil(() => service.open.length === 1);
    assert.ok(performance.now() - began > 200);
    answer(service.open.shift());
    assert.equal((await next).status, 'succeeded');
  });
}

for (const [status, headers] of [
  [500, { 'retry-after': '3600' }],
  [503, {}],
] as const) {
  test(`an endpoint that answers ${status} with headers ${JSON.stringify(headers)} gets the next call at once`, async (t) => {
    const service = await openService(t);
    const failed = call(service, jsonCall());
    await waitUntil(() => service.open.length === 1);
    service.open.shift()?.writeHead(status, headers).end();
    await failed;
    const next = call(service, aside());
    await waitUntil(() => service.open.length === 1);
    answer(service.open.shift());
    assert.equal((await next).status, 'succeeded');
  });
}
