import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Problem } from '../../engine/contract/problem.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { PROBLEMS_MAX } from '../../engine/core/content/listed-problems.js';
import { knownPairs, list, recursiveSchemas, smallValues } from './hostile-pairs.js';
import { argumentsOf, FIRST_COMPILED } from '../support/program.js';

const compile = createCompileSchema();

/** Seconds of CPU and megabytes for one process that checks all hostile pairs of a seed. */
const CPU_SECONDS = 60;
const HEAP_MB = 256;

for (const seed of [2]) {
  test(`hostile schemas and values are refused or checked within little time and memory: seed ${seed}`, async () => {
    const program = argumentsOf(new URL('check-hostile-pairs.js', import.meta.url));
    const words = [process.execPath, ...FIRST_COMPILED, `--max-old-space-size=${HEAP_MB}`, ...program, `${seed}`];
    const limited = `ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, ...words]);
    const counts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, number>>;
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.equal(all, knownPairs.length + 80);
    for (const [verdict, count] of Object.entries(counts)) assert.ok(count > 0, verdict);
  });
}

test('a schema that is not refused gives the verdict of the plain validator', () => {
  const verdicts = { fits: 0, does_not_fit: 0, refused: 0 };
  const plain = new Ajv2020({ strict: false, logger: false, ownProperties: true });
  addFormats.default(plain);
  const property = fc.property(recursiveSchemas, smallValues, (schema, value) => {
    const compiled = compile(contentHash(schema), schema);
    if (!compiled.ok) {
      verdicts.refused += 1;
      return;
    }
    const expected = tryCheck(plain.compile(schema), value);
    if (expected === 'broken') return;
    verdicts[expected ? 'fits' : 'does_not_fit'] += 1;
    assert.equal(compiled.value(value).length === 0, expected);
  });
  fc.assert(property, { seed: 11, numRuns: 150 });
  for (const [verdict, count] of Object.entries(verdicts)) assert.ok(count > 5, `${verdict}: ${count}`);
});

/** Where `unevaluatedProperties` meets alternatives, the code of the plain validator may break. */
function tryCheck(validate: (value: Json) => unknown, value: Json): boolean | 'broken' {
  try {
    return validate(value) === true;
  } catch {
    return 'broken';
  }
}

const node = (schema: Json): JsonObject => ({ $ref: '#/$defs/node', $defs: { node: schema } });
const again = { $ref: '#/$defs/node' };
const kind = (name: string, held: JsonObject): JsonObject => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: name }, ...held },
});

const refused: readonly (readonly [name: string, schema: JsonObject, pointer: string])[] = [
  [
    'alternatives share a member that refers back',
    node({
      anyOf: [
        { properties: { a: again }, required: ['b'] },
        { properties: { a: again }, required: ['c'] },
      ],
    }),
    '/$defs/node/anyOf/1/properties/a',
  ],
  ['items are looked at and searched', node({ items: again, contains: again }), '/$defs/node/contains'],
  [
    'a name and a pattern of names meet',
    node({ properties: { ab: again }, patternProperties: { '^a': again } }),
    '/$defs/node/patternProperties/^a',
  ],
  [
    'what is not said and what must not be refer back',
    node({ properties: { a: again }, not: { properties: { a: again } } }),
    '/$defs/node/not/properties/a',
  ],
  [
    'a condition and its consequence refer back',
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
    node({ if: { items: again }, then: { items: again } }),
    '/$defs/node/then/items',
  ],
  [
    'what nothing else has looked at is looked at',
    node({ anyOf: [{ properties: { a: again } }, true], unevaluatedProperties: again }),
    '/$defs/node/anyOf/0/properties/a',
  ],
  ['the first item is described, and sought', node({ prefixItems: [again], contains: again }), '/$defs/node/contains'],
  [
    'an item is sought, and the first one described',
    node({ contains: again, allOf: [{ prefixItems: [again] }] }),
    '/$defs/node/allOf/0/prefixItems/0',
  ],
  [
    'every item is described, and the first one again',
    node({ items: again, allOf: [{ prefixItems: [again] }] }),
    '/$defs/node/allOf/0/prefixItems/0',
  ],
  [
    'a pattern of names and a name meet',
    node({ patternProperties: { '^a': again }, allOf: [{ properties: { ab: again } }] }),
    '/$defs/node/allOf/0/properties/ab',
  ],
  [
    'other members are described, and one of them by its name',
    node({ additionalProperties: again, allOf: [{ properties: { ab: again } }] }),
    '/$defs/node/allOf/0/properties/ab',
  ],
];
for (const [name, schema, pointer] of refused) {
  test(`a schema that may take exponential time is refused: ${name}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(!compiled.ok);
    const [first] = compiled.problems;
    assert.deepEqual([first?.code, first?.pointer], ['SCHEMA_EXPONENTIAL', pointer]);
    assert.match(first?.repair ?? '', /alternative/);
    assert.doesNotMatch(first?.message ?? '', /two ways/);
  });
}

test('a schema that is reached by two ways is refused there, and it is said that there are two', () => {
  const schema = node({ allOf: [{ $ref: '#/$defs/held' }, { $ref: '#/$defs/held' }] });
  const whole = { ...schema, $defs: { ...(schema['$defs'] as JsonObject), held: { items: again } } };
  const compiled = compile(contentHash(whole), whole);
  assert.ok(!compiled.ok);
  const [first] = compiled.problems;
  assert.deepEqual([first?.code, first?.pointer], ['SCHEMA_EXPONENTIAL', '/$defs/held/items']);
  assert.match(first?.message ?? '', /reached by two ways/);
});

const allowed: readonly (readonly [name: string, schema: JsonObject])[] = [
  ['a tree', node({ properties: { left: again, right: again } })],
  [
    'any JSON',
    node({
      anyOf: [{ type: 'null' }, { type: 'array', items: again }, { type: 'object', additionalProperties: again }],
    }),
  ],
  [
    'alternatives that a constant tells apart',
    node({ oneOf: [kind('and', { of: { items: again } }), kind('or', { of: { items: again } })] }),
  ],
  [
    'either consequence of a condition',
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
    node({ if: { required: ['a'] }, then: { items: again }, else: { items: again } }),
  ],
  ['the first items and the rest', node({ prefixItems: [again, again], items: again })],
  ['named members and all others', node({ properties: { a: again }, additionalProperties: again })],
  ['members and items', node({ properties: { a: again }, items: again })],
  ['items and members', node({ items: again, allOf: [{ properties: { a: again } }] })],
  ['the first items and what nothing describes', node({ prefixItems: [again], unevaluatedItems: again })],
  [
    'a pattern of names and a name that does not match it',
    node({ patternProperties: { '^a': again }, allOf: [{ properties: { b: again } }] }),
  ],
  [
    'members that no pattern matches, and one that matches',
    node({
      patternProperties: { '^a': true },
      additionalProperties: again,
      allOf: [{ properties: { ab: again } }],
    }),
  ],
];
for (const [name, schema] of allowed) {
  test(`a schema that refers back by one way to each part is taken: ${name}`, () => {
    const compiled = compile(contentHash(schema), schema);
    assert.ok(compiled.ok, JSON.stringify(compiled));
  });
}

function problemsOf(schema: JsonObject, value: Json): readonly Problem[] {
  const compiled = compile(contentHash(schema), schema);
  assert.ok(compiled.ok, JSON.stringify(compiled));
  return compiled.value(value);
}

test('a value that takes too many steps to check does not fit, and it is said why', () => {
  const schema = { items: { anyOf: list(400, (index) => ({ minimum: index, maximum: index })) } };
  assert.deepEqual(
    problemsOf(
      schema,
      list(20_000, () => 399),
    ).map(({ code, pointer }) => `${code} ${pointer}`),
    ['CHECK_TOO_COSTLY '],
  );
  assert.deepEqual(problemsOf(schema, [399]), []);
});

test('of very many problems the first are listed, however large the value is', () => {
  const found = problemsOf(
    { items: { type: 'string' } },
    list(300_000, () => 1),
  );
  assert.equal(found.length, PROBLEMS_MAX + 1);
  assert.equal(found.at(-1)?.code, 'TOO_MANY_PROBLEMS');
});

test('a place below a name of very many characters is reported as the last place before it', () => {
  const [first] = problemsOf(
    { properties: { a: { additionalProperties: { type: 'string' } } } },
    { a: { ['k'.repeat(100_000)]: 1 } },
  );
  assert.equal(first?.pointer, '/a');
});

test('equal items and listed values are found for every type and order of members', () => {
  const unique = { uniqueItems: true };
  assert.deepEqual(
    problemsOf(unique, [1, '1', true, 'true', null, 'null', [1], ['1'], '[1]', { a: 1 }, '{"a":1}']),
    [],
  );
  for (const [one, other] of [
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [0, -0],
    [[null], [null]],
  ] as const)
    assert.equal(problemsOf(unique, [one, 'between', other])[0]?.message, 'items 0 and 2 are the same');
  const listed = { enum: [{ a: 1, b: 2 }, ...list(20, (index) => index)] };
  assert.deepEqual(problemsOf(listed, { b: 2, a: 1 }), []);
  assert.deepEqual(problemsOf(listed, 19), []);
  assert.equal(problemsOf(listed, '19')[0]?.code, 'UNEXPECTED_VALUE');
});

for (const schema of [{ const: { a: 1 } }, { enum: [{ a: 1 }] }, { uniqueItems: true }] as const)
  test(`an object whose members are named like methods is compared as any other: ${Object.keys(schema)[0]}`, () => {
    const odd = JSON.parse('{"valueOf": 1, "toString": 2}') as Json;
    const value = 'uniqueItems' in schema ? [odd, odd] : odd;
    assert.equal(problemsOf(schema as unknown as JsonObject, value).length, 1);
  });
