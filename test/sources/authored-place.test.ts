import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { isAuthoredPlace } from '../../engine/sources/authored-place.js';

const PERSON = { required: ['name'], properties: { age: { type: 'integer' } } };
const SCHEMA = {
  type: 'object',
  properties: {
    people: { type: 'object', additionalProperties: { $ref: '#/$defs/person' } },
    list: { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/person' }] } },
    pair: { prefixItems: [PERSON] },
  },
  $defs: { person: PERSON },
};

const ANSWER = { people: { name: {}, bob: {} }, list: [{}, { age: 'old', nick: 1 }], pair: [{ age: 'old' }] };

const PLACES: readonly (readonly [pointer: string, answer: Json, isAuthored: boolean])[] = [
  ['', ANSWER, true],
  ['/people', ANSWER, true],
  ['/people/name', ANSWER, false],
  ['/people/bob/name', ANSWER, false],
  ['/list/1/age', ANSWER, true],
  ['/list/0/name', ANSWER, true],
  ['/list/1/nick', ANSWER, false],
  ['/pair/0/age', ANSWER, true],
  ['/1', { 1: 'a member' }, false],
];

for (const [pointer, answer, isAuthored] of PLACES)
  test(`the names in ${JSON.stringify(pointer)} are ${isAuthored ? '' : 'not all '}written at that place of the schema`, () =>
    assert.equal(isAuthoredPlace(pointer, answer, SCHEMA), isAuthored));

test('a schema that leads to itself has an end', () => {
  const schema = { properties: { next: { $ref: '#' } } };
  assert.equal(isAuthoredPlace('/next/next/next', {}, schema), true);
  assert.equal(isAuthoredPlace('/next/other', {}, schema), false);
});
