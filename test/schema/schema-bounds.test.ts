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

/** A schema that takes so many steps, of at least 4952, at one place of a value: 99 references of 50 steps each, and more. */
function ofSteps(count: number): JsonObject {
  const references = Array.from({ length: 99 }, () => ({ $ref: '#/$defs/of_49' }));
  return { allOf: [...references, ...times(count - 1 - 99 * 50)], $defs: { of_49: { allOf: times(48) } } };
}

for (const [what, ofCount, most, code] of [
  ['characters', ofCharacters, 262_144, 'SCHEMA_TOO_LARGE'],
  ['schemas', (count: number) => ({ prefixItems: times(count - 1) }), 2000, 'SCHEMA_TOO_LARGE'],
  ['steps at one place', ofSteps, 5000, 'SCHEMA_TOO_COSTLY'],
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
