import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf, shuffle } from '../../../engine/core/study/random.js';

// A study is sealed before it is run: whatever a later version drew otherwise would change its orders and intervals.
const TEXT = 'public-goods 7';

test('a text draws the same numbers on every machine, in every version', () => {
  const random = randomOf(TEXT);
  const drawn = [random(), random(), random(), random()].map((number) => number * 2 ** 32);
  assert.deepEqual(drawn, [3_939_223_479, 3_419_713_407, 2_985_306_490, 159_042_397]);
});

test('a text orders items the same way on every machine, in every version', () => {
  const order = shuffle(['ada', 'bob', 'eve', 'ivo', 'una'], randomOf(TEXT));
  assert.deepEqual(order, ['bob', 'ada', 'eve', 'ivo', 'una']);
});
