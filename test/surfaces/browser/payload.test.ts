import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../../engine/contract/json.js';
import { payload } from '../../../engine/surfaces/browser/parts/payload.js';

const draw = (value: Json): string => payload(value).toString();
const countMarks = (markup: string): number => markup.split('…').length - 1;

describe('a payload', () => {
  test('a payload is drawn as indented JSON', () => {
    const text = draw({ list: [1, 'two', null], nothing: {}, none: [] }).replace(/<[^>]+>/g, '');
    assert.equal(
      text.replaceAll('&quot;', '"'),
      '{\n  "list": [\n    1,\n    "two",\n    null\n  ],\n  "nothing": {},\n  "none": []\n}',
    );
  });

  test('a payload of many values shows the first, and one mark for all others, however they are nested', () => {
    const zeros = (length: number): Json => Array.from({ length }, () => 0);
    const wide = Object.fromEntries(Array.from({ length: 500_000 }, (_, index) => [`m${index}`, 0]));
    const nested = Array.from({ length: 500 }, () => [zeros(500)]);
    for (const value of [{ big: zeros(500_000) }, wide, nested]) {
      const markup = draw(value);
      assert.equal(countMarks(markup), 1);
      assert.ok(markup.length < 200_000, `${markup.length} characters`);
    }
    assert.equal(countMarks(draw(zeros(900))), 0);
  });
});
