import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { findJsonFault } from '../../engine/core/content/json-parts.js';
import { readModelText } from '../../engine/core/nodes/model-text.js';

const SETTINGS = { seed: 3, numRuns: 2_000 };
const written = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 2))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

test('a text that is JSON has no fault before its end', () => {
  fc.assert(
    fc.property(written, (text) => assert.equal(findJsonFault(` ${text}\n`), text.length + 2)),
    SETTINGS,
  );
});

test('a text that was cut ends too soon, but within a word or number', () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 1 }), fc.nat(), (texts, cut) => {
      const whole = `[${texts.join(', ')}]`;
      const text = whole.slice(0, cut % whole.length);
      const fault = findJsonFault(text);
      if (fault !== text.length) assert.match(text.slice(fault), /^-?[a-z0-9.+-]*$/i);
    }),
    SETTINGS,
  );
});

test('a character that is not allowed is found at its place', () => {
  for (const [before, after] of [
    ['', '<p>'],
    ['{"a": 1', '; "b": 2}'],
    ['{"a": 1, ', '}'],
    ['{"a" ', '1}'],
    ['{', "'a': 1}"],
    ['[1, 2', '}'],
    ['{"a": [1]', ']'],
    ['[0', '1]'],
    ['["a', '\nb"]'],
    ['["a', '\\x    "]'],
    ['{"a": 1} ', 'and more'],
    ['[1,', ',2]'],
  ] as const) {
    assert.throws(() => void JSON.parse(before + after));
    assert.equal(findJsonFault(before + after), before.length, before + after);
  }
});

test("of a model's words within its JSON those around the fault are quoted, as data, and no others", () => {
  const text = `{"note": "sk-canary-word", "more": "${'x'.repeat(40)}", kind: 1, "other": "sk-canary-word"}`;
  const read = readModelText({ text, finish_reason: 'stop' });
  assert.ok(!read.ok);
  assert.doesNotMatch(read.complaint.message, /canary/);
  assert.match(read.complaint.message, /near ".{0,40}kind: 1.{0,40}"/);
});
