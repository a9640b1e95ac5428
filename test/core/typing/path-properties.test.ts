import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../engine/contract/json.js';
import { contentHash } from '../../../engine/core/content/canonical.js';
import { findAt, isList } from '../../../engine/core/content/json-pointer.js';
import { redact } from '../../../engine/core/content/redact.js';
import { type CheckValue, listMisfits } from '../../../engine/core/typing/list-misfits.js';
import { partSchema } from '../../../engine/core/typing/part-schema.js';
import { readPath } from '../../../engine/core/typing/read-path.js';
import { schemaShape } from '../../../engine/core/typing/shape.js';
import { createCompileSchema } from '../../../engine/schema/index.js';
import { inventValue } from './invent-value.js';

const CONDITION = ['if', 'then', 'else'];
const NAMES = ['a', 'b', 'c', '0'] as const;
const compileSchema = createCompileSchema();

/** Checks known values by the validator, as the typing of requests does. */
const checkValue: CheckValue = (value, demand) => {
  const part = partSchema(demand);
  const compiled = compileSchema(contentHash(part), part);
  assert.ok(compiled.ok, JSON.stringify(part));
  return compiled.value(value).map(({ pointer = '', message }) => ({ pointer, why: { kind: 'rule', message } }));
};

const name = fc.constantFrom(...NAMES);
const scalarSchema = fc.constantFrom<Json>(
  { type: 'string' },
  { type: 'integer' },
  { type: ['null', 'boolean'] },
  { const: 1 },
  { enum: ['x', null, { a: 1 }, [1, { b: 2 }]] },
  { enum: [{ a: 1 }, { a: { b: 2 } }] },
  true,
  {},
);

const { schema } = fc.letrec<{ schema: Json; object: Json; array: Json; choice: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalarSchema,
    tie('object'),
    tie('array'),
    tie('choice'),
  ),
  object: fc
    .record(
      {
        type: fc.constantFrom<Json>('object', ['object', 'null']),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: tie('schema'),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), tie('schema'), { maxKeys: 1 }),
      },
      { requiredKeys: [] },
    )
    .map((value) => value as JsonObject),
  array: fc
    .record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        minItems: fc.constantFrom(0, 1, 2),
        maxItems: fc.constantFrom(0, 1, 3),
      },
      { requiredKeys: ['type'] },
    )
    .map((value) => value as JsonObject),
  choice: fc.oneof(
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    fc.tuple(tie('object'), tie('schema')).map(([object, beside]) => ({ ...(object as JsonObject), allOf: [beside] })),
    fc
      .tuple(tie('schema'), tie('schema'), tie('schema'))
      .map(
        (parts): JsonObject => Object.fromEntries(CONDITION.map((keyword, index) => [keyword, parts[index] ?? true])),
      ),
    fc.constant({ $ref: '#/$defs/named' }),
  ),
}));

/** A schema with a definition that it may refer to. */
const rootSchema = fc
  .tuple(schema, schema)
  .map(([root, named]): JsonObject => ({ $defs: { named }, allOf: [root] }))
  .filter((root) => compileSchema(contentHash(root), root).ok);

const path = fc.array(fc.constantFrom<string>(...NAMES, 'd', '1'), { minLength: 1, maxLength: 3 });
const allow = fc.oneof(
  fc.constant('all' as const),
  fc.array(
    fc
      .array(fc.constantFrom('a', 'b', '0', '*'), { minLength: 1, maxLength: 3 })
      .map((tokens) => `/${tokens.join('/')}`),
    { maxLength: 3 },
  ),
);

/** Values that a schema lets through; none where it lets hardly any. */
function valuesOf(root: JsonObject, seed: number): readonly Json[] {
  const compiled = compileSchema(contentHash(root), root);
  assert.ok(compiled.ok);
  const invented = Array.from({ length: 40 }, (_, index) => inventValue(root, root, seed + index));
  return invented.filter((value) => compiled.value(value).length === 0);
}

test('a member that typing says to be there is in every value, and one that never is in none', () => {
  const claimed = { there: 0, maybe: 0, never: 0 };
  fc.assert(
    fc.property(rootSchema, path, allow, fc.nat(), (root, tokens, allowed, seed) => {
      const { presence } = readPath(schemaShape(root, allowed), tokens);
      for (const value of valuesOf(root, seed)) {
        claimed[presence] += 1;
        const isThere = findAt(redact(value, allowed), tokens) !== undefined;
        if (presence !== 'maybe') assert.equal(isThere, presence === 'there', JSON.stringify(value));
      }
    }),
    { seed: 20_250_101, numRuns: 400 },
  );
  for (const [presence, count] of Object.entries(claimed)) assert.ok(count > 50, `${presence}: ${count}`);
});

/** Whether a schema, or one within it, wants more items of a list than it lets the list have. */
function asksForNothing(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { minItems, maxItems } = value as { readonly minItems?: number; readonly maxItems?: number };
  return (minItems ?? 0) > (maxItems ?? Number.POSITIVE_INFINITY) || Object.values(value).some(asksForNothing);
}

test('a schema without contradictions is found to fit itself', () => {
  const plain = schema.filter((value): value is JsonObject => {
    return (
      typeof value === 'object' &&
      !/"(allOf|oneOf|if|patternProperties|\$ref)"/.test(JSON.stringify(value)) &&
      !asksForNothing(value)
    );
  });
  fc.assert(
    fc.property(plain, (root) => {
      assert.deepEqual(listMisfits(schemaShape(root), root, checkValue), []);
    }),
    { seed: 20_250_102, numRuns: 250 },
  );
});

test('schemas that hold themselves are compared to an end', () => {
  const items = { type: 'array', items: { $ref: '#' } };
  const tree: JsonObject = {
    type: 'object',
    properties: { text: { type: 'string' }, parts: items },
    required: ['text'],
  };
  const other: JsonObject = { ...tree, properties: { text: { type: 'integer' }, parts: items } };
  assert.deepEqual(listMisfits(schemaShape(tree), { ...tree }, checkValue), []);
  const [misfit] = listMisfits(schemaShape(tree), other, checkValue);
  assert.equal(misfit?.pointer, '/text');
});

test('an invented value is sometimes of each type', () => {
  const types = Array.from({ length: 200 }, (_, seed) => inventValue({}, {}, seed)).map((value) =>
    value === null ? 'null' : isList(value) ? 'array' : typeof value,
  );
  assert.deepEqual([...new Set(types)].toSorted(), ['array', 'boolean', 'null', 'number', 'object', 'string']);
});
