import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Problem } from '../../engine/contract/problem.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { loadShippedSchemas } from '../../engine/operations/documents/index.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { PACKAGE_ROOT } from '../documents/document-parts.js';

const compile = createCompileSchema();

function problemsOf(schema: JsonObject, value: Json): readonly Problem[] {
  const compiled = compile(contentHash(schema), schema);
  assert.ok(compiled.ok, JSON.stringify(compiled));
  return compiled.value(value);
}

function say({ code, pointer, message, repair }: Problem): string {
  return `${code} ${pointer}: ${message}${repair === undefined ? '' : ` (${repair})`}`;
}

function check(name: string, schema: JsonObject, value: Json, expected: readonly string[]): void {
  test(name, () => assert.deepEqual(problemsOf(schema, value).map(say), expected));
}

const person = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'age'],
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer', description: 'In years.' },
    kind: { enum: ['agent', 'prop'] },
  },
};

check('a valid value has no problem', person, { name: 'a', age: 1 }, []);
check('all that is wrong is said at once', person, { name: '', agee: 1, kind: 'agnet' }, [
  'UNKNOWN_FIELD /agee: "agee" is not a field here (Did you mean "age"?)',
  'BAD_VALUE /name: must not be empty (Write more.)',
  'UNEXPECTED_VALUE /kind: must be "agent" or "prop" (Did you mean "agent"?)',
]);
check('a wrong type names both', person, { name: null, age: 1.5 }, [
  'WRONG_TYPE /name: must be a string, not null (Write a string.)',
  'WRONG_TYPE /age: must be an integer, not a number (Write an integer.)',
]);
check('an empty list is said to be empty', { minItems: 1 }, [], ['BAD_VALUE : must not be empty (Write more.)']);
check(
  'the problem of a short list names its least length',
  { minItems: 2 },
  [1],
  ['BAD_VALUE : must have at least 2 items (Write more.)'],
);
for (const [count, more] of [
  [100, undefined],
  [101, '1 more alternatives'],
] as const)
  test(`of ${count} alternatives that fail, 100 are said${more === undefined ? '' : ', and how many there are more'}`, () => {
    const anyOf = Array.from({ length: count }, (_, index) => ({ minimum: index }));
    const [problem] = problemsOf({ anyOf }, -1);
    const said = problem?.message.split(', or ') ?? [];
    assert.equal(said.filter((text) => text.startsWith('must be')).length, 100);
    assert.deepEqual(said.slice(100), more === undefined ? [] : [more]);
  });
test('each of 150 items that break what a condition asks for is listed', () => {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
  const schema = { items: { if: { type: 'integer' }, then: { minimum: 1 } } };
  const found = problemsOf(
    schema,
    Array.from({ length: 150 }, () => 0),
  );
  assert.deepEqual(
    found.map(({ pointer }) => pointer),
    Array.from({ length: 150 }, (_, index) => `/${index}`),
  );
});
for (const [count, more] of [
  [200, []],
  [201, ['TOO_MANY_PROBLEMS ']],
] as const)
  test(`of ${count} items that are wrong, 200 are listed${more.length === 0 ? '' : ', and that there are more'}`, () => {
    const found = problemsOf(
      { items: { type: 'integer' } },
      Array.from({ length: count }, () => 'one'),
    );
    assert.equal(found.filter(({ code }) => code === 'WRONG_TYPE').length, 200);
    assert.deepEqual(
      found.slice(200).map(({ code, pointer }) => `${code} ${pointer}`),
      more,
    );
  });
check('a pointer escapes the member that it names', { additionalProperties: false }, { 'a/b~c': 1 }, [
  'UNKNOWN_FIELD /a~1b~0c: "a/b~c" is not a field here (Known here: nothing.)',
]);
check('a bad name is found at the member that has it', { propertyNames: { pattern: '^[a-z]+$' } }, { ok: 1, Bad: 2 }, [
  'BAD_VALUE /Bad: the name "Bad" must match ^[a-z]+$ (Write such a text.)',
]);
check(
  'an open choice is one complaint at its place',
  { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
  { a: 1 },
  ['NO_ALTERNATIVE /a: must be a string or null (Write one of these.)'],
);
check(
  'a choice by a fixed member complains of the chosen branch only',
  {
    oneOf: [
      { type: 'object', required: ['kind', 'a'], properties: { kind: { const: 'one' }, a: { type: 'string' } } },
      { type: 'object', required: ['kind', 'b'], properties: { kind: { const: 'two' }, b: { type: 'string' } } },
    ],
  },
  { kind: 'two', b: 1 },
  ['WRONG_TYPE /b: must be a string, not a number (Write a string.)'],
);
const byMember = (...required: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties: Object.fromEntries(required.map((name) => [name, {}])),
});
check(
  'the problem of a value that fits no alternative by its type names all of their types',
  { oneOf: ['string', 'null', 'array', 'object', 'integer'].map((type) => ({ type })) },
  true,
  ['NO_ALTERNATIVE : must be one of: a string, null, a list, an object, a number (Write one of these.)'],
);
check(
  'the problem of a value that is none of the texts, and of no other type, names both',
  { oneOf: [{ const: 'all' }, { const: 'none' }, byMember('hash'), byMember('path', 'of')] },
  'nobody',
  [
    'NO_ALTERNATIVE : must be one of: "all", "none", an object with "hash", an object with "path" and "of" (Write one of these.)',
  ],
);
check(
  'the problem of an object without a distinguishing member names those members',
  {
    oneOf: [{ const: 'all' }, byMember('hash'), byMember('path', 'of')],
  },
  { of: 1 },
  ['NO_ALTERNATIVE : must be an object with "hash" or an object with "path" and "of" (Write one of these.)'],
);
check(
  'constants of several alternatives are one list',
  { anyOf: [{ const: 1 }, { enum: [2, 3] }, { const: null }] },
  4,
  ['UNEXPECTED_VALUE : must be one of: 1, 2, 3, null (Write one of these.)'],
);
check('formats are checked', { format: 'date-time' }, 'yesterday', [
  'BAD_VALUE : must be a date-time (Write for example "2025-11-02T17:00:00Z".)',
]);
check('of a moment without an offset that part is named', { format: 'date-time' }, '2031-01-01T06:00:00', [
  'BAD_VALUE : must be a date-time, and ends without Z or an offset such as +02:00 (Write for example "2025-11-02T17:00:00Z".)',
]);
check(
  'items that repeat are named',
  { uniqueItems: true },
  [1, 2, 1],
  ['BAD_VALUE : items 0 and 2 are the same (Remove one of them.)'],
);
check(
  'a schema that refers to itself goes as deep as the value',
  { properties: { next: { $ref: '#' } }, type: 'object' },
  { next: { next: 1 } },
  ['WRONG_TYPE /next/next: must be an object, not a number (Write an object.)'],
);

test('a schema is compiled once for its hash, and schemas of one $id do not meet', () => {
  const one = { $id: 'https://example.com/a', type: 'string' };
  const two = { $id: 'https://example.com/a', type: 'number' };
  const first = compile(contentHash(one), one);
  assert.equal(compile(contentHash(one), structuredClone(one)), first);
  assert.deepEqual(problemsOf(one, 'a'), []);
  assert.deepEqual(problemsOf(two, 1), []);
  assert.equal(problemsOf(two, 'a').length, 1);
});

for (const [keyword, schema, value, repair] of [
  ['nullable', { type: 'string', nullable: true }, null, /"null"/],
  ['nullable', { enum: ['a'], nullable: true }, null, /"null"/],
  ['dependencies', { type: 'array', dependencies: { a: ['b'] } }, { a: 1 }, /dependentRequired/],
  ['id', { type: 'string', id: 'http://example.com/a' }, 1, /\$id/],
] as const)
  test(`a keyword of another dialect checks nothing, decides over nothing, and is noted: ${keyword}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(compiled.ok);
    assert.deepEqual(
      compiled.notes?.map(({ code, pointer }) => `${code} ${pointer}`),
      [`UNKNOWN_KEYWORD /${keyword}`],
    );
    assert.match(compiled.notes?.[0]?.repair ?? '', repair);
    assert.equal(compiled.value(value).length, 1);
    const { type: _, enum: __, ...alone } = { enum: 0, type: 0, ...schema };
    const without = compile(contentHash(alone), alone);
    assert.ok(without.ok);
    assert.deepEqual(without.value(value), []);
  });

test('unknown keywords and formats are notes, and do not keep a schema from being used', () => {
  const schema = { formt: 'email', properties: { a: { format: 'colour' } } };
  const compiled = compile(contentHash(schema), schema);
  assert.ok(compiled.ok);
  assert.deepEqual(
    compiled.notes?.map(({ code, pointer, severity }) => `${severity} ${code} ${pointer}`),
    ['note UNKNOWN_KEYWORD /formt', 'note UNKNOWN_FORMAT /properties/a/format'],
  );
  assert.deepEqual(compiled.value({ a: 'red' }), []);
});

for (const name of ['toString', 'constructor', 'hasOwnProperty', '__proto__']) {
  check(`what every object inherits is no member: ${name}`, { required: [name] }, {}, [
    `MISSING_FIELD : the field "${name}" is missing (Add "${name}".)`,
  ]);
  if (name === '__proto__') continue;
  check(
    `a property may be named ${name}`,
    { properties: JSON.parse(`{"${name}": {"type": "string"}}`) as JsonObject, dependentRequired: { [name]: ['a'] } },
    {},
    [],
  );
}

check(
  'where a value may depend on __proto__ or need it, that is checked',
  { required: ['__proto__'], dependentRequired: JSON.parse('{"__proto__": ["a"]}') as JsonObject },
  JSON.parse('{"__proto__": 1}') as Json,
  ['MISSING_FIELD : the field "a" is missing (Add "a".)'],
);

check(
  'what is written under an inherited name is checked',
  { properties: { constructor: { type: 'string' } }, required: ['constructor'], additionalProperties: false },
  { constructor: 1, toString: 2 },
  [
    'UNKNOWN_FIELD /toString: "toString" is not a field here (Known here: constructor.)',
    'WRONG_TYPE /constructor: must be a string, not a number (Write a string.)',
  ],
);

test('no pattern and no format takes longer than its text is long', () => {
  const text = `${'a'.repeat(200_000)}!`;
  const hostile = '^(([a-z])+)+$';
  const said = problemsOf(
    {
      patternProperties: { [hostile]: false },
      properties: { text_1: { pattern: hostile }, url_1: { format: 'url' } },
    },
    { text_1: text, url_1: `http://${'é-'.repeat(100_000)}!`, [text]: 1 },
  );
  assert.deepEqual(
    said.map(({ code, pointer }) => `${code} ${pointer}`),
    ['BAD_VALUE /text_1', 'BAD_VALUE /url_1'],
  );
});

check(
  'a url of ordinary length is checked as ever',
  { items: { format: 'url' } },
  ['http://example.com/a', 'a'],
  ['BAD_VALUE /1: must be a url (Write a text of that format.)'],
);

for (const [name, schema, expected] of [
  ['one that leaves the document', { $ref: 'https://example.com/a.json' }, 'UNSUPPORTED_REFERENCE /$ref'],
  ['one that names a file', { items: { $ref: 'other.json#/a' } }, 'UNSUPPORTED_REFERENCE /items/$ref'],
  [
    'one with a schema of another name inside',
    { items: { $id: 'https://example.com/b' } },
    'UNSUPPORTED_REFERENCE /items/$id',
  ],
  ['one with a dynamic reference', { $dynamicRef: '#meta' }, 'UNSUPPORTED_REFERENCE /$dynamicRef'],
  ['one that refers to nothing', { $ref: '#/$defs/a' }, 'UNKNOWN_REFERENCE /$ref'],
  ['one that refers to what is no schema', { $ref: '#/enum/0', enum: [{ type: 'string' }] }, 'UNKNOWN_REFERENCE /$ref'],
  ['one that never ends', { allOf: [{ $ref: '#' }] }, 'SCHEMA_NEVER_ENDS '],
  ['one of very many schemas', { prefixItems: Array.from({ length: 3000 }, () => true) }, 'SCHEMA_TOO_LARGE '],
  ['one of very much text', { description: 'a'.repeat(300_000) }, 'SCHEMA_TOO_LARGE '],
  ['one of another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'UNKNOWN_DIALECT /$schema'],
  ['one with a bad pattern', { properties: { a: { pattern: '(' } } }, 'BAD_PATTERN /properties/a/pattern'],
  [
    'one whose pattern looks ahead',
    { properties: { a: { pattern: '^(?!b)' } } },
    'PATTERN_NOT_LINEAR /properties/a/pattern',
  ],
  [
    'one whose names have a pattern that refers back',
    { patternProperties: { '(a)\\1': true } },
    'PATTERN_NOT_LINEAR /patternProperties/(a)\\1',
  ],
  ...['properties', 'patternProperties'].map(
    (keyword) =>
      [
        `one with __proto__ among its ${keyword}`,
        JSON.parse(`{"items": {"${keyword}": {"__proto__": {"type": "string"}}}}`) as JsonObject,
        `NAME_NOT_CHECKED /items/${keyword}/__proto__`,
      ] as const,
  ),
  [
    'one that requires a member and allows no other members',
    { type: 'object', properties: { name: {} }, required: ['naem'], additionalProperties: false },
    'REQUIRED_REFUSED /required/0',
  ],
  [
    'one that requires a member of two types at once, in what it refers to',
    {
      required: ['a'],
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: {
        a: { allOf: [{ properties: { b: { type: 'string' } } }], required: ['b'], properties: { b: { enum: [1] } } },
      },
    },
    'REQUIRED_REFUSED /$defs/a/required/0',
  ],
  ['one that breaks the metaschema', { properties: { a: { minLength: -1 } } }, 'BAD_VALUE /properties/a/minLength'],
] as const) {
  test(`a schema is refused: ${name}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(!compiled.ok);
    assert.ok(
      compiled.problems.some(({ code, pointer }) => `${code} ${pointer}` === expected),
      JSON.stringify(compiled.problems),
    );
  });
}

for (const [name, schema, value] of [
  [
    'an alternative describes it',
    { unevaluatedProperties: false, required: ['a'], anyOf: [{ properties: { a: {} } }] },
    { a: 1 },
  ],
  [
    'a pattern describes it',
    { additionalProperties: false, required: ['a'], patternProperties: { '^(([a-z])+)+$': {} } },
    { a: 1 },
  ],
  [
    'it is required of a member that may be left out',
    { properties: { a: { required: ['b'], additionalProperties: false } } },
    {},
  ],
  [
    'it refers back to itself',
    { required: ['a'], properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { anyOf: [{ $ref: '#' }, {}] } } },
    { a: 1 },
  ],
] as const)
  check(`a required member is let in where ${name}`, schema, value, []);

test('the schemas that ship are sound under the strict mode of the validator', async () => {
  const shipped = await loadShippedSchemas(`${PACKAGE_ROOT}/schemas`);
  assert.ok(shipped.size >= 9);
  for (const [name, schema] of shipped) {
    const ajv = new Ajv2020({ strict: true, allowMatchingProperties: true });
    addFormats.default(ajv);
    assert.doesNotThrow(() => ajv.compile(schema), name);
    const compiled = compile(contentHash(schema), schema);
    assert.ok(compiled.ok, name);
    assert.deepEqual(compiled.notes, [], name);
  }
});
