import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { smallestAnswer, smallestValue } from '../../engine/core/typing/smallest-value.js';

const ASKED: readonly (readonly [name: string, schema: JsonObject, value: Json])[] = [
  ['nothing', {}, {}],
  ['a constant before a default', { const: 1, default: 2 }, 1],
  ['a default before an example', { default: 2, examples: [3] }, 2],
  ['the first example before what is listed', { examples: [3, 4], enum: [5] }, 3],
  ['the first that is listed', { enum: [5, 6] }, 5],
  ['its type where nothing is listed', { enum: [], type: 'null' }, null],
  ['what it refers to', { $ref: '#/$defs/text', $defs: { text: { type: 'string' } } }, '...'],
  ['nothing where it leads nowhere', { $ref: '#/$defs/text' }, {}],
  ['the first of its alternatives', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
  ['the first of its open alternatives', { anyOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
  ['the first of what it joins', { allOf: [{ const: 'a' }, {}] }, 'a'],
  ['its type before an alternative', { type: 'boolean', anyOf: [{ const: true }] }, false],
  ['an own limit beside an alternative', { type: 'number', minimum: 5, anyOf: [{ minimum: 0 }] }, 5],
  [
    'members beside those of an alternative',
    {
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: 'x' } },
      oneOf: [{ $ref: '#/$defs/other' }],
      $defs: { other: { required: ['a'], properties: { a: { type: 'string' } } } },
    },
    { kind: 'x', a: '...' },
  ],
  [
    'a member that an alternative narrows or requires',
    {
      type: 'object',
      required: ['k'],
      properties: { k: { type: 'string' }, l: { type: 'null' } },
      anyOf: [{ required: ['k', 'l'], properties: { k: { maxLength: 2 } } }],
    },
    { k: '..', l: null },
  ],
  ['the first of its types', { type: ['null', 'string'] }, null],
  ['a text', { type: 'string' }, '...'],
  ['a text of a least length', { type: 'string', minLength: 5 }, '.....'],
  ['a text of a greatest length', { type: 'string', maxLength: 2 }, '..'],
  ['a number', { type: 'number' }, 0],
  ['a number with a least value', { type: 'number', minimum: 5, exclusiveMinimum: 1 }, 5],
  ['an integer above another', { type: 'integer', exclusiveMinimum: 5 }, 6],
  ['a number whose limit is none', { type: 'number', minimum: 'five' }, 0],
  ['an empty list', { type: 'array', items: { type: 'null' } }, []],
  ['a list of so many', { type: 'array', items: { type: 'null' }, minItems: 2 }, [null, null]],
  ['a list of anything', { type: 'array', minItems: 1 }, [{}]],
  [
    'an object of what it requires',
    { type: 'object', required: ['a', 'c', 1], properties: { a: { type: 'null' }, b: { type: 'null' } } },
    { a: null, c: {} },
  ],
];

for (const [name, schema, value] of ASKED)
  test(`the smallest value of a schema that asks for ${name}`, () => assert.deepEqual(smallestValue(schema), value));

test('the smallest value of a schema that requires itself has an end', () => {
  const schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
  assert.match(JSON.stringify(smallestValue(schema)), /^(\{"next":)+\{\}\}+$/);
});

test('the smallest answer of a call without a result schema is an empty object', () =>
  assert.deepEqual(smallestAnswer({}), {}));
