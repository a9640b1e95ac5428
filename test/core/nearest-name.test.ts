import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestName } from '../../engine/core/content/nearest-name.js';

const KNOWN = ['lamp', 'keeper', 'lighthouse'];

const SUGGESTIONS: readonly (readonly [written: string, said: string])[] = [
  ['lmp', 'Did you mean lamp?'],
  ['Lighthose', 'Did you mean lighthouse?'],
  ['zeppelin', 'There are: lamp, keeper, lighthouse.'],
  ['x', 'There are: lamp, keeper, lighthouse.'],
];

for (const [written, said] of SUGGESTIONS) {
  test(`a writer of ${written} is told: ${said}`, () => assert.equal(suggestName(written, KNOWN), said));
}

test('of many names ten are listed, and the others counted', () => {
  const known = Array.from({ length: 13 }, (_, index) => `thing_${index}_of_many`);
  assert.match(suggestName('zeppelin', known), /thing_9_of_many, and 3 more\.$/);
  assert.match(suggestName('zeppelin', known.slice(0, 11)), /thing_9_of_many, and 1 more\.$/);
  assert.match(suggestName('zeppelin', known.slice(0, 10)), /thing_9_of_many\.$/);
});
