import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { composeToolLoopSchema, offerAnswerSchema } from '../../engine/core/nodes/compose-schema.js';
import { toDeliveredSchema } from '../../engine/core/nodes/delivered-schema.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';

const compileSchema = createCompileSchema();

function accepts(schema: JsonObject, value: Json): boolean {
  const compiled = compileSchema(contentHash(schema), schema);
  assert.ok(compiled.ok);
  return compiled.value(value).every(({ severity }) => severity === 'note');
}

test('the schema of a tool loop is delivered without bounds of length, number and pattern, and is named by another hash', async () => {
  const file = new URL('../../schemas/world-patch.schema.json', import.meta.url);
  const patch = JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  const offered = composeToolLoopSchema([{ name: 'buy', arguments: { type: 'object' } }], patch);
  assert.match(JSON.stringify(offered.schema), /"maxLength":65536/);
  assert.doesNotMatch(
    JSON.stringify(offered.delivered.schema),
    /"(maxLength|minLength|maxItems|minItems|pattern|format|oneOf)":/,
  );
  assert.notEqual(offered.delivered.hash, offered.hash);
  assert.equal(offered.delivered.hash, contentHash(offered.delivered.schema));
});

for (const [what, schema, delivered] of [
  [
    'members that are called like bounds stay',
    { properties: { pattern: { maxLength: 3 }, format: true } },
    { properties: { pattern: {}, format: true } },
  ],
  [
    'values that look like bounds stay',
    { enum: [{ maxLength: 1 }], default: { pattern: 'x' } },
    { enum: [{ maxLength: 1 }], default: { pattern: 'x' } },
  ],
  [
    'branches may overlap once they have no bounds',
    { oneOf: [{ maxLength: 5 }, { minLength: 6 }] },
    { anyOf: [{}, {}] },
  ],
  ['what is forbidden by a bound is forbidden no more', { type: 'string', not: { pattern: 'x' } }, { type: 'string' }],
  ['what is forbidden without one stays forbidden', { not: { const: 1 } }, { not: { const: 1 } }],
  [
    'a condition that has a bound is left out with what follows from it',
    JSON.parse('{"if": {"minLength": 2}, "then": false}'),
    {},
  ],
  [
    'numbers keep their bounds, and objects their members',
    { minimum: 1, required: ['a'], additionalProperties: false },
    { minimum: 1, required: ['a'], additionalProperties: false },
  ],
  [
    'lists keep what they hold',
    { items: { format: 'uuid', type: 'string' }, maxItems: 3 },
    { items: { type: 'string' } },
  ],
] as const) {
  test(`a schema as it is delivered: ${what}`, () => {
    assert.deepEqual(toDeliveredSchema(schema as unknown as JsonObject), delivered);
  });
}

test('the delivered schema accepts every value of the whole one', () => {
  const schemas: readonly JsonObject[] = [
    { oneOf: [{ type: 'string', maxLength: 2 }, { type: 'string', minLength: 3 }, { type: 'null' }] },
    { type: ['string', 'array'], minLength: 1, maxItems: 1, items: { type: 'string', pattern: '^a' } },
    JSON.parse('{"if": {"type": "string", "maxLength": 1}, "then": {"const": "a"}}') as JsonObject,
    { not: { type: 'string', pattern: '^b' } },
    { $defs: { short: { maxLength: 1 } }, not: { type: 'string', $ref: '#/$defs/short' } },
  ];
  const values: readonly Json[] = ['', 'a', 'b', 'abc', null, [], ['a'], ['b', 'b'], 7];
  let accepted = 0;
  for (const schema of schemas) {
    for (const value of values.filter((candidate) => accepts(schema, candidate))) {
      accepted += 1;
      assert.ok(accepts(offerAnswerSchema(schema).delivered.schema, value), JSON.stringify([schema, value]));
    }
  }
  assert.ok(accepted > 10);
});
