import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SharedMap } from '../../engine/core/content/shared-map.js';

type Key = string | number;

/** The entries of a map, in one order, and its size. */
function contentsOf(map: SharedMap<Key, number> | ReadonlyMap<Key, number>) {
  const sorted = [...map].toSorted(([one], [other]) => (`${typeof one} ${one}` < `${typeof other} ${other}` ? -1 : 1));
  return { entries: sorted, size: map.size };
}

// Numbers that are 4,096 apart share a place.
const key: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'ba'),
  fc.nat(3),
  fc.nat(3).map((n) => n + 4_096),
);

test('a shared map holds what a map holds after the same changes, and none of its versions changes', () => {
  const changes = fc.array(fc.record({ key, value: fc.option(fc.nat(9), { nil: undefined }) }), { maxLength: 40 });
  const property = fc.property(changes, (all) => {
    const expected = new Map<Key, number>();
    let map = SharedMap.empty<Key, number>();
    const versions = [{ map, contents: contentsOf(map) }];
    for (const change of all) {
      if (change.value === undefined) expected.delete(change.key);
      else expected.set(change.key, change.value);
      map = change.value === undefined ? map.without(change.key) : map.with(change.key, change.value);
      assert.deepEqual(contentsOf(map), contentsOf(expected));
      assert.deepEqual([map.get(change.key), map.has(change.key)], [change.value, change.value !== undefined]);
      versions.push({ map, contents: contentsOf(map) });
    }
    assert.equal(new Set(map.keys()).size, expected.size);
    for (const version of versions) assert.deepEqual(contentsOf(version.map), version.contents);
  });
  fc.assert(property, { seed: 19, numRuns: 100 });
});
