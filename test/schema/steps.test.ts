import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { withSteps } from '../../engine/schema/steps.js';

/** The keyword that holds what a check of its schema costs. */
const STEPS = 'chukwa:steps';

const members = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, {}]));
const items = (count: number): readonly JsonObject[] => Array.from({ length: count }, () => ({}));

const WEIGHTS: readonly (readonly [name: string, schema: JsonObject, weight: JsonObject])[] = [
  ['named members count one step each', { properties: members(4) }, { own: 5 }],
  ['first items count one step each', { prefixItems: items(4) }, { own: 5 }],
  ['named members and first items add up', { properties: members(4), prefixItems: items(4) }, { own: 9 }],
  ['four required members count one step', { required: ['a', 'b', 'c', 'd'], properties: members(4) }, { own: 6 }],
  ['further items count for each item of the value', { items: {} }, { own: 1, items: 1 }],
  ['a reference counts one step', { $ref: '#/$defs/a' }, { own: 1 }],
  ['a constant text counts for each eight characters', { const: 'a' }, { own: 2, texts: 1 }],
  ['a sought item counts eight for each item of the value', { contains: {} }, { own: 1, items: 8 }],
  ['further members count eight for each member of the value', { additionalProperties: {} }, { own: 1, members: 8 }],
  ['alternatives count their number and the complaints that they copy', { anyOf: items(8) }, { own: 45 }],
  ['alternatives among counted members add nothing where nothing tracks them', { allOf: items(4) }, { own: 5 }],
  [
    'alternatives count eight each for each member where members that nothing names are tracked',
    { allOf: items(4), unevaluatedProperties: {} },
    { own: 5, members: 40 },
  ],
  [
    'alternatives count eight each for each member where items that nothing describes are tracked',
    { allOf: items(4), unevaluatedItems: {} },
    { own: 5, items: 1, members: 32 },
  ],
];

for (const [name, schema, weight] of WEIGHTS)
  test(`the cost of checking: ${name}`, () => {
    assert.deepEqual(withSteps(schema, true)[STEPS], weight);
  });
