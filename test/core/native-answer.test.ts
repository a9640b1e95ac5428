import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { readAnswer } from '../../engine/core/nodes/answer.js';

// A model that calls tools natively answers with items: the core reads them as what a model writes as JSON.

type Given = Parameters<typeof readAnswer>;

const CALL = { type: 'function_call', call_id: 'call-1', name: 'buy_candy', arguments: '{"bars":1}' };

/** What the node reads in an answer of the text and the items. */
function read({
  text = '',
  items = [CALL],
  is_native = true,
}: {
  text?: string;
  items?: readonly Json[];
  is_native?: boolean;
}) {
  const node = { id: 'act', constraints: { token_budget: 1_000 } } as unknown as Given[0];
  const lane = { tokens: 0, duration_ms: 0, messages: [], ...(is_native ? { is_native } : {}) } as unknown as Given[2];
  const answer = readAnswer(node, {} as Given[1], lane, {
    kind: 'call_answered',
    key: 'bob/act/round-1/try-1',
    value: { text, items: [...items], finish_reason: 'stop' },
    usage: { input_tokens: 10, output_tokens: 5 },
    duration_ms: 1,
  });
  assert.ok('read' in answer);
  return answer.read;
}

test('a native call is the tool call that a model would write as JSON', () => {
  const said = read({});
  assert.ok(said.ok);
  assert.deepEqual(said.value, { kind: 'tool_call', tool_call: { name: 'buy_candy', arguments: { bars: 1 } } });
});

test('items count only where tools were offered natively', () => {
  const said = read({ text: '{"kind":"final_patch"}', is_native: false });
  assert.deepEqual(said.ok && said.value, { kind: 'final_patch' });
});

test('text beside no native call is the answer', () => {
  const said = read({ text: '{"kind":"final_patch"}', items: [] });
  assert.deepEqual(said.ok && said.value, { kind: 'final_patch' });
});

test('arguments that are left out are none, and those that are a JSON text are read', () => {
  for (const [written, meant] of [
    ['', {}],
    [' ', {}],
    ['"{\\"bars\\":2}"', { bars: 2 }],
  ] as const) {
    const said = read({ items: [{ ...CALL, arguments: written }] });
    assert.deepEqual(said.ok && said.value, { kind: 'tool_call', tool_call: { name: 'buy_candy', arguments: meant } });
  }
});

for (const [what, given, detail] of [
  ['two calls at once', { items: [CALL, { ...CALL, call_id: 'call-2' }] }, 'schema_invalid'],
  ['arguments that are no JSON', { items: [{ ...CALL, arguments: '{"bars":' }] }, 'bad_arguments'],
  ['arguments that are no object', { items: [{ ...CALL, arguments: '[1]' }] }, 'bad_arguments'],
  ['a tool call that is written as text', { items: [], text: '{"kind":"tool_call"}' }, 'schema_invalid'],
] as const) {
  test(`${what} are corrected, and call nothing`, () => {
    const said = read(given);
    assert.equal(!said.ok && said.complaint.detail, detail);
  });
}
