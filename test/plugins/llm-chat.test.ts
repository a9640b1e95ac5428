import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import {
  ask,
  chatCall,
  makeRecorder,
  openTestSources,
  serve,
  storedText,
  summary,
  type Listener,
} from '../sources/harness.js';

const KEY = 'sk-test-canary-0001';

interface Received {
  url?: string | undefined;
  headers?: IncomingHttpHeaders;
  body?: JsonObject;
}

/** Starts an event stream; `send` writes one event. */
function stream(response: ServerResponse): (event: Json) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req-1' });
  return (event) => void response.write(`data: ${event === '[DONE]' ? event : JSON.stringify(event)}\n\n`);
}

const piece = (content: string): JsonObject => ({
  id: 'c-1',
  model: 'tiny-1',
  system_fingerprint: 'fp',
  choices: [{ index: 0, delta: { content } }],
});
const finish = (finish_reason: string): JsonObject => ({
  id: 'c-1',
  choices: [{ index: 0, delta: {}, finish_reason }],
});
const USAGE: JsonObject = {
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
};

const says =
  (...events: readonly Json[]): Listener =>
  (_, response) => {
    const send = stream(response);
    events.forEach(send);
    response.end();
  };

async function generate(
  t: TestContext,
  server: Listener,
  settings: JsonObject = {},
  overlay: Record<string, string> = { CHUKWA_LLM_API_KEY: KEY },
): Promise<CallOutcome> {
  const url = await serve(t, server);
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: `${url}/v1`, ...overlay } });
  return ask(sources, chatCall({}, settings));
}

test('a streamed answer is its text, its pieces, its tokens and who gave it', async (t) => {
  const server = says(piece('Hel'), piece('lo \u{1F31E}'), finish('stop'), USAGE, '[DONE]');
  const outcome = await generate(t, server, { reasoning: 'keep' });
  assert.ok(outcome.status === 'succeeded');
  assert.deepEqual(outcome.view, { text: 'Hello \u{1F31E}', finish_reason: 'stop' });
  assert.deepEqual(outcome.usage, { input_tokens: 10, output_tokens: 5, cached_input_tokens: 4, reasoning_tokens: 2 });
  const chunks = outcome.trace?.chunks;
  assert.equal(Buffer.from(chunks?.text ?? []).toString(), 'Hello \u{1F31E}');
  assert.deepEqual(chunks?.lengths, [3, 7]);
  assert.deepEqual(outcome.trace?.artifacts, [
    {
      kind: 'provider',
      value: {
        id: 'c-1',
        model: 'tiny-1',
        system_fingerprint: 'fp',
        finish_reason: 'stop',
        ended_by: 'finish_reason',
      },
    },
  ]);
  assert.equal(outcome.http_status, 200);
  assert.equal(outcome.response_headers?.['x-request-id'], 'req-1');
});

const COUNTS = { prompt_tokens: 1_003, completion_tokens: 5, total_tokens: 1_008 };
const WHOLE = { input_tokens: 1_003, output_tokens: 5 };

for (const [name, reported, usage, doubt] of [
  [
    'with input that was written to a cache',
    [{ ...COUNTS, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 } }],
    { ...WHOLE, cached_input_tokens: 4, cache_written_input_tokens: 2 },
  ],
  [
    'of a proxy that names the cache beside',
    [{ ...COUNTS, cache_read_input_tokens: 900, cache_creation_input_tokens: 100 }],
    { ...WHOLE, cached_input_tokens: 900, cache_written_input_tokens: 100 },
  ],
  [
    'of an API whose input is without its cache',
    [{ input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 900, cache_creation_input_tokens: 100 }],
    { ...WHOLE, cached_input_tokens: 900, cache_written_input_tokens: 100 },
  ],
  [
    'of an API with other names',
    [
      {
        input_tokens: 1_003,
        output_tokens: 5,
        total_tokens: 1_008,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens_details: { reasoning_tokens: 2 },
      },
    ],
    { ...WHOLE, cached_input_tokens: 4, reasoning_tokens: 2 },
  ],
  ['that come twice', [COUNTS, COUNTS], WHOLE],
  ['that are negative', [{ ...COUNTS, prompt_tokens: -5 }], undefined, /-5 is no number of tokens/],
  ['that lack the output', [{ prompt_tokens: 1_003 }], undefined, /no number of tokens/],
  ['that are no numbers', [{ prompt_tokens: '1003', completion_tokens: {} }], undefined],
  [
    'beyond what a number holds',
    [{ ...COUNTS, prompt_tokens: 2 ** 53 + 2 }],
    undefined,
    /9007199254740994 is no number of tokens/,
  ],
  ['beyond all numbers', [{ ...COUNTS, completion_tokens: 1e300 }], undefined, /1e\+300 is no number of tokens/],
  ['that are parts of a token', [{ ...COUNTS, prompt_tokens: 0.5 }], undefined, /0\.5 is no number of tokens/],
  ['whose output is a text', [{ ...COUNTS, completion_tokens: '5' }], undefined, /no number of tokens/],
  ['in two dialects that contradict each other', [{ ...COUNTS, input_tokens: 7, output_tokens: 9 }], WHOLE],
  [
    'whose cache is negative',
    [{ ...COUNTS, prompt_tokens_details: { cached_tokens: -4 } }],
    WHOLE,
    /-4 is no number of tokens/,
  ],
  [
    'whose cache is larger than the input',
    [{ ...COUNTS, prompt_tokens_details: { cached_tokens: 2_000 } }],
    { ...WHOLE, cached_input_tokens: 2_000 },
    /2000 tokens of the cache are more than the 1003 of the input/,
  ],
  [
    'whose reasoning is longer than the output',
    [{ ...COUNTS, completion_tokens_details: { reasoning_tokens: 50 } }],
    { ...WHOLE, reasoning_tokens: 50 },
    /50 tokens of reasoning are more than the 5/,
  ],
] as const satisfies readonly (readonly [string, readonly JsonObject[], object | undefined, RegExp?])[])
  test(`counts ${name} are ${doubt === undefined ? 'read' : 'doubted'}`, async (t) => {
    const events = reported.map((counts) => ({ choices: [], usage: counts }));
    const outcome = await generate(t, says(piece('Hello'), finish('stop'), ...events, '[DONE]'));
    assert.deepEqual(outcome.usage, usage);
    const doubted = outcome.trace?.artifacts.find(({ kind }) => kind === 'counts_doubted')?.value;
    if (doubt === undefined) assert.equal(doubted, undefined);
    else assert.match(JSON.stringify(doubted), doubt);
  });

test('the endpoint gets the conversation, the schema, the call and nothing of the machine', async (t) => {
  const received: Received = {};
  const server: Listener = async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    Object.assign(received, { url: request.url, headers: request.headers, body: JSON.parse(body) as JsonObject });
    says(piece('x'), finish('stop'))(request, response);
  };
  await generate(t, server, { temperature: 0.5, seed: 7, max_output_tokens: 100 });
  assert.equal(received.url, '/v1/chat/completions');
  assert.deepEqual(received.body, {
    model: 'tiny',
    messages: [
      { role: 'system', content: 'You are Bob.' },
      { role: 'user', content: 'Act.' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    seed: 7,
    max_completion_tokens: 100,
    response_format: { type: 'json_schema', json_schema: { name: 'final', strict: false, schema: { type: 'object' } } },
  });
  assert.equal(received.headers?.authorization, `Bearer ${KEY}`);
  assert.equal(received.headers?.['x-client-request-id'], 'park/turn-1/bob/act/round-1/try-1');
  const identifying = Object.keys(received.headers ?? {}).filter(
    (name) => name.startsWith('x-stainless') || name.startsWith('openai-'),
  );
  assert.deepEqual(identifying, []);
});

test('a schema in the prompt is not sent beside it', async (t) => {
  let body = '';
  const url = await serve(t, async (request, response) => {
    for await (const part of request) body += String(part);
    says(piece('x'), finish('stop'))(request, response);
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  const command = chatCall({}, { schema_delivery: 'prompt' });
  assert.ok(command.generation);
  await ask(sources, { ...command, generation: { ...command.generation, schema_delivery: 'prompt' } });
  assert.match(body, /"model":"tiny"/);
  assert.doesNotMatch(body, /response_format|temperature|seed|max_completion_tokens/);
});

test('an answer that was cut by its length is an ordinary answer', async (t) => {
  assert.deepEqual(summary(await generate(t, says(piece('Hel'), finish('length')))), {
    succeeded: { text: 'Hel', finish_reason: 'length' },
  });
});

const refuses =
  (status: number, error: Json, headers: Readonly<Record<string, string>> = {}): Listener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }));
  };

interface Failing {
  readonly name: string;
  readonly server: Listener;
  readonly failed: string;
  readonly message: RegExp;
  readonly finish_reason?: string;
  readonly settings?: JsonObject;
  readonly status?: number;
  /** Whether the time of the call passes once the server has done its part. */
  readonly is_silent?: boolean;
}

const TIMEOUT_MS = 15_000;

const FAILING: readonly Failing[] = [
  {
    name: 'a stream with neither a finish_reason nor [DONE]',
    server: says(piece('Hel')),
    failed: 'transport',
    message: /cut on the way/,
    status: 200,
  },
  { name: 'an empty stream', server: says(), failed: 'transport', message: /cut on the way/ },
  {
    name: 'a dropped connection',
    server: (_, response) => {
      stream(response)(piece('Hel'));
      setTimeout(() => response.destroy(), 10);
    },
    failed: 'transport',
    message: /closed the connection/,
    status: 200,
  },
  {
    name: 'an error event',
    server: says(piece('Hel'), { error: { message: 'out of memory' } }),
    failed: 'transport',
    message: /out of memory/,
    status: 200,
  },
  {
    name: 'an error event with the code of a rate limit, whose reason is in its metadata',
    server: says({
      error: { code: 429, message: 'Provider returned error', metadata: { raw: 'overloaded: please retry in 3 s' } },
    }),
    failed: 'http_status',
    message: /error 429: Provider returned error: overloaded: please retry in 3 s; .*after the time that it tells/,
    status: 429,
  },
  {
    name: 'an error of the choice, behind text',
    server: says(piece('Hel'), {
      choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: '502', message: 'upstream is gone' } }],
    }),
    failed: 'http_status',
    message: /error 502: upstream is gone; the fault is on its side/,
    status: 502,
  },
  {
    name: 'an error event about the schema',
    server: says({ error: { message: 'json_schema: unsupported keyword' } }),
    failed: 'structured_output_rejected',
    message: /unsupported keyword/,
  },
  {
    name: 'an error dressed as an event',
    server: says({ object: 'error', message: 'no such model' }),
    failed: 'transport',
    message: /no such model/,
  },
  {
    name: 'an event that is not JSON',
    server: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": [\n\n');
    },
    failed: 'transport',
    message: /not JSON/,
  },
  {
    name: 'a page in place of a stream',
    server: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi</p>'),
    failed: 'transport',
    message: /without a stream \(text\/html\)/,
    status: 200,
  },
  {
    name: 'refusal pieces',
    server: says(
      { choices: [{ index: 0, delta: { refusal: 'I will ' } }] },
      { choices: [{ index: 0, delta: { refusal: 'not.' } }] },
      finish('stop'),
    ),
    failed: 'model_refusal',
    message: /I will not\./,
    status: 200,
    finish_reason: 'stop',
  },
  {
    name: 'a content filter',
    server: says(piece('He'), finish('content_filter')),
    failed: 'model_refusal',
    message: /content filter/,
    finish_reason: 'content_filter',
  },
  {
    name: '400 about response_format',
    server: refuses(400, { message: "Invalid schema for response_format 'final'", param: 'response_format' }),
    failed: 'structured_output_rejected',
    message: /Invalid schema/,
    status: 400,
  },
  {
    name: '400 about something else',
    server: refuses(400, { message: 'context too long' }),
    failed: 'http_status',
    message: /400: context too long/,
    status: 400,
  },
  {
    name: '401',
    server: refuses(401, { message: 'bad key' }),
    failed: 'http_status',
    message: /bad key; set CHUKWA_LLM_API_KEY/,
    status: 401,
  },
  {
    name: '403',
    server: refuses(403, { message: 'no' }),
    failed: 'http_status',
    message: /no right to the model tiny/,
    status: 403,
  },
  {
    name: '404 of a path that nobody serves',
    server: (_, response) => response.writeHead(404).end('404 page not found.'),
    failed: 'http_status',
    message: /404: 404 page not found; .*tiny.*CHUKWA_LLM_BASE_URL/,
    status: 404,
  },
  {
    name: '404 for a model',
    server: refuses(404, { message: 'The model `tiny` does not exist.', code: 'model_not_found' }),
    failed: 'http_status',
    message: /does not exist; .*tiny.*CHUKWA_LLM_BASE_URL/,
    status: 404,
  },
  {
    name: '404 that explains itself',
    server: refuses(404, { message: 'Write an answer under "turns".', code: 'unscripted_request' }),
    failed: 'http_status',
    message: /404: Write an answer under "turns"\.$/,
    status: 404,
  },
  {
    name: '429',
    server: refuses(429, { message: 'slow down' }, { 'retry-after': '9' }),
    failed: 'http_status',
    message: /slow down; .*after 9 s/,
    status: 429,
  },
  {
    name: '504 that speaks of a timeout',
    server: refuses(504, { message: 'gateway timed out' }),
    failed: 'http_status',
    message: /gateway timed out/,
    status: 504,
  },
  {
    name: 'a redirect',
    server: (_, response) => response.writeHead(307, { location: '/v2' }).end(),
    failed: 'http_status',
    message: /CHUKWA_LLM_BASE_URL.*redirect/,
    status: 307,
  },
  { name: 'silence', server: () => {}, failed: 'timeout', message: /timeout_ms/, is_silent: true },
  {
    name: 'silence in the middle',
    server: (_, response) => stream(response)(piece('Hel')),
    failed: 'timeout',
    message: /timeout_ms/,
    is_silent: true,
  },
];

for (const { name, server, failed, message, settings, status, finish_reason, is_silent = false } of FAILING) {
  test(`${name} fails as ${failed}, and nothing is tried again`, async (t) => {
    if (is_silent) t.mock.timers.enable({ apis: ['setTimeout'] });
    let requests = 0;
    const counted: Listener = (request, response) => {
      requests += 1;
      server(request, response);
      if (is_silent) t.mock.timers.tick(TIMEOUT_MS);
    };
    const outcome = await generate(t, counted, is_silent ? { timeout_ms: TIMEOUT_MS } : settings);
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', message);
    assert.equal(outcome.http_status, status ?? outcome.http_status);
    assert.equal(outcome.finish_reason, finish_reason);
    assert.equal(requests, failed === 'unavailable' ? 0 : 1);
  });
}

for (const [name, odd] of [
  ['null', null],
  ['a number', 5],
  ['a list', [{ choices: [] }]],
  ['choices that are no list', { choices: { a: 1 } }],
  ['no choice in the choices', { choices: [null, 5] }],
  ['content that is no text', { choices: [{ index: 0, delta: { content: { a: 1 } } }] }],
  ['a refusal that is no text', { choices: [{ index: 0, delta: { refusal: ['no'] } }] }],
  ['a delta that is no object', { choices: [{ index: 0, delta: 'Hi' }] }],
] as const) {
  test(`an event with ${name} fails as transport, in our own words`, async (t) => {
    const outcome = await generate(t, says(piece('Hel'), odd, finish('stop'), '[DONE]'));
    assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
    const message = outcome.status === 'failed' ? outcome.failure_message : '';
    assert.match(message, /^the stream held an event that is no part of an answer: /);
    assert.equal(Buffer.from(outcome.trace?.chunks?.text ?? []).toString(), 'Hel');
  });
}

for (const [name, events] of [
  ['usage that is no object', [piece('Hi'), { choices: [], usage: 7 }, finish('stop'), '[DONE]']],
  [
    'a reason to end that is no text',
    [piece('Hi'), { choices: [{ index: 0, delta: {}, finish_reason: { c: 3 } }] }, finish('stop')],
  ],
  ['the number of its choice as a text', [{ choices: [{ index: '0', delta: { content: 'Hi' } }] }, finish('stop')]],
  ['an event of its own behind the answer', [piece('Hi'), finish('stop'), { citations: [] }, '[DONE]']],
  ['an event that is no JSON behind the answer', [piece('Hi'), finish('stop'), '[done]']],
] as const)
  test(`${name} does not decide over the answer beside it`, async (t) => {
    assert.deepEqual(summary(await generate(t, says(...events))), { succeeded: { text: 'Hi', finish_reason: 'stop' } });
  });

for (const [what, end] of [
  ['ends', (response) => response.end()],
  ['breaks', (response) => setTimeout(() => response.destroy(), 50)],
] as const satisfies readonly (readonly [string, (response: ServerResponse) => void])[])
  test(`a JSON value is the answer where the stream ${what} behind it without a reason`, async (t) => {
    const outcome = await generate(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(piece('{"a": 1}'))}\n\n`);
      end(response);
    });
    assert.deepEqual(summary(outcome), { succeeded: { text: '{"a": 1}', finish_reason: 'done' } });
  });

test('the pieces before a stream was cut stay on the record', async (t) => {
  const outcome = await generate(t, says(piece('Hel'), piece('lo')));
  assert.equal(outcome.status, 'failed');
  assert.equal(Buffer.from(outcome.trace?.chunks?.text ?? []).toString(), 'Hello');
});

test('the body of a refusal stays on the record', async (t) => {
  const outcome = await generate(t, refuses(429, { message: 'slow down' }));
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{"error":{"message":"slow down"}}');
});

test('an endpoint that repeats a part of the key where its words are cut puts no part into an outcome', async (t) => {
  const plain =
    (body: string): Listener =>
    (_, response) =>
      response.writeHead(401, { 'content-type': 'text/plain' }).end(body);
  const echoes: readonly Listener[] = [
    refuses(401, { message: 'z'.repeat(490) + KEY }),
    plain(`${'z'.repeat(65_536 - 10)}${KEY} and more`),
    plain(`${'z'.repeat(32_768 - 10)}${KEY} and more`),
    (_, response) => {
      response.writeHead(401, { 'content-length': '1000' });
      response.write(`Incorrect key ${KEY.slice(0, 12)}`, () => response.destroy());
    },
    says({ error: { message: 'z'.repeat(490) + KEY } }),
    says({ choices: [{ index: 0, delta: { refusal: 'z'.repeat(490) + KEY } }] }, finish('stop')),
    says({ object: 'error', message: 'z'.repeat(440) + KEY }),
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: {"choices": ${KEY}\n\n`);
    },
  ];
  for (const server of echoes) {
    const outcome = await generate(t, server);
    assert.equal(outcome.status, 'failed');
    assert.doesNotMatch(storedText(outcome), /sk-t/);
  }
});

test('a key that the model spells with escapes is replaced before anybody parses them', async (t) => {
  const escaped = Array.from(KEY, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
    '',
  );
  const outcome = await generate(
    t,
    says(piece(`{"a":"${escaped.slice(0, 20)}`), piece(`${escaped.slice(20)}"}`), finish('stop')),
  );
  assert.ok(outcome.status === 'succeeded');
  assert.deepEqual(outcome.view, { text: '{"a":"[secret:CHUKWA_LLM_API_KEY]"}', finish_reason: 'stop' });
  assert.equal(Buffer.from(outcome.trace?.chunks?.text ?? []).toString(), '{"a":"[secret:CHUKWA_LLM_API_KEY]"}');
});

test('an endpoint that repeats the key puts it into no outcome', async (t) => {
  const echoes: readonly Listener[] = [
    refuses(401, { message: `Incorrect key ${KEY}` }, { 'x-request-id': KEY }),
    says({ error: { message: `Incorrect key ${KEY}` } }),
    says(piece(`It is ${KEY.slice(0, 8)}`), piece(KEY.slice(8)), finish('stop')),
    says({ choices: [{ index: 0, delta: { refusal: KEY } }], id: KEY }, finish('stop')),
  ];
  for (const server of echoes) {
    const stored = storedText(await generate(t, server));
    assert.match(stored, /\[secret:CHUKWA_LLM_API_KEY\]/);
    assert.doesNotMatch(stored, /canary/);
  }
});

test("without a key an endpoint of one's own gets none, or what its URL holds, and the default one is not asked", async (t) => {
  const seen: (string | undefined)[] = [];
  const server: Listener = (request, response) => {
    seen.push(request.headers.authorization);
    says(piece('x'), finish('stop'))(request, response);
  };
  assert.equal((await generate(t, server, {}, {})).status, 'succeeded');
  const url = (await serve(t, server)).replace('//', '//ann:pass-word@');
  const behind = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  assert.equal((await ask(behind, chatCall())).status, 'succeeded');
  assert.deepEqual(seen, [undefined, `Basic ${Buffer.from('ann:pass-word').toString('base64')}`]);
  const sources = await openTestSources(t);
  const outcome = await ask(sources, chatCall());
  assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: false });
  assert.match(outcome.status === 'failed' ? outcome.failure_message : '', /CHUKWA_LLM_API_KEY/);
});

test('a long stream is written while it runs, and the rest leaves with its end', async (t) => {
  let goOn: () => void = () => {};
  const flushed = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const url = await serve(t, async (_, response) => {
    const send = stream(response);
    send(piece('sun \ud83c'));
    await flushed;
    send(piece('\udf1e!'));
    send(finish('stop'));
    response.end();
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  const recorder = makeRecorder({ flushed: async () => goOn() });
  const outcome = await ask(sources, chatCall({}, { reasoning: 'keep' }), recorder);
  assert.deepEqual(summary(outcome), { succeeded: { text: 'sun \u{1F31E}!', finish_reason: 'stop' } });
  assert.deepEqual(
    recorder.batches.map((batch) => Buffer.from(batch.text).toString()),
    ['sun '],
  );
  assert.equal(outcome.trace?.chunks?.batch_seq, 2);
  assert.equal(Buffer.from(outcome.trace?.chunks?.text ?? []).toString(), '\u{1F31E}!');
});

test("a stream whose record is taken over ends at once, and the recorder's word comes out", async (t) => {
  const url = await serve(t, (_, response) => stream(response)(piece('Hel')));
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  const recorder = makeRecorder({ flushed: () => Promise.reject(new Error('overtaken')) });
  await assert.rejects(ask(sources, chatCall({}, { reasoning: 'keep' }), recorder), /overtaken/);
});

test('a model that says more than its limit is cut short', async (t) => {
  const outcome = await generate(t, (_, response) => {
    const send = stream(response);
    for (let count = 0; count < 40; count += 1) send(piece('x'.repeat(1_000)));
  });
  assert.deepEqual(summary(outcome), { failed: 'result_too_large', refused: false });
});

test('calls of one source that run at once have each their own request, answer, failure and signal', async (t) => {
  const answers = new Map<string, ServerResponse>();
  let arrive: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const url = await serve(t, (request, response) => {
    answers.set(String(request.headers['x-client-request-id']), response);
    if (answers.size === 3) arrive();
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  const stop = new AbortController();
  const { signal } = new AbortController();
  const surroundings = { correlation_id: 'call-1', signal };
  const asked = [
    sources.callSource(chatCall(), { ...surroundings, client_request_id: 'park/turn-1/a' }, makeRecorder()),
    sources.callSource(chatCall(), { ...surroundings, client_request_id: 'park/turn-1/b' }, makeRecorder()),
    sources.callSource(
      chatCall(),
      { ...surroundings, client_request_id: 'park/turn-1/c', signal: stop.signal },
      makeRecorder(),
    ),
  ];
  await arrived;
  stop.abort('enough');
  const refused = answers.get('park/turn-1/b');
  refused?.writeHead(503).end('{"error":{"message":"busy"}}');
  const answered = answers.get('park/turn-1/a');
  assert.ok(answered);
  [piece('of a'), finish('stop'), '[DONE]'].forEach(stream(answered));
  answered.end();
  assert.deepEqual((await Promise.all(asked)).map(summary), [
    { succeeded: { text: 'of a', finish_reason: 'stop' } },
    { failed: 'http_status', refused: false },
    { failed: 'stopped', refused: false },
  ]);
});

test('each source sends its own key, whichever was asked before, and a changed one once it is opened again', async (t) => {
  const seen: unknown[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.headers.authorization);
    says(piece('x'), finish('stop'))(request, response);
  });
  const overlay = { CHUKWA_LLM_BASE_URL: url, CHUKWA_LLM_API_KEY: KEY, CHUKWA_LOCAL_URL: url };
  const [named, own, keyless] = [chatCall(), chatCall({}, { api_key_env: 'CHUKWA_LOCAL_KEY' }), chatCall({}, LOCAL)];
  for (const CHUKWA_LOCAL_KEY of ['sk-local-canary-1', 'sk-local-canary-2']) {
    const sources = await openTestSources(t, { overlay: { ...overlay, CHUKWA_LOCAL_KEY } });
    for (const command of [named, own, keyless, named]) assert.equal((await ask(sources, command)).status, 'succeeded');
  }
  const keys = (local: string) => [`Bearer ${KEY}`, `Bearer ${local}`, undefined, `Bearer ${KEY}`];
  assert.deepEqual(seen, [...keys('sk-local-canary-1'), ...keys('sk-local-canary-2')]);
});

const LOCAL = { base_url_env: 'CHUKWA_LOCAL_URL' } as const;

for (const [what, settings, sent] of [
  ['without a variable for its key gets none', LOCAL, undefined],
  ['gets the key of its own variable', { ...LOCAL, api_key_env: 'CHUKWA_LOCAL_KEY' }, 'Bearer sk-local-canary-1'],
] as const) {
  test(`an endpoint that a source names by a variable ${what}, and never that of another`, async (t) => {
    let authorization: string | undefined;
    const url = await serve(t, (request, response) => {
      authorization = request.headers.authorization;
      says(piece(`{"key":"${authorization}"}`), finish('stop'))(request, response);
    });
    const overlay = {
      CHUKWA_LOCAL_URL: url,
      CHUKWA_LOCAL_KEY: 'sk-local-canary-1',
      CHUKWA_LLM_BASE_URL: 'http://127.0.0.1:1',
      CHUKWA_LLM_API_KEY: KEY,
    };
    const outcome = await ask(await openTestSources(t, { overlay }), chatCall({}, settings));
    assert.equal(outcome.status, 'succeeded');
    assert.equal(authorization, sent);
    assert.doesNotMatch(storedText(outcome), /canary/);
  });
}

for (const [what, settings, overlay, message] of [
  ['an endpoint whose variable', LOCAL, { CHUKWA_LLM_BASE_URL: 'http://127.0.0.1:1' }, /CHUKWA_LOCAL_URL is not set/],
  ['a key whose variable', { api_key_env: 'CHUKWA_X_KEY' }, { CHUKWA_LLM_API_KEY: KEY }, /CHUKWA_X_KEY is not set/],
  [
    'a key that is too short to be kept out of records, since a longer one',
    { api_key_env: 'CHUKWA_X_KEY' },
    { CHUKWA_X_KEY: 'key' },
    /CHUKWA_X_KEY holds a secret of 3 characters/,
  ],
  ['a model whose variable', { model_env: 'CHUKWA_X_MODEL' }, {}, /CHUKWA_X_MODEL is not set/],
] as const) {
  test(`${what} is not set fails the call: no other is taken in its place`, async (t) => {
    const command = chatCall({}, settings);
    const { source } = command.call;
    const { model, ...nameless } = source.interface;
    const named = 'model_env' in settings || model === undefined ? nameless : { ...nameless, model };
    const sources = await openTestSources(t, { overlay });
    const outcome = await ask(sources, {
      ...command,
      call: { ...command.call, source: { ...source, interface: named } },
    });
    assert.equal(outcome.status === 'failed' && outcome.failure_class, 'unavailable');
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', message);
  });
}

for (const [what, settings] of [
  ['a token of the engine for a key', { api_key_env: 'CHUKWA_OPERATOR_TOKEN' }],
  ['a variable of the system for an endpoint', { base_url_env: 'HTTPS_PROXY' }],
  ['a key for a model', { model_env: 'CHUKWA_LLM_API_KEY' }],
  ['a member of the body that has a setting', { extra_body: { stream: false } }],
] as const) {
  test(`a source that names ${what} is refused before anything is sent`, async (t) => {
    const outcome = await generate(t, () => assert.fail('something was sent'), settings);
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
  });
}

test('more members of the body are merged into it, and a stream without token counts does not ask for them', async (t) => {
  let body: JsonObject = {};
  const server: Listener = async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    body = JSON.parse(text) as JsonObject;
    says(piece('x'), finish('stop'))(request, response);
  };
  const extra_body = { chat_template_kwargs: { enable_thinking: false }, max_tokens: 5 };
  await generate(t, server, { usage: false, extra_body });
  assert.deepEqual(
    [body['chat_template_kwargs'], body['max_tokens'], body['stream_options']],
    [{ enable_thinking: false }, 5, undefined],
  );
});
