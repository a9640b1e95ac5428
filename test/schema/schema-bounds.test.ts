import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
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

const named = (count: number, toSchema: (index: number) => Json): JsonObject =>
  Object.fromEntries(times(count).map((_, index) => [`m${index}`, toSchema(index)]));
const branches = (count: number, toSchema: (index: number) => JsonObject): readonly JsonObject[] =>
  times(count).map((_, index) => toSchema(index));
const names = (count: number): readonly string[] => Object.keys(named(count, () => true));
const within = (levels: number, name: string, inner: JsonObject): JsonObject =>
  levels === 0 ? inner : { properties: { [name]: within(levels - 1, name, inner) } };
const text = { type: 'string' };

const COSTLY_TO_COMPILE: Readonly<Record<string, readonly [schema: JsonObject, from: RegExp]>> = {
  'many keywords': [
    { properties: named(1900, () => ({ ...text, minLength: 1, maxLength: 9, format: 'date' })) },
    /^\/properties\/m\d+$/,
  ],
  'many patterns of names': [{ patternProperties: named(1900, () => text) }, /^\/patternProperties\/m\d+$/],
  'many patterns': [{ properties: named(1900, (index) => ({ pattern: `^a${index}` })) }, /^\/properties\/m\d+$/],
  'many large lists of values': [
    { properties: named(1900, (index) => ({ enum: times(20).map((_, value) => index + value) })) },
    /^\/properties\/m\d+$/,
  ],
  'many alternatives': [{ oneOf: branches(900, (index) => ({ minimum: index, maximum: index })) }, /^$/],
  'many kinds of objects': [
    { oneOf: branches(400, (index) => ({ type: 'object', required: [`m${index}`], additionalProperties: false })) },
    /^\/oneOf\/\d+$/,
  ],
  'names that need very many others': [{ dependentRequired: named(20, () => names(1000)) }, /^$/],
  'very many required names': [{ allOf: branches(1000, () => ({ required: names(20) })) }, /^\/allOf\/\d+$/],
  'a reference to each of many levels': [
    {
      ...within(28, 'a', { properties: named(300, () => text) }),
      allOf: branches(28, (index) => ({ $ref: `#${'/properties/a'.repeat(index + 1)}` })),
    },
    /\/properties\/m\d+$/,
  ],
  'names of very many characters': [
    within(5, 'n'.repeat(20_000), { properties: named(1900, () => text) }),
    /\/properties\/m\d+$/,
  ],
};

for (const [what, [schema, from]] of Object.entries(COSTLY_TO_COMPILE))
  test(`a schema that takes very long to compile is refused, from where it does: ${what}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(!compiled.ok);
    assert.deepEqual(
      compiled.problems.map(({ code }) => code),
      ['SCHEMA_TOO_LARGE'],
    );
    assert.match(compiled.problems[0]?.pointer ?? '', from);
    assert.match(compiled.problems[0]?.message ?? '', /takes too long to compile/);
  });

const described = { description: 'What it means.', title: 'A title', examples: ['an example'] };
const item = { type: 'object', additionalProperties: false, required: ['id', 'name'], ...described };

const LARGE: Readonly<Record<string, JsonObject>> = {
  'an answer of 300 members': {
    type: 'object',
    properties: named(300, () => ({
      ...item,
      properties: {
        id: { type: 'integer', format: 'int64', ...described },
        name: { type: ['string', 'null'], pattern: '^[a-z]+$', maxLength: 100, ...described },
        kind: { enum: ['a', 'b', 'c'], ...described },
      },
    })),
  },
  'a choice of 900 titled constants': { oneOf: branches(900, (index) => ({ const: index, title: `the ${index}th` })) },
  'a list of 9000 values': { enum: times(9000).map((_, index) => `value ${index}`) },
  'a hundred kinds of objects, each by its name': {
    $ref: '#/$defs/node',
    $defs: {
      node: { oneOf: branches(100, (index) => ({ $ref: `#/$defs/m${index}` })) },
      ...named(100, (index) => ({
        ...item,
        properties: { id: { const: index }, name: text, within: { type: 'array', items: { $ref: '#/$defs/node' } } },
      })),
    },
  },
};

for (const [what, schema] of Object.entries(LARGE))
  test(`a large schema of everyday use is compiled: ${what}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(compiled.ok, JSON.stringify(compiled).slice(0, 300));
    assert.ok(compiled.value(false).length > 0);
  });

test('a pattern takes steps by the size of its program, and everyday patterns do not run out of them', () => {
  for (const [schema, value, codes] of [
    [{ pattern: '(\\b|a|b)*a.{300}$' }, 'ab '.repeat(30_000), ['CHECK_TOO_COSTLY']],
    [{ items: { pattern: '^.{1,500}$' } }, times(30).map(() => 'a'.repeat(500)), []],
    [{ pattern: '^[^@]+@[^@]+$' }, `${'a'.repeat(60_000)}@b`, []],
  ] as const) {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(compiled.ok);
    assert.deepEqual(
      compiled.value(value).map(({ code }) => code),
      codes,
    );
  }
});

test('a keyword with a value of another type is reported as such, before any cost is counted', () => {
  for (const keyword of ['anyOf', 'dependentRequired', 'patternProperties', 'required'])
    for (const value of [null, 1, 'text'] as const) {
      const compiled = compile(contentHash({ [keyword]: value }), { [keyword]: value });
      assert.deepEqual(compiled.ok ? [] : compiled.problems.map(({ code, pointer }) => `${code} ${pointer}`), [
        `WRONG_TYPE /${keyword}`,
      ]);
    }
});
