import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { layOutTime } from '../../../engine/surfaces/browser/pictures/time-scale.js';

const AREA = { x: 100, width: 800 };

describe('the scale of a timeline', () => {
  test('the scale of a timeline draws spans as long as they are', () => {
    const { x, gaps } = layOutTime(
      [
        { from: 0, to: 100 },
        { from: 100, to: 400 },
      ],
      AREA,
    );
    assert.deepEqual([x(0), x(100), x(400)], [100, 300, 900]);
    assert.deepEqual(gaps, []);
  });

  test('the scale of a timeline collapses a long gap, and says how long it was', () => {
    const { x, gaps } = layOutTime(
      [
        { from: 0, to: 100 },
        { from: 3_600_100, to: 3_600_200 },
      ],
      AREA,
    );
    assert.deepEqual(
      gaps.map(({ milliseconds }) => milliseconds),
      [3_600_000],
    );
    assert.equal(Math.round(x(100) - x(0)), Math.round(x(3_600_200) - x(3_600_100)));
    assert.equal(Math.round(x(3_600_200)), 900);
  });

  test('the scale of a timeline keeps a short gap to scale', () => {
    const { x, gaps } = layOutTime(
      [
        { from: 0, to: 100 },
        { from: 110, to: 200 },
      ],
      AREA,
    );
    assert.deepEqual(gaps, []);
    assert.ok(x(110) > x(100));
  });

  test('the scale of a timeline stays within its area where nothing took any time', () => {
    const { x } = layOutTime([{ from: 5, to: 5 }], AREA);
    assert.equal(x(5), 100);
  });
});
