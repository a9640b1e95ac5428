import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProbe } from '../../engine/core/workflow/probe.js';

const codesOf = (minimum: number, maximum: number): readonly string[] =>
  checkProbe({
    version: 1,
    label: 'mood',
    questions: [{ id: 'mood', ask: 'How are you?', answer: { kind: 'number', minimum, maximum } }],
  }).map(({ code }) => code);

test('a question for a number needs one that may be answered', () => {
  assert.deepEqual(codesOf(1, 5), []);
  assert.deepEqual(codesOf(3, 3), []);
  assert.deepEqual(codesOf(4, 3), ['QUESTION_RANGE_EMPTY']);
});
