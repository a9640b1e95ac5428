import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createGzip, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import { makeSourceFailure } from '../../engine/sources/source-failure.js';
import { timerAlarm } from '../../engine/sources/timer-alarm.js';
import { readEvents } from '../../plugins/llm_chat/event-stream.js';
import { ask, chatCall, type Listener, openTestSources, serve, summary, type Wanted } from '../sources/harness.js';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

const event = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
const piece = (content: string): string => event({ id: 'c-1', choices: [{ index: 0, delta: { content } }] });
const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const DONE = 'data: [DONE]\n\n';

/** The checksum and the length at the end of a body in gzip. */
const GZIP_TRAILER_BYTES = 8;

async function generate(t: TestContext, server: Listener, wanted: Wanted = {}): Promise<CallOutcome> {
  const url = await serve(t, server);
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  return ask(sources, chatCall(wanted));
}

/** Writes the same for ever, as fast as it is read. */
function flood(response: ServerResponse, part: string | Uint8Array, into: NodeJS.WritableStream = response): void {
  const write = (): void => {
    while (!response.destroyed) {
      if (!into.write(part)) return void into.once('drain', write);
    }
  };
  write();
}

const floods =
  (part: string): Listener =>
  (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    flood(response, part);
  };

const says =
  (...parts: readonly string[]): Listener =>
  (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.end(parts.join(''));
  };

const answering = (choice: Json): Listener => says(event({ choices: [choice] }), FINISH, DONE);

interface Flood {
  readonly name: string;
  readonly server: Listener;
  readonly message: RegExp;
  readonly wanted?: Wanted;
}

const LARGE: Wanted = {
  call: { limits: { max_runtime_ms: 20_000, max_request_bytes: 8_192, max_result_bytes: 2_097_152 } },
};

const FLOODS: readonly Flood[] = [
  { name: 'an event without an end', server: floods(`data: ${'x'.repeat(10_000)}`), message: /one event .*1048576/ },
  {
    name: 'an event of lines without an end',
    server: floods('data: x\n'.repeat(200)),
    message: /one event .*1048576/,
  },
  {
    name: 'a small body that unpacks without an end',
    server: (_, response) => {
      response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': 'gzip' });
      const packed = createGzip();
      packed.pipe(response);
      flood(response, Buffer.alloc(1_048_576), packed);
    },
    message: /one event .*1048576/,
  },
  {
    name: 'comments without an end',
    server: floods(': ping\n\n'.repeat(2_000)),
    message: /more than 67108864 bytes/,
    wanted: LARGE,
  },
  {
    name: 'a refusal of many pieces',
    server: says(event({ choices: [{ index: 0, delta: { refusal: 'r'.repeat(1_000) } }] }).repeat(40), FINISH, DONE),
    message: /more than 32768 bytes/,
  },
  {
    name: 'a name of forty thousand letters',
    server: says(event({ id: 'i'.repeat(40_000), choices: [] }), FINISH),
    message: /more than 32768 bytes/,
  },
  {
    name: 'a reason to end of forty thousand letters',
    server: answering({ index: 0, delta: { content: 'x' }, finish_reason: 'f'.repeat(40_000) }),
    message: /more than 32768 bytes/,
  },
];

for (const { name, server, message, wanted } of FLOODS) {
  test(`${name} is too large, and is hung up on`, async (t) => {
    const outcome = await generate(t, server, wanted);
    assert.deepEqual(summary(outcome), { failed: 'result_too_large', refused: false });
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', message);
    assert.equal(outcome.http_status, 200);
  });
}

test('of a refusal whose body has no end the status and the beginning are kept', async (t) => {
  const outcome = await generate(
    t,
    (_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      flood(response, 'A'.repeat(10_000));
    },
    LARGE,
  );
  assert.deepEqual(summary(outcome), { failed: 'http_status', refused: false });
  assert.match(outcome.status === 'failed' ? outcome.failure_message : '', /status 500: AAA/);
  assert.equal(outcome.http_status, 500);
  assert.equal(outcome.response_body?.length, 65_536);
});

test('a refusal whose body is not ended is a refusal', async (t) => {
  const outcome = await generate(t, (_, response) => void response.writeHead(400).write('context_length_exceeded'), {
    deadline_ms: 2_000,
  });
  assert.deepEqual(summary(outcome), { failed: 'call_rejected', refused: false });
  assert.equal(outcome.http_status, 400);
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), 'context_length_exceeded');
});

test('an endpoint that goes on after [DONE] has answered', async (t) => {
  for (const after of ['', piece('more')]) {
    const outcome = await generate(t, (_, response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(piece('Hi') + FINISH + DONE);
      const timer = setInterval(() => after !== '' && response.write(after), 20);
      response.on('close', () => clearInterval(timer));
    });
    assert.deepEqual(summary(outcome), { succeeded: { text: 'Hi', finish_reason: 'stop' } });
  }
});

for (const [what, events, expected] of [
  ['behind [DONE] has answered', [FINISH, DONE], { succeeded: { text: 'Hi', finish_reason: 'stop' } }],
  ['before [DONE] was cut on the way', [FINISH], { failed: 'transport', refused: false }],
  ['before the model had finished was cut on the way', [], { failed: 'transport', refused: false }],
] as const)
  test(`a compressed stream that breaks off ${what}`, async (t) => {
    const packed = gzipSync([piece('Hi'), ...events].join(''));
    const outcome = await generate(t, (_, response) => {
      response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': 'gzip' });
      response.end(packed.subarray(0, packed.length - GZIP_TRAILER_BYTES));
    });
    assert.deepEqual(summary(outcome), expected);
    if (outcome.status === 'failed') assert.match(outcome.failure_message, /cannot be decompressed: unexpected end/);
  });

test('an endpoint that ends after [DONE] keeps its connection for the next call', async (t) => {
  const ports = new Set<number | undefined>();
  const url = await serve(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(200, EVENT_STREAM);
    response.write(piece('Hi') + FINISH + DONE, () => setTimeout(() => response.end(), 5));
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  for (let count = 0; count < 6; count += 1) assert.equal((await ask(sources, chatCall())).status, 'succeeded');
  // A connection may still be finishing when the next call begins.
  assert.ok(ports.size <= 3, `${ports.size} connections`);
});

const HANDED = { failure: makeSourceFailure, alarm: timerAlarm };

async function readAll(parts: readonly Uint8Array[]): Promise<readonly string[]> {
  const given = new ReadableStream<Uint8Array>({
    start(controller) {
      parts.forEach((part) => controller.enqueue(part));
      controller.close();
    },
  });
  const read: string[] = [];
  for await (const data of readEvents(given.getReader(), HANDED)) read.push(...data);
  return read;
}

test('events without an end that say nothing are too many', async () => {
  const part = new TextEncoder().encode('data: {"choices":[]}\n\n'.repeat(500));
  const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(part) });
  await assert.rejects(
    async () => {
      for await (const _ of readEvents(endless.getReader(), HANDED));
    },
    { failure_class: 'result_too_large', message: /more than 200000 events/ },
  );
});

test('however a stream is cut on its way, the data of its events arrive whole', async () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  const line = fc.constantFrom('data: {"a":1}', 'data: ü', 'event: x', ': nothing', 'data');
  const stream = fc.tuple(ends, fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(stream, fc.integer({ min: 1, max: 9 }), async ([end, events], size) => {
      const toText = (lines: readonly string[]): string => `${lines.join(end)}${end}${end}`;
      const bytes = new TextEncoder().encode(events.map(toText).join(''));
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const data = events.map((lines) => lines.filter((text) => text.startsWith('data')));
      const said = data.filter((lines) => lines.length > 0);
      const expected = said.map((lines) => lines.map((text) => text.slice('data: '.length)).join('\n'));
      assert.deepEqual(await readAll(parts), expected);
    }),
    { seed: 11, numRuns: 400 },
  );
});
