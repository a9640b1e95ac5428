import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOver, worsen } from '../../engine/runtime/worker/trouble.js';

const fault = (code: 'DATABASE_FULL' | 'DATABASE_BUSY', is_of_job: boolean) => ({ code, reason: code, is_of_job });

test('a look that fails at nothing ends the trouble of a look', () => {
  const { until, ...trouble } = worsen(undefined, fault('DATABASE_FULL', false), 0, 1);
  assert.ok(isOver({ ...trouble, until }, until));
});

test('the trouble of a job that could not write ends by itself only when nothing has failed for a minute', () => {
  const { until, ...trouble } = worsen(undefined, fault('DATABASE_FULL', true), 0, 1);
  assert.ok(!isOver({ ...trouble, until }, until + 60_000));
  assert.ok(isOver({ ...trouble, until }, until + 60_001));
});

test('the trouble of a job whose statement was broken off ends with the next look', () => {
  const { until, ...trouble } = worsen(undefined, fault('DATABASE_BUSY', true), 0, 1);
  assert.ok(isOver({ ...trouble, until }, until));
});
