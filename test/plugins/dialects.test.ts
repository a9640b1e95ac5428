import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import {
  DIALECTS,
  type Dialect,
  send,
  serveDialect,
  type Utterance,
  type Wire,
} from '../../fixtures/dialects/index.js';
import {
  ask,
  chatCall,
  type Listener,
  makeRecorder,
  openTestSources,
  serve,
  summary,
  type Wanted,
} from '../sources/harness.js';

const SAID: Utterance = {
  reasoning: 'Bob is hungry. {He} might eat.',
  pieces: ['{"kind":', '"final_patch", "note": "Bob iß', 't <think>nothing</think> \u{1F31E}"}'],
};

/** An outcome, and all streamed text: the pieces written during the call, and the rest at its end. */
type Streamed = CallOutcome & { readonly streamed: string };

async function generate(t: TestContext, url: string, settings: JsonObject, wanted: Wanted = {}): Promise<Streamed> {
  const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL: url } });
  const command = chatCall(wanted, settings);
  const { schema_delivery = 'response_format' } = settings;
  assert.ok(command.generation);
  const generation = { ...command.generation, schema_delivery: schema_delivery as 'prompt' };
  const recorder = makeRecorder();
  const outcome = await ask(sources, { ...command, generation }, recorder);
  const batches = [...recorder.batches, ...(outcome.trace?.chunks ? [outcome.trace.chunks] : [])];
  return { ...outcome, streamed: Buffer.concat(batches.map(({ text }) => text)).toString() };
}

async function converse(t: TestContext, dialect: Dialect, settings: JsonObject): Promise<Streamed> {
  const server = await serveDialect(dialect, SAID);
  t.after(() => server.close());
  return generate(t, server.url, settings);
}

const answering =
  (wire: Wire): Listener =>
  (_, response) =>
    send(wire, response);

const messageOf = (outcome: CallOutcome): string => (outcome.status === 'failed' ? outcome.failure_message : '');
const artifactOf = (outcome: CallOutcome, kind: string) =>
  outcome.trace?.artifacts.find((artifact) => artifact.kind === kind)?.value;

for (const dialect of DIALECTS) {
  const { name, settings, keeps } = dialect;

  test(`${name}: the answer is the text, reasoning is beside it, and the finish reason is kept`, async (t) => {
    const outcome = await converse(t, dialect, settings);
    const finish_reason = keeps.ended_by === 'finish_reason' ? 'stop' : 'done';
    assert.deepEqual(
      [summary(outcome), messageOf(outcome)],
      [{ succeeded: { text: SAID.pieces.join(''), finish_reason } }, ''],
    );
    assert.equal(outcome.streamed, SAID.pieces.join(''));
    const reasoning = artifactOf(outcome, 'reasoning');
    assert.equal(typeof reasoning === 'string' ? reasoning.trim() : reasoning, keeps.reasoning_from && SAID.reasoning);
    const provider = artifactOf(outcome, 'provider') as JsonObject;
    assert.equal(provider['ended_by'], keeps.ended_by);
    assert.deepEqual(provider['reasoning_from'], keeps.reasoning_from && [keeps.reasoning_from]);
    assert.deepEqual(outcome.usage, keeps.tokens);
    assert.equal(artifactOf(outcome, 'counts_doubted'), undefined);
  });
}

for (const [name, settings, failed, message] of [
  ['Mistral', {}, 'call_rejected', /"usage": false/],
  ['DeepSeek', {}, 'structured_output_rejected', /"schema_delivery": "json_object"/],
  ['LM Studio', { schema_delivery: 'json_object' }, 'structured_output_rejected', /"schema_delivery": "prompt"/],
  ['a server that does not stream', {}, 'call_rejected', /"stream": false/],
] as const) {
  test(`${name}: settings that it refuses are reported, with what to write`, async (t) => {
    const dialect = DIALECTS.find((known) => known.name === name);
    assert.ok(dialect);
    const outcome = await converse(t, dialect, settings);
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(messageOf(outcome), message);
  });
}

interface ProviderSays {
  readonly who: string;
  readonly status: number;
  readonly body: string;
  readonly failed: string;
  readonly message: RegExp;
  readonly wait_ms?: number;
  readonly settings?: JsonObject;
}

const openAi = (message: string, code: string | null = null, also: JsonObject = {}): string =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code, ...also } });

const CONTEXT = /longer than the context/;

const ERRORS: readonly ProviderSays[] = [
  {
    who: 'context length, as OpenAI puts it',
    status: 400,
    body: openAi(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'context_length_exceeded',
    ),
    failed: 'call_rejected',
    message: CONTEXT,
  },
  {
    who: 'context length, as llama.cpp puts it',
    status: 500,
    body: '{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error"}}',
    failed: 'call_rejected',
    message: CONTEXT,
  },
  {
    who: 'context length, as LM Studio puts it under status 200',
    status: 200,
    body: '{"error":"Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough."}',
    failed: 'call_rejected',
    message: CONTEXT,
  },
  {
    who: 'context length, as x.ai puts it',
    status: 400,
    body: '{"code":"Client specified an invalid argument","error":"This model\'s maximum prompt length is 131072 but the request contains 150000 tokens."}',
    failed: 'call_rejected',
    message: CONTEXT,
  },
  {
    who: 'context length, as Anthropic puts it',
    status: 400,
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}',
    failed: 'call_rejected',
    message: CONTEXT,
  },
  {
    who: 'a rate limit under status 413',
    status: 413,
    body: openAi('Request too large for model on tokens per minute (TPM): Limit 6000', 'rate_limit_exceeded'),
    failed: 'http_status',
    message: /limits the rate of requests: try again/,
  },
  {
    who: 'a quota under status 429',
    status: 429,
    body: openAi('You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota'),
    failed: 'call_rejected',
    message: /quota or credit is used up: waiting does not help/,
  },
  {
    who: 'a rate limit that speaks of billing',
    status: 429,
    body: openAi(
      'Rate limit reached: limit 3 / min. Please try again in 20s. Add a payment method at https://example.org/billing.',
      'rate_limit_exceeded',
    ),
    failed: 'http_status',
    message: /limits the rate of requests.*: try again after the time that it tells/,
  },
  {
    who: 'a limit of requests, as Django puts it',
    status: 429,
    body: '{"detail":"Request was throttled. Expected available in 9 seconds."}',
    failed: 'http_status',
    message: /limits the rate of requests/,
    wait_ms: 9_000,
  },
  {
    who: 'a model that is being loaded',
    status: 503,
    body: '{"error":"Model m is currently loading","estimated_time":20.0}',
    failed: 'http_status',
    message: /on its side/,
    wait_ms: 20_000,
  },
  {
    who: 'a service that is down for its billing',
    status: 503,
    body: openAi('The billing service is unavailable.'),
    failed: 'http_status',
    message: /on its side; try again later/,
  },
  {
    who: 'a quota of a minute, as Gemini puts it',
    status: 429,
    body: '[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.\\nPlease retry in 34.07s.","status":"RESOURCE_EXHAUSTED"}}]',
    failed: 'http_status',
    message: /limits the rate of requests.*: try again after the time that it tells/,
  },
  {
    who: 'a limit of tokens that words it like a prompt that is too long',
    status: 429,
    body: openAi('Too many tokens, please wait before trying again.'),
    failed: 'http_status',
    message: /try again later/,
  },
  {
    who: 'an empty balance under status 402',
    status: 402,
    body: openAi('Insufficient Balance'),
    failed: 'call_rejected',
    message: /quota or credit is used up/,
  },
  {
    who: "Azure's content filter",
    status: 400,
    body: openAi(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      'content_filter',
    ),
    failed: 'model_refusal',
    message: /content filter refused the prompt/,
  },
  {
    who: 'a grammar that is too large',
    status: 400,
    body: '{"error":{"code":400,"message":"Failed to parse grammar: number of repetitions exceeds sane defaults","type":"invalid_request_error"}}',
    failed: 'structured_output_rejected',
    message: /"schema_delivery": "json_object".*"prompt"/,
  },
  {
    who: 'a grammar that breaks the server',
    status: 500,
    body: '{"error":{"code":500,"message":"Failed to initialize samplers: failed to parse grammar","type":"server_error"}}',
    failed: 'structured_output_rejected',
    message: /"schema_delivery"/,
  },
  {
    who: 'a schema of which FastAPI complains',
    status: 422,
    body: '{"detail":[{"loc":["body","response_format"],"msg":"unsupported schema"}]}',
    failed: 'structured_output_rejected',
    message: /unsupported schema/,
  },
  {
    who: 'an unknown max_completion_tokens',
    status: 422,
    body: '{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"]}]}',
    failed: 'call_rejected',
    message: /"extra_body": \{"max_tokens": N\}/,
  },
  {
    who: 'a template without a system message',
    status: 500,
    body: '{"error":{"message":"Jinja Exception: System role not supported"}}',
    failed: 'call_rejected',
    message: /as one user message/,
  },
  {
    who: 'words of grammar where no schema was sent',
    status: 500,
    body: '{"error":{"message":"grammar"}}',
    failed: 'http_status',
    message: /the fault is on its side/,
    settings: { schema_delivery: 'prompt' },
  },
];

for (const { who, status, body, failed, message, wait_ms, settings = {} } of ERRORS) {
  test(`${who} fails as ${failed}, and says what it is`, async (t) => {
    const wire = { status, content_type: 'application/json', body };
    const outcome = await generate(t, await serve(t, answering(wire)), settings);
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(messageOf(outcome), message);
    if (wait_ms !== undefined) assert.equal('retry_after_ms' in outcome && outcome.retry_after_ms, wait_ms);
    assert.equal(outcome.http_status, status);
    assert.equal(Buffer.from(outcome.response_body ?? []).toString(), body);
  });
}

const OPENING = 'data: {"choices":[{"index":0,"delta":{"content":"{"}}]}\n\n';

for (const [where, body] of [
  ['in a member of the data', `${OPENING}data: {"error":{"message":"the context length is exceeded"}}\n\n`],
  ['in an event of that name', `${OPENING}event: error\ndata: {"message":"the context length is exceeded"}\n\n`],
  ['in a field of that name', `${OPENING}error: {"code":400,"message":"the context length is exceeded"}\n\n`],
  ['as a text', `${OPENING}event: error\r\ndata: the context length is exceeded\r\n\r\n`],
] as const) {
  test(`an error in mid-stream ${where} is recognised by its words`, async (t) => {
    const outcome = await generate(t, await serve(t, answering({ content_type: 'text/event-stream', body })), {});
    assert.deepEqual(summary(outcome), { failed: 'call_rejected', refused: false });
    assert.match(messageOf(outcome), /the context length is exceeded; the prompt is longer/);
    assert.equal(outcome.streamed, '{');
  });
}

for (const [where, body, failed] of [
  [
    'in the first of a list of errors',
    '{"success":false,"errors":[{"code":429,"message":"retry in 9s"}]}',
    'http_status',
  ],
  ['in words alone', openAi('Rate limit reached, try again in 9s.', 'rate_limit_exceeded'), 'transport'],
] as const)
  test(`a wait that an answer of status 200 tells ${where} is read`, async (t) => {
    const outcome = await generate(t, await serve(t, answering({ content_type: 'application/json', body })), {});
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.equal('retry_after_ms' in outcome && outcome.retry_after_ms, 9_000);
  });

test('an object in a code fence that a server passes on as reasoning is the answer', async (t) => {
  const delta = { content: null, reasoning_content: '```json\n{"x":1}\n```' };
  const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
  const outcome = await generate(t, await serve(t, answering({ content_type: 'text/event-stream', body })), {});
  assert.deepEqual(summary(outcome), { succeeded: { text: delta.reasoning_content, finish_reason: 'stop' } });
});

test('a limit of the rate in mid-stream fails as a broken connection does, which a retry follows', async (t) => {
  const body = `${OPENING}data: ${openAi('Rate limit reached.', 'rate_limit_exceeded')}\n\n`;
  const outcome = await generate(t, await serve(t, answering({ content_type: 'text/event-stream', body })), {});
  assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
  assert.match(messageOf(outcome), /limits the rate of requests: try again later/);
});

const FAILED_GENERATION = openAi('Failed to call a function.', 'tool_use_failed', {
  failed_generation: '<function=buy>{}',
});

for (const [where, wire] of [
  ['a refusal', { status: 400, content_type: 'application/json', body: FAILED_GENERATION }],
  ['an event of a stream', { content_type: 'text/event-stream', body: `data: ${FAILED_GENERATION}\n\n` }],
] as const) {
  test(`a model's words are its answer, though ${where} holds them as a failed generation`, async (t) => {
    const outcome = await generate(t, await serve(t, answering(wire)), {});
    assert.deepEqual(summary(outcome), {
      succeeded: { text: '<function=buy>{}', finish_reason: 'tool_use_failed' },
    });
    assert.equal(outcome.streamed, '<function=buy>{}');
  });
}

test('native tool calls are the answer of a model without text, in any division into chunks', async (t) => {
  const call = (index: number, called: JsonObject): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: called }] } }] })}\n\n`;
  const body = [
    call(0, { name: 'buy', arguments: '' }),
    call(0, { arguments: '{"candy":' }),
    call(0, { arguments: '"mars"}' }),
    call(1, { name: 'look', arguments: {} }),
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  ].join('');
  const outcome = await generate(t, await serve(t, answering({ content_type: 'text/event-stream', body })), {});
  const text =
    '<tool_call>{"name": "buy", "arguments": {"candy":"mars"}}</tool_call>\n<tool_call>{"name": "look", "arguments": {}}</tool_call>';
  assert.deepEqual(summary(outcome), { succeeded: { text, finish_reason: 'tool_calls' } });
  assert.equal(outcome.streamed, text);
});

const says = (...contents: readonly string[]): Wire => ({
  content_type: 'text/event-stream',
  body: `${contents.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`).join('')}data: [DONE]\n\n`,
});

for (const [what, contents, text, reasoning] of [
  ['two blocks of thought', ['<think>a</think>', '\n<think>b</think>{"x":1}'], '{"x":1}', 'ab'],
  ['a tag of another name', [' [THINK]a[/THI', 'NK]{}'], '{}', 'a'],
  ['thought that never ends', ['<think>on and', ' on'], '', 'on and on'],
  ['a tag within the JSON', ['{"x":"<think>a</think>"}'], '{"x":"<think>a</think>"}', undefined],
  ['prose', ['Sure! ', '{}'], 'Sure! {}', undefined],
  ['the beginning of a tag and no more', ['<thi'], '<thi', undefined],
] as const) {
  test(`reasoning between tags: ${what}`, async (t) => {
    const outcome = await generate(t, await serve(t, answering(says(...contents))), {});
    assert.deepEqual(summary(outcome), { succeeded: { text, finish_reason: 'done' } });
    assert.equal(outcome.streamed, text);
    assert.equal(artifactOf(outcome, 'reasoning'), reasoning);
  });
}

test('reasoning between tags stays in the answer where the source says keep', async (t) => {
  const outcome = await generate(t, await serve(t, answering(says('<think>a</think>{}'))), { reasoning: 'keep' });
  assert.deepEqual(summary(outcome), { succeeded: { text: '<think>a</think>{}', finish_reason: 'done' } });
});

for (const [what, beginning, drop] of [
  ['white space for ever behind a whole value', '{"x":[1]}', '\n'],
  ['silence without end behind a whole value', '{"x":[1]}', ''],
  ['another turn for ever behind the mark of its end', '{"x":[1]}<|im_end|>', 'user'],
] as const) {
  test(`${what} ends the stream: the answer is taken, and nothing is waited for`, async (t) => {
    const chunk = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    let hangUp: () => void = () => {};
    const hungUp = new Promise<void>((resolve) => {
      hangUp = resolve;
    });
    const url = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk(beginning));
      const write = (): void => {
        if (!response.destroyed && drop !== '') response.write(chunk(drop), () => setImmediate(write));
      };
      response.on('close', hangUp);
      write();
    });
    const outcome = await generate(t, url, { timeout_ms: 60_000 });
    assert.deepEqual(summary(outcome), { succeeded: { text: '{"x":[1]}', finish_reason: 'done' } });
    assert.equal((artifactOf(outcome, 'provider') as JsonObject)['ended_by'], 'hung_up');
    await hungUp;
  });
}

test('an object that a server passes on as reasoning alone is the answer, which the record says', async (t) => {
  const delta = { content: '', reasoning_content: '{"x":1}' };
  const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
  const outcome = await generate(t, await serve(t, answering({ content_type: 'text/event-stream', body })), {});
  assert.deepEqual(summary(outcome), { succeeded: { text: '{"x":1}', finish_reason: 'stop' } });
  assert.equal((artifactOf(outcome, 'provider') as JsonObject)['answer_from'], 'reasoning');
});

test('marks of a chat template are kept beside the answer', async (t) => {
  const outcome = await generate(t, await serve(t, answering(says('<s>{}', '</', 's>'))), {});
  assert.deepEqual(summary(outcome), { succeeded: { text: '{}', finish_reason: 'done' } });
  assert.deepEqual(artifactOf(outcome, 'set_aside'), { before: '<s>', behind: '</s>' });
});

test('reasoning counts as what a model says: without a measure it is too large', async (t) => {
  for (const wire of [says('<think>', ...Array.from({ length: 40 }, () => 'x'.repeat(1_000)))]) {
    const outcome = await generate(t, await serve(t, answering(wire)), {});
    assert.deepEqual(summary(outcome), { failed: 'result_too_large', refused: false });
  }
});

test('a whole answer of a hundred megabytes is too large, and is hung up on', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[{"message":{"content":"');
    const part = 'x'.repeat(1_048_576);
    let left = 100;
    const write = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(part)) return void response.once('drain', write);
      }
      response.end('"},"finish_reason":"stop"}]}');
    };
    write();
  });
  const limits = { max_runtime_ms: 20_000, max_request_bytes: 8_192, max_result_bytes: 2_097_152 };
  const outcome = await generate(t, url, {}, { call: { limits } });
  assert.deepEqual(summary(outcome), { failed: 'result_too_large', refused: false });
});

for (const [what, wire, message] of [
  [
    'JSON that was cut',
    { content_type: 'application/json', body: '{"choices":[{"mess' },
    /a body that is not JSON, or was cut/,
  ],
  [
    'JSON of another API',
    { content_type: 'application/json', body: '{"status":"ok"}' },
    /JSON that is no part of an answer: \{"status"/,
  ],
  [
    'a page',
    { content_type: 'text/html', body: '<html><p>hi</p>\n\n</html>' },
    /without a stream \(text\/html\).*end in \/v1/,
  ],
  ['nothing', { content_type: null, body: '' }, /without a stream \(no content type\)/],
  [
    'a broken answer',
    {
      content_type: 'text/event-stream',
      body: `${OPENING}data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\n`,
    },
    /broke off its answer \(error\)/,
  ],
] as const) {
  test(`${what} in place of an answer fails as transport, and says so`, async (t) => {
    const outcome = await generate(t, await serve(t, answering(wire)), {});
    assert.deepEqual(summary(outcome), { failed: 'transport', refused: false });
    assert.match(messageOf(outcome), message);
    assert.equal(outcome.http_status, 200);
  });
}

for (const [what, beginning, drop] of [
  ['a stream that drips for ever', 'data: {"choices":[{"index":0,"delta":{"content":"{', 'x'],
  ['pieces that never end', OPENING, 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'],
  ['a whole answer that drips for ever', '{"choices":[{"message":{"content":"', 'x'],
  ['white space for ever', ' ', '\n'],
] as const) {
  test(`${what} ends as timeout, and is hung up on`, async (t) => {
    let hangUp: () => void = () => {};
    const hungUp = new Promise<void>((resolve) => {
      hangUp = resolve;
    });
    const url = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(beginning);
      const timer = setInterval(() => response.write(drop), 2);
      response.on('close', () => {
        clearInterval(timer);
        hangUp();
      });
    });
    const outcome = await generate(t, url, { timeout_ms: 300 });
    assert.deepEqual(summary(outcome), { failed: 'timeout', refused: false });
    await hungUp;
  });
}
