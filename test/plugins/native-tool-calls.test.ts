import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { AnswerItem, FunctionCallItem } from '../../engine/contract/source.js';
import type { Generation } from '../../engine/core/protocol/command.js';
import { toReplies, toSaidMessage } from '../../engine/core/prompt/items.js';
import { toMessage } from '../../engine/core/prompt/message.js';
import { NATIVE_STREAMS } from '../../fixtures/dialects/native-streams.js';
import { extent } from '../support/extent.js';
import { ask, chatCall, openTestSources, serve, summary } from '../sources/harness.js';

const SCHEMA = { type: 'object' };
const ANSWER = { name: 'final', schema: SCHEMA, hash: 'd', delivered: { schema: SCHEMA, hash: 'e' } };
const TOOLS = [{ name: 'tide', description: 'The tide.', parameters: { type: 'object', properties: {} } }];

function generation(messages: Generation['messages'], may_call = true): Generation {
  const offered = { ...ANSWER, native: { tools: TOOLS, may_call, answer: ANSWER } };
  return { conversation: 'ada/act', messages, prefix_hash: 'c', offered, schema_delivery: 'response_format' };
}

const ASKED = [toMessage('user', [{ origin: 'author', text: 'Act.' }])];

async function open(t: TestContext, answer: () => readonly Uint8Array[]) {
  const bodies: JsonObject[] = [];
  const url = await serve(t, async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    bodies.push(JSON.parse(text) as JsonObject);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of answer()) {
      response.write(piece);
      await new Promise(setImmediate);
    }
    response.end();
  });
  const overlay = { CHUKWA_LLM_BASE_URL: `${url}/v1`, CHUKWA_LLM_API_KEY: 'sk-test-canary-0002' };
  const sources = await openTestSources(t, { overlay });
  const generate = (asked: Generation, settings: JsonObject = {}) =>
    ask(sources, chatCall({ generation: asked }, { tool_calling: 'native', ...settings }));
  return { bodies, generate };
}

/** Within each character of several bytes, after each line, and at every seventh place; or at all places. */
function cutsOf(bytes: Buffer): readonly number[] {
  const all = Array.from({ length: bytes.length + 1 }, (_, place) => place);
  const tells = (place: number): boolean =>
    place % 7 === 0 || ((bytes[place] ?? 0) & 0xc0) === 0x80 || bytes[place - 1] === LINE_END;
  return extent(all.filter(tells), all);
}
const LINE_END = 10;

for (const { name, stream, items } of NATIVE_STREAMS) {
  test(`${name}: the calls are the same, wherever its stream is cut`, async (t) => {
    const bytes = Buffer.from(stream);
    let cut = 0;
    const { generate } = await open(t, () =>
      [bytes.subarray(0, cut), bytes.subarray(cut)].filter((piece) => piece.length > 0),
    );
    for (cut of cutsOf(bytes)) {
      const outcome = await generate(generation(ASKED));
      assert.ok(outcome.status === 'succeeded', `cut at ${cut}: ${JSON.stringify(summary(outcome))}`);
      assert.deepEqual((outcome.view as JsonObject)['items'] ?? [], items, `cut at ${cut}`);
    }
  });
}

test('a stream that breaks off within a call calls nothing', async (t) => {
  const [first] = NATIVE_STREAMS;
  const whole = Buffer.from(first?.stream ?? '');
  const end = whole.indexOf('finish_reason":"tool_calls');
  let length = 0;
  const { generate } = await open(t, () => [whole.subarray(0, length)]);
  for (length = 1; length < end; length += 37) {
    const outcome = await generate(generation(ASKED));
    assert.equal(outcome.status, 'failed', `after ${length} bytes`);
  }
});

test('a request holds exactly the members that providers take', async (t) => {
  const { bodies, generate } = await open(t, () => [Buffer.from(NATIVE_STREAMS[0]?.stream ?? '')]);
  const call: FunctionCallItem = { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{"at":"quay"}' };
  const reasoning: AnswerItem = { type: 'reasoning', provider: { reasoning_content: 'Hm.' } };
  const said = { text: '', items: [reasoning, call] };
  const conversation = [
    ...ASKED,
    toSaidMessage(said),
    ...toReplies(said, [{ origin: 'tool_result', text: '{"ok":true,"value":3}' }]),
  ];
  await generate(generation(conversation), { tool_choice: 'auto' });
  await generate(generation(conversation, false), { tool_choice: 'auto' });
  const [body, last] = bodies;
  assert.deepEqual(body?.['tools'], [
    {
      type: 'function',
      function: { name: 'tide', description: 'The tide.', parameters: { type: 'object', properties: {} } },
    },
  ]);
  assert.deepEqual(body?.['messages'], [
    { role: 'user', content: 'Act.' },
    {
      role: 'assistant',
      reasoning_content: 'Hm.',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{"at":"quay"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '{"ok":true,"value":3}' },
  ]);
  assert.deepEqual([body?.['tool_choice'], last?.['tool_choice']], ['auto', 'none']);
});

const CALL: FunctionCallItem = { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{}' };
const RESULT = toReplies({ items: [CALL] }, [{ origin: 'tool_result', text: '3' }]);
const SAID = toSaidMessage({ text: '', items: [CALL] });

for (const [what, messages] of [
  ['a result without its call', [...ASKED, ...RESULT]],
  ['a second result of a call', [...ASKED, SAID, ...RESULT, ...RESULT]],
  ['a call without a result', [...ASKED, SAID, ...ASKED]],
] as const) {
  test(`${what} is refused, and nothing is sent`, async (t) => {
    const { bodies, generate } = await open(t, () => []);
    const outcome = await generate(generation(messages));
    assert.ok(outcome.status === 'failed');
    assert.equal(outcome.failure_class, 'schema_invalid');
    assert.deepEqual(bodies satisfies readonly Json[], []);
  });
}
