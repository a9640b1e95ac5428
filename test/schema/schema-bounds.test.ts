import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { createCompileSchema } from '../../engine/schema/index.js';

const compile = createCompileSchema();
const times = (count: number): readonly true[] => Array.from({ length: count }, () => true);

/** A schema whose canonical text has so many characters. */
function ofCharacters(count: number): JsonObject {
  const empty = JSON.stringify({ description: '' }).length;
  return { description: 'a'.repeat(count - empty) };
}

for (const [what, ofCount, most, code] of [
  ['characters', ofCharacters, 262_144, 'SCHEMA_TOO_LARGE'],
  ['schemas', (count: number) => ({ prefixItems: times(count - 1) }), 2000, 'SCHEMA_TOO_LARGE'],
] as const)
  test(`a schema of ${most} ${what} is taken, and one of more is refused with that number`, () => {
    for (const [count, codes] of [
      [most, []],
      [most + 1, [code]],
    ] as const) {
      const schema = ofCount(count);
      const compiled = compile(contentHash(schema), schema);
      const problems = compiled.ok ? [] : compiled.problems;
      assert.deepEqual(
        problems.map((problem) => problem.code),
        codes,
      );
      for (const { message } of problems) assert.match(message, new RegExp(`more than ${most} |longer than ${most} `));
    }
  });

test('a schema is refused whose names, for each schema that looks at the same value, make very much code', () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, true]));
  for (const [count, ok] of [
    [100, true],
    [101, false],
  ] as const) {
    const schema = { unevaluatedProperties: false, properties, anyOf: times(count) };
    assert.equal(compile(contentHash(schema), schema).ok, ok);
  }
});
