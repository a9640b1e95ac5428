import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { describeFaultPlace, describeTextFault, parseJson } from '../../engine/core/content/parse-json.js';
import { readModelText } from '../../engine/core/nodes/model-text.js';

const refused: readonly (readonly [text: string, said: string])[] = [
  ['', 'it ends too soon'],
  ['{"a":]', 'it stops being JSON at character 6'],
  ['{"id":1, "b":{"id":2}, "id":3}', 'it names a member of one object twice (at /id, character 24)'],
  ['[{"a":1},{"a":1,"\\u0061":2}]', 'it names a member of one object twice (at /1/a, character 17)'],
  ['{"a":[1,12345678901234567890]}', 'it holds a number that no double holds (at /a/1, character 9)'],
  ['9007199254740993', 'it holds a number that no double holds (at its root, character 1)'],
  ['9007199254740993.0', 'it holds a number that no double holds (at its root, character 1)'],
  ['[1e400]', 'it holds a number that no double holds (at /0, character 2)'],
  ['[1e-400]', 'it holds a number that no double holds (at /0, character 2)'],
  ['3.141592653589793238462643383279', 'it holds a number that no double holds (at its root, character 1)'],
  ['{"a/b":"\\ud83d"}', 'it holds text with a lone surrogate (at /a~1b, character 8)'],
  ['{"\\u0000":1}', 'it holds text with the character U+0000 (at /\u0000, character 2)'],
  [`1.${'0'.repeat(1_099)}`, 'it holds a number that no double holds (at its root, character 1)'],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'it is nested deeper than 64 levels'],
];
for (const [text, said] of refused)
  test(`JSON is refused whose value would be another than is written: ${JSON.stringify(text.slice(0, 40))}`, () => {
    const parsed = parseJson(text);
    assert.equal(parsed.ok ? 'taken' : describeTextFault(parsed.fault), said);
  });

const lenient: readonly (readonly [text: string, value: unknown])[] = [
  ['{"a":1, "b":[{"a":2}], "a":3}', { a: 3, b: [{ a: 2 }] }],
  ['{"a":[1,12345678901234567890,-9007199254740993, 2]}', { a: [1, '12345678901234567890', '-9007199254740993', 2] }],
  ['[1e400, 1e-400, 3.141592653589793238462643383279]', ['1e400', 0, Math.PI]],
  ['["\\ud83d x \\u0000", "\\ud83d\\ude00"]', ['\uFFFD x \uFFFD', '\u{1F600}']],
  ['{"\\u0000":true,"b":null}', { '\uFFFD': true, b: null }],
];
for (const [text, value] of lenient)
  test(`read leniently, ${text} is JSON, and what was replaced is said`, () => {
    const parsed = parseJson(text, 'lenient');
    const strict = parseJson(text);
    assert.ok(parsed.ok && !strict.ok);
    assert.deepEqual(parsed, { ok: true, value, replaced: strict.fault });
  });

test('read leniently, a text that is no JSON or is nested too deeply is refused', () => {
  for (const text of ['{"a":]', `${'['.repeat(65)}${']'.repeat(65)}`, '{"a":1,"a":'])
    assert.ok(!parseJson(text, 'lenient').ok);
});

for (const text of [
  '1.0',
  '-0',
  '1e22',
  '0.1',
  '0.30000000000000004',
  '0.10000000000000001',
  '9007199254740992',
  `1.${'0'.repeat(1_098)}`,
  '[{"a":1},{"a":2}]',
  '{"__proto__":1}',
  '"\\ud83d\\ude00"',
])
  test(`JSON is taken as it is written: ${text.slice(0, 40)}`, () => {
    assert.deepEqual(parseJson(text), { ok: true, value: JSON.parse(text) as unknown });
  });

test('lists and objects beside each other are not nested, however many they are', () => {
  for (const text of [`[${'[],'.repeat(70)}0]`, `[${'{},'.repeat(70)}0]`]) assert.equal(parseJson(text).ok, true);
});

test('any JSON that is written from a value is taken', () => {
  const values = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (/\\u0000|\\ud[89a-f]/i.test(text)) return;
      const parsed = parseJson(text);
      assert.ok(parsed.ok, parsed.ok ? '' : describeTextFault(parsed.fault));
    }),
    { seed: 5, numRuns: 1000 },
  );
});

test('a repeated member is found at every depth', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }), (value) => {
      const [name = ''] = Object.keys(value);
      const text = `[${JSON.stringify(value).slice(0, -1)},${JSON.stringify(name)}:0}]`;
      assert.ok(!parseJson(text).ok);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('a number and a string of very many characters are looked at once', () => {
  assert.ok(!parseJson(`1${'0'.repeat(1_000_000)}1`).ok);
  assert.ok(parseJson(JSON.stringify('\\"'.repeat(500_000))).ok);
  assert.ok(!parseJson(`["${'\\\\"'.repeat(3)}`).ok);
});

test("a problem of a source's answer names no member", () => {
  const parsed = parseJson('{"pin":1,"pin":2}');
  assert.ok(!parsed.ok);
  assert.equal(describeFaultPlace(parsed.fault), 'it names a member of one object twice (at character 10)');
});

test('a model is shown the place at which its answer would be kept as another', () => {
  const read = readModelText({
    text: '{"kind":"final_patch","patch":{"narration":"a","narration":"b"}}',
    finish_reason: 'stop',
  });
  assert.ok(!read.ok);
  assert.equal(read.complaint.detail, 'non_json');
  assert.match(read.complaint.message, /names a member of one object twice \(at \/patch\/narration, character 48\)/);
});
