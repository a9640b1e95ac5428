import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Curve, growthOf } from '../../tools/bench/growth/curve.js';
import { drawCurves } from '../../tools/bench/growth/draw.js';
import { renderCurves } from '../../tools/bench/render-table.js';

const CURVE: Curve = {
  id: 'turns',
  title: 'a turn',
  over: 'entities',
  unit: 'ms',
  points: [
    { x: 10, y: 4 },
    { x: 1_000, y: 6 },
  ],
};

test('growth is the last figure over the first, with its basis', () => {
  assert.deepEqual(growthOf(CURVE), { x: 100, y: 1.5 });
});

test('a curve that begins at nothing is compared with one', () => {
  assert.deepEqual(
    growthOf({
      points: [
        { x: 0, y: 4 },
        { x: 50, y: 4 },
      ],
    }),
    { x: 50, y: 1 },
  );
});

test('a curve is shown with each of its points and its growth', () => {
  const table = renderCurves([CURVE]);
  for (const said of ['10: 4 ms', '1,000: 6 ms', '1.5 times, over 100 times as many'])
    assert.ok(table.includes(said), said);
});

test('a level curve is drawn as a level line, and a falling one falls', () => {
  const heightsOf = (points: Curve['points']): readonly number[] =>
    [...drawCurves([{ ...CURVE, points }]).matchAll(/<circle class="figure" cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) =>
      Number(y),
    );
  const [one, other] = heightsOf([
    { x: 1, y: 5 },
    { x: 10, y: 5 },
  ]);
  assert.ok(one !== undefined && one === other);
  const [first = 0, last = 0] = heightsOf([
    { x: 1, y: 50 },
    { x: 10, y: 5 },
  ]);
  assert.ok(last > first);
});
