import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';

/** A schema, and a value to check by it. */
export interface Pair {
  readonly name: string;
  readonly schema: JsonObject;
  readonly value: Json;
}

export const FORMATS = [
  'date',
  'time',
  'date-time',
  'iso-time',
  'iso-date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'byte',
  'password',
  'binary',
];

const names = fc.constantFrom('a', 'b', 'c');
const references = fc.constantFrom('x', 'y', 'z').map((name) => ({ $ref: `#/$defs/${name}` }));
const leaves: fc.Arbitrary<JsonObject> = fc.oneof(
  references,
  fc.constantFrom('string', 'number', 'object', 'array', 'null').map((type) => ({ type })),
  fc.constantFrom(...FORMATS).map((format) => ({ format })),
  fc.constantFrom('^(([a-z])+)+$', 'a*a*a*b', '^(a|ab|b)*$').map((pattern) => ({ pattern })),
  fc.nat(100).map((count) => ({ enum: list(count + 1, (index) => `v${index}`) })),
  fc.nat(100).map((count) => ({ oneOf: list(count + 1, (index) => ({ const: index })) })),
  fc.constant({ const: { a: [1, 1, 1] } }),
  fc.constant({ minLength: 2, maxLength: 40_000 }),
  fc.constant({ required: ['a', 'b'] }),
);

const { schemas } = fc.letrec<{ schemas: JsonObject }>((tie) => {
  const inner = tie('schemas');
  const lists = fc.array(inner, { minLength: 1, maxLength: 3 });
  const maps = fc.dictionary(names, inner, { maxKeys: 3, noNullPrototype: true });
  const holding = (...keywords: readonly string[]): fc.Arbitrary<JsonObject> =>
    fc.tuple(fc.constantFrom(...keywords), inner).map(([keyword, schema]) => ({ [keyword]: schema }));
  return {
    schemas: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaves,
      holding('items', 'contains', 'additionalProperties', 'propertyNames', 'not'),
      holding('unevaluatedItems', 'unevaluatedProperties'),
      fc.tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), lists).map(([keyword, held]) => ({ [keyword]: held })),
      maps.map((properties) => ({ properties })),
      maps.map((properties) => ({ dependentSchemas: properties })),
      inner.map((schema) => ({ patternProperties: { '^[a-c]': schema } })),
      fc.tuple(inner, inner).map(([first, second]) => ({ prefixItems: [first], items: second, uniqueItems: true })),
      fc.tuple(inner, inner, inner).map(([first, second, third]) => ({
        if: first,
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
        then: second,
        else: third,
      })),
      fc.tuple(inner, inner).map(([one, other]) => ({ ...one, ...other })),
    ),
  };
});

/** Schemas of three definitions that refer to each other. */
export const recursiveSchemas: fc.Arbitrary<JsonObject> = fc
  .record({ x: schemas, y: schemas, z: schemas })
  .map(($defs) => ({ $ref: '#/$defs/x', $defs }));

const scalars: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  true,
  0,
  400,
  'v1',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  '',
);

/** Values of few members and items. */
export const smallValues: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Values of about 32 KiB: deep, wide, or long. */
export const largeValues: fc.Arbitrary<Json> = fc.oneof(
  fc.tuple(fc.array(names, { minLength: 1, maxLength: 3 }), fc.integer({ min: 10, max: 60 })).map(nest),
  smallValues.map((value) => list(Math.min(8000, Math.ceil(32_000 / JSON.stringify(value).length)), () => value)),
  smallValues.map((value) =>
    Object.fromEntries(
      list(Math.min(3000, Math.ceil(32_000 / (8 + JSON.stringify(value).length))), (i) => [`a${i}`, value]),
    ),
  ),
  fc.constantFrom('a', 'a.', '/', ' ', '::', '%20', '{a}').map((piece) => piece.repeat(32_000 / piece.length)),
);

/** What looks at the members and items of a value by one schema. */
const looking: readonly ((held: JsonObject) => JsonObject)[] = [
  (held) => ({ properties: { a: held } }),
  (held) => ({ patternProperties: { '^a': held } }),
  (held) => ({ additionalProperties: held }),
  (held) => ({ unevaluatedProperties: held }),
  (held) => ({ items: held }),
  (held) => ({ prefixItems: [held, held] }),
  (held) => ({ contains: held }),
  (held) => ({ unevaluatedItems: held }),
];

/** What holds a schema that looks at the same value. */
const holding: readonly ((held: JsonObject) => JsonObject)[] = [
  (held) => held,
  (held) => ({ allOf: [held] }),
  (held) => ({ anyOf: [held] }),
  (held) => ({ oneOf: [held] }),
  (held) => ({ not: held }),
  (held) => ({ if: held }),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
  (held) => ({ if: true, then: held }),
  (held) => ({ dependentSchemas: { a: held } }),
];

/** Chains of definitions, each of which leads twice to the next; the last leads to the first, a level deeper. */
export const chainedSchemas: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...holding), fc.constantFrom(...holding)), { minLength: 1, maxLength: 40 }),
    fc.array(fc.constantFrom(...looking), { minLength: 1, maxLength: 3 }),
    leaves,
  )
  .map(([links, ways, leaf]) => {
    const chain = links.map(([one, other], index) => {
      const next = { $ref: `#/$defs/c${index + 1}` };
      return [`c${index}`, { allOf: [one(next), other(next)] }] as const;
    });
    const back = { anyOf: [...ways.map((look) => look({ $ref: '#/$defs/c0' })), { $ref: '#/$defs/leaf' }] };
    const $defs = { ...Object.fromEntries(chain), [`c${links.length}`]: back, leaf: toLeaf(leaf) };
    return { $ref: '#/$defs/c0', $defs };
  });

/** A leaf that refers to nothing. */
function toLeaf(leaf: JsonObject): JsonObject {
  return '$ref' in leaf ? {} : leaf;
}

const again: JsonObject = { $ref: '#/$defs/node' };

function twice(...ways: readonly JsonObject[]): JsonObject {
  return { $ref: '#/$defs/node', $defs: { node: { allOf: ways } } };
}

const members: Json = list(50, () => 0).reduce<Json>((inner) => ({ a: inner }), {});
const items: Json = list(50, () => 0).reduce<Json>((inner) => [inner], {});
const ofMember = { properties: { a: again } };

/** Schemas that are short, each with a value of few levels that takes exponential time; `{}` fits them all. */
export const doubledSchemas: readonly (readonly [name: string, schema: JsonObject, value: Json])[] = [
  ['members and the same members', twice(ofMember, ofMember), members],
  ['what must not be said not', twice(ofMember, { not: { not: ofMember } }), members],
  ['a condition', twice(ofMember, { if: ofMember, else: false }), members],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
  ['a consequence', twice(ofMember, { if: { required: ['a'] }, then: ofMember }), members],
  ['names and patterns of names', twice(ofMember, { patternProperties: { '^a': again } }), members],
  ['names and all names', twice(ofMember, { additionalProperties: again }), members],
  ['what a member brings with it', twice(ofMember, { dependentSchemas: { a: ofMember } }), members],
  ['what nothing else has looked at', twice(ofMember, { unevaluatedProperties: again }), members],
  ['items and what is sought among them', twice({ items: again }, { contains: again }), items],
  ['items and the first item', twice({ items: again }, { prefixItems: [again] }), items],
  ['alternatives', twice({ anyOf: [{ allOf: [ofMember, false] }, ofMember] }), members],
];

function nest([path, depth]: readonly [readonly string[], number]): Json {
  return list(depth, (index) => index).reduce<Json>(
    (inner, index) => (index % 2 === 0 ? Object.fromEntries(path.map((name) => [name, inner])) : [inner]),
    {},
  );
}

export function list<Item>(length: number, make: (index: number) => Item): Item[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** Pairs of which each once took very long, or more memory than there is. */
export const knownPairs: readonly Pair[] = [
  {
    name: 'alternatives that share a member',
    schema: sharing(),
    value: list(40, () => 0).reduce<Json>((v) => ({ children: [v] }), {}),
  },
  { name: 'items of a megabyte that differ', schema: { uniqueItems: true }, value: list(100_000, (i) => [i]) },
  {
    name: 'a long list of values',
    schema: { items: { enum: list(500, (i) => `v${i}`) } },
    value: list(100_000, () => 'v499'),
  },
  {
    name: 'alternatives of constants',
    schema: { items: { oneOf: list(500, (i) => ({ const: i })) } },
    value: list(100_000, () => 499),
  },
  {
    name: 'alternatives that a constant tells apart',
    schema: {
      items: { oneOf: list(200, (i) => ({ type: 'object', required: ['k'], properties: { k: { const: `v${i}` } } })) },
    },
    value: list(50_000, () => ({ k: 'v199' })),
  },
  {
    name: 'open alternatives',
    schema: { items: { anyOf: list(500, (i) => ({ required: [`k${i}`] })) } },
    value: list(100_000, () => ({})),
  },
  { name: 'very many problems', schema: { items: { type: 'string' } }, value: list(300_000, () => 1) },
  {
    name: 'very many problems below a long name',
    schema: { additionalProperties: { items: { type: 'string' } } },
    value: { ['k'.repeat(1_000_000)]: list(100_000, () => 1) },
  },
  {
    name: 'very many unknown fields, each like a known one',
    schema: {
      additionalProperties: false,
      properties: Object.fromEntries(list(1500, (i) => [`property_${'x'.repeat(40)}${i}`, true])),
    },
    value: Object.fromEntries(list(20_000, (i) => [`propert_${'x'.repeat(40)}${i}`, 1])),
  },
  {
    name: 'many rules over one large object',
    schema: { allOf: list(600, () => ({ minProperties: 1 })) },
    value: Object.fromEntries(list(100_000, (i) => [`k${i}`, 1])),
  },
  {
    name: 'many searches through one long list',
    schema: { allOf: list(400, () => ({ contains: { type: 'string' } })) },
    value: [...list(300_000, () => 1), 'a'],
  },
  {
    name: 'alternatives that all fail, at the end of a chain that doubles',
    schema: doubling({ type: 'string' }, 'oneOf'),
    value: 1,
  },
  {
    name: 'a long constant, at the end of a chain that doubles',
    schema: doubling({ const: 'a'.repeat(200_000) }, 'allOf'),
    value: 'a'.repeat(200_000),
  },
  {
    name: 'a long name, at the end of a chain that doubles',
    schema: doubling({ additionalProperties: { type: 'number' } }, 'allOf'),
    value: { ['k'.repeat(1_000_000)]: 1 },
  },
  {
    name: 'a search by reference through one long list',
    schema: { contains: { $ref: '#/$defs/text' }, $defs: { text: { type: 'string' } } },
    value: list(300_000, () => 1),
  },
  {
    name: 'many lengths of one long text',
    schema: { allOf: list(900, () => ({ minLength: 3 })) },
    value: 'a'.repeat(2_000_000),
  },
];

export function doubling(leaf: JsonObject, keyword: 'allOf' | 'oneOf'): JsonObject {
  const defined = list(30, (index): [string, JsonObject] => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, { [keyword]: [next, next] }];
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(defined), d30: leaf } };
}

function sharing(): JsonObject {
  const branch = (name: string): JsonObject => ({
    type: 'object',
    properties: { children: { items: { $ref: '#/$defs/node' } }, [name]: { type: 'string' } },
    required: [name],
  });
  return { $ref: '#/$defs/node', $defs: { node: { anyOf: [branch('left'), branch('right')] } } };
}
