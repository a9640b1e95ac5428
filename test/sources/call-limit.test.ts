import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openCallLimit } from '../../engine/sources/call-limit.js';

const never = new AbortController().signal;

test('the time that a call has left is all of it until its record is durable, and less from then on', async () => {
  const limit = openCallLimit(60_000, never, Promise.resolve());
  assert.equal(limit.left(), 60_000);
  await setImmediate();
  const left = limit.left();
  assert.ok(left > 0 && left < 60_000, `${left}`);
  limit.close();
});

test('a call that was cut keeps its first reason, and one that is over gets none', async () => {
  const stop = new AbortController();
  const limit = openCallLimit(60_000, stop.signal, Promise.resolve());
  stop.abort();
  limit.overtake();
  assert.deepEqual([limit.cut(), await limit.whenCut, limit.signal.aborted], ['stopped', 'stopped', true]);
  limit.close();
  const other = openCallLimit(60_000, never, Promise.resolve());
  other.close();
  other.overtake();
  assert.deepEqual([other.cut(), other.signal.aborted], [undefined, true]);
});

test('a call may have more time than a timer takes', async (t) => {
  const warnings: string[] = [];
  const keep = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', keep);
  t.after(() => process.off('warning', keep));
  const limit = openCallLimit(2 ** 40, never, Promise.resolve());
  await setImmediate();
  limit.close();
  assert.deepEqual(warnings, []);
});
