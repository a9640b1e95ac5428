import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, suggestName } from '../../engine/core/content/nearest-name.js';

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

const MEANT: readonly (readonly [
  sentence: string,
  written: string,
  known: readonly string[],
  meant: string | undefined,
])[] = [
  ['a common beginning', 'per_subject_parallel', ['per_subject_concurrent', 'per_subject_ordered'], undefined],
  ['a common class', 'http_500', ['http_408', 'http_425', 'http_429', 'http_5xx'], undefined],
  ['the same letters', 'listen', ['silent', 'tinsel-town'], undefined],
  ['another number', 'park-3', ['park-1', 'park-2'], undefined],
  ['another number beside one name', 'http_500', ['http_501'], undefined],
  ['one slip in a word', 'per_subject_order', ['per_subject_concurrent', 'per_subject_ordered'], 'per_subject_ordered'],
  ['a slip in each word', 'buy_cady', ['buy_candy', 'buy_soda'], 'buy_candy'],
  ['another joint', 'per-subject-ordered', ['per_subject_concurrent', 'per_subject_ordered'], 'per_subject_ordered'],
  ['a joint that is missing', 'buycandy', ['buy_candy', 'buy_soda'], 'buy_candy'],
  ['a letter too many in a short word', 'park-1x', ['park-1', 'village-1'], 'park-1'],
  ['a letter too few in a short word', 'by_id', ['by_ids', 'by_name'], 'by_ids'],
  ['letters in another order', 'atc.md', ['act.md', 'ask.md'], 'act.md'],
  ['two names equally near', 'bib', ['bob', 'bub'], undefined],
  ['a name that is listed twice', 'bib', ['bob', 'bob'], 'bob'],
];

for (const [sentence, written, known, meant] of MEANT)
  test(`${sentence}: ${written} means ${meant ?? 'none of the names'}`, () => {
    assert.equal(nearestName(written, known), meant);
  });

test('a name of 64 characters is compared, and a longer one is not', () => {
  const name = 'a'.repeat(63);
  assert.equal(nearestName(`${name}b`, [`${name}c`]), `${name}c`);
  assert.equal(nearestName(`${name}ab`, [`${name}ac`]), undefined);
});
