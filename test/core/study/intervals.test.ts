import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../../engine/core/study/random.js';
import { intervalOf, plausibleMeans } from '../../../engine/core/study/statistics.js';

/** One value among others that are all alike, as of a rare event. */
const rare = (count: number, often: number, once: number): readonly number[] => [
  ...Array.from({ length: count - 1 }, () => often),
  once,
];

test('the interval of a rare event stays near its values, however they round', () => {
  for (let count = 3; count <= 30; count += 1) {
    for (const [often, once] of [
      [0, 1],
      [0.1, 0.7],
      [1 / 3, 1e6],
      [7, 3],
    ] as const) {
      const values = rare(count, often, once);
      const interval = intervalOf(plausibleMeans(values, randomOf(`${count} ${often}`)));
      const range = Math.abs(once - often);
      const [low, high] = interval ?? [Number.NaN, Number.NaN];
      assert.ok(
        low >= Math.min(often, once) - range && high <= Math.max(often, once) + range,
        `${values.join(' ')}: ${low} to ${high}`,
      );
    }
  }
});

test('the interval of some values is the same on every machine, in every version', () => {
  const [low = 0, high = 0] = intervalOf(plausibleMeans([3, 4, 8, 5, 7, 6, 9, 4], randomOf('some'))) ?? [];
  assert.deepEqual([low.toFixed(9), high.toFixed(9)], ['4.081390602', '7.888359335']);
});

test('the interval of few values is as wide as so few ask for', () => {
  const [low = 0, high = 0] = intervalOf(plausibleMeans(rare(5, 0, 1), randomOf('few'))) ?? [];
  assert.deepEqual([low.toFixed(6), high.toFixed(6)], ['-0.111397', '0.822794']);
});
