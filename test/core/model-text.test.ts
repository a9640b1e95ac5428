import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMisfit } from '../../engine/core/nodes/judge-output.js';
import { readModelText } from '../../engine/core/nodes/model-text.js';
import type { SchemaProgram } from '../../engine/core/protocol/program.js';

/** The words around a fault, as data. */
function near(words: string): string {
  return JSON.stringify(words);
}

test('an object that is written as a JSON text is read', () => {
  const object = { kind: 'final', note: 'a "quoted" word' };
  const read = readModelText({ text: JSON.stringify(JSON.stringify(object, null, 2)), finish_reason: 'stop' });
  assert.deepEqual(read.ok && read.value, object);
  const broken = readModelText({ text: JSON.stringify('{"a":1,}'), finish_reason: 'stop' });
  assert.match(broken.ok ? '' : broken.complaint.message, /comma stands before the closing/);
});

test('a fence that never ends is read in one pass, however long it is', () => {
  for (const text of [`${'`'.repeat(200_000)}x`, `\`\`\`${'a'.repeat(2_000_000)}`, '`'.repeat(2_000_001)]) {
    const read = readModelText({ text, finish_reason: 'stop' });
    assert.deepEqual([read.ok, read.normalised.length], [false, text.length]);
  }
});

for (const [opens, closes] of [
  ['```json\n', '\n```'],
  ['```', '```'],
  ['````json\n', '\n````'],
  ['~~~\n', '\n~~~'],
] as const)
  test(`a fence of ${JSON.stringify(opens)} is taken off`, () => {
    const read = readModelText({ text: `${opens}{"a":1}${closes}`, finish_reason: 'stop' });
    assert.deepEqual(read.ok && read.value, { a: 1 });
  });

test('a fence that another one closes stays', () => {
  assert.equal(readModelText({ text: '````json\n{"a":1}\n```', finish_reason: 'stop' }).ok, false);
});

for (const [what, text, finish_reason, message, from_scratch] of [
  [
    'prose before it',
    'Sure! Here is the patch:\n{}',
    'stop',
    'it begins with "Sure! Here is the patch:\\n{}", where { should stand.',
    true,
  ],
  ['long prose', 'x'.repeat(70), 'stop', `it begins with "${'x'.repeat(60)}" and goes on, where { should stand.`, true],
  ['nothing', ' \n', 'stop', 'it is empty.', true],
  [
    'nothing within the output limit',
    '',
    'length',
    'it is empty. The output limit was reached before it began: think less, and answer at once.',
    true,
  ],
  [
    'a comma too much',
    '{"a":1,}',
    'stop',
    `a comma stands before the closing }, near ${near('{"a":1,}')}. Remove the comma.`,
    undefined,
  ],
  [
    'a line break within a text',
    '{"a":"The lamp burns.\nNobody sees it."}',
    'stop',
    `a line break stands within a text, near ${near('"a":"The lamp burns.\nNobody sees it."}')}. Write it as \\n.`,
    undefined,
  ],
  [
    'single quotes',
    "{'a':1}",
    'stop',
    `text stands in single quotes, near ${near("{'a':1}")}. Use double quotes.`,
    undefined,
  ],
  [
    'text behind the end',
    '{"a":1} I hope this helps.',
    'stop',
    `more follows the end of the value, near ${near('{"a":1} I hope this helps.')}. Answer with the one object alone.`,
    undefined,
  ],
  [
    'a missing comma',
    '{"a":1 "b":2}',
    'stop',
    `a comma is missing before this, near ${near('{"a":1 "b":2}')}. Put a , in front of it.`,
    undefined,
  ],
  [
    'a double quote within a text',
    '{"a":"he said "hi" to her"}',
    'stop',
    `a text ends here, and goes on, near ${near('{"a":"he said "hi" to her"}')}. Write a double quote within a text as \\", or put the missing comma or colon.`,
    undefined,
  ],
  [
    'a comment',
    '{"a":1 // one\n}',
    'stop',
    `comments are not JSON, near ${near('{"a":1 // one\n}')}. Remove the comment.`,
    undefined,
  ],
  [
    'a number that JSON does not have',
    '{"a":NaN}',
    'stop',
    `"N" cannot stand here, near ${near('{"a":NaN}')}. Write a number, null, or a text in double quotes: JSON has no such number.`,
    undefined,
  ],
  [
    'an end too soon',
    '{"a":',
    'length',
    'it ends too soon. It was cut off at the output limit: answer more briefly.',
    undefined,
  ],
] as const) {
  test(`a model sees ${what} in its own terms`, () => {
    const read = readModelText({ text, finish_reason });
    assert.ok(!read.ok);
    assert.equal(read.complaint.message, `The response is not one JSON object: ${message}`);
    assert.equal(read.complaint.from_scratch, from_scratch);
  });
}

for (const [text, finish_reason] of [
  ['<tool_call>{"name": "buy", "arguments": {}}</tool_call>', 'tool_calls'],
  ['<tool_call>{"name": "buy"}</tool_call>', 'stop'],
  ['<function=buy>{}', 'stop'],
  ['[TOOL_CALLS][{"name":"buy"}]', 'stop'],
  ['', 'tool_calls'],
  ['buy()', 'tool_use_failed'],
] as const) {
  test(`an unrequested native tool call is reported as such: ${text || 'nothing'}, ${finish_reason}`, () => {
    const read = readModelText({ text, finish_reason });
    assert.ok(!read.ok);
    assert.match(read.complaint.message, /it is a native tool call, and none was offered/);
    assert.equal(read.complaint.from_scratch, true);
  });
}

test('JSON is read as JSON, for every finish reason of the server', () => {
  for (const finish_reason of ['tool_calls', 'done', 'json_validate_failed']) {
    const read = readModelText({ text: '{"a":1}', finish_reason });
    assert.deepEqual(read.ok && read.value, { a: 1 });
  }
});

test('a model is shown ten faults of its answer, and the number of others', () => {
  const faults = Array.from({ length: 12 }, (_, index) => ({
    code: 'WRONG_TYPE' as const,
    pointer: `/items/${index}`,
    message: 'must be text',
    repair: 'Write text.',
  }));
  const schema: SchemaProgram = { hash: '', schema: {}, validate: (value) => faults.slice(0, Number(value)) };
  const messageFor = (count: number): string => findMisfit(schema, count)?.message ?? '';
  assert.match(messageFor(12), /\/items\/9: must be text"?; and 2 more$/);
  assert.match(messageFor(11), /\/items\/9: must be text"?; and 1 more$/);
  assert.match(messageFor(10), /\/items\/9: must be text"?$/);
  assert.equal(messageFor(0), '');
});
