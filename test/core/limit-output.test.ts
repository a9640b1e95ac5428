import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOutput } from '../../engine/core/budget/limit-output.js';
import type { Invoke } from '../../engine/core/protocol/command.js';

/** A call without a prompt, so that all that is left may be its answer. */
const callOf = (output_limit: number | undefined, node_tokens_left?: number) =>
  ({ call: { source: { output_limit } }, node_tokens_left }) as unknown as Invoke;

test('a source that names a limit is given another one where less is left', () => {
  assert.equal(limitOutput(callOf(1_000), { tokens: 400 }), 400);
  assert.equal(limitOutput(callOf(1_000, 300), { tokens: 400 }), 300);
  assert.equal(limitOutput(callOf(1_000), { tokens: 1_000 }), undefined);
});

test('a source that names none is given one where a budget leaves less than its node and than any model writes', () => {
  assert.equal(limitOutput(callOf(undefined), { tokens: 400 }), 400);
  assert.equal(limitOutput(callOf(undefined), { tokens: 4_096 }), 4_096);
  assert.equal(limitOutput(callOf(undefined), { tokens: 4_097 }), undefined);
  assert.equal(limitOutput(callOf(undefined, 300), { tokens: 400 }), undefined);
  assert.equal(limitOutput(callOf(undefined, 300), {}), undefined);
});
