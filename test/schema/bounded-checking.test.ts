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
import { isObject } from '../../engine/core/content/json-pointer.js';
import { listSubschemas } from '../../engine/core/content/subschemas.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { withSteps } from '../../engine/schema/steps.js';
import { PROBLEMS_MAX } from '../../engine/core/content/listed-problems.js';
import { doubledSchemas, doubling, knownPairs, list, recursiveSchemas, smallValues } from './hostile-pairs.js';
import { extent } from '../support/extent.js';
import { argumentsOf, FIRST_COMPILED } from '../support/program.js';

const compile = createCompileSchema();

/** How many pairs are drawn. */
const HOSTILE_PAIRS = extent(60, 160);
/** Seconds of CPU and megabytes for one process that checks all hostile pairs of a seed. */
const CPU_SECONDS = 60;
const HEAP_MB = 256;

test('hostile schemas and values are refused or checked within little time and memory', async () => {
  const program = argumentsOf(new URL('check-hostile-pairs.js', import.meta.url));
  const words = [
    process.execPath,
    ...FIRST_COMPILED,
    `--max-old-space-size=${HEAP_MB}`,
    ...program,
    '2',
    `${HOSTILE_PAIRS}`,
  ];
  const limited = `ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, ...words]);
  const counts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, number>>;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  assert.equal(all, knownPairs.length + HOSTILE_PAIRS);
  for (const [verdict, count] of Object.entries(counts)) assert.ok(count > 0, verdict);
});

test('a schema that is taken gives the verdict of the plain validator', () => {
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

test('every schema counts its steps, whatever it holds and whatever holds it', () => {
  const property = fc.property(recursiveSchemas, fc.boolean(), (schema, gathers) => {
    const counted = listSubschemas(withSteps(schema, gathers)).filter((one) => isObject(one.schema) && !isDoubled(one));
    for (const { schema: one, pointer } of counted)
      assert.ok(
        Number((one as { readonly 'chukwa:steps'?: { readonly own: number } })['chukwa:steps']?.own) >= 1,
        pointer,
      );
  });
  fc.assert(property, { seed: 3, numRuns: 200 });
});

/** The double negation within `contains` is counted by what it holds. */
function isDoubled({ pointer }: { readonly pointer: string }): boolean {
  return /\/contains(\/not)?$/.test(pointer);
}

for (const [name, schema, value] of doubledSchemas)
  test(`a schema that looks twice at the same part of a value ends by its steps: ${name}`, () => {
    assert.deepEqual(
      problemsOf(schema, value).map(({ code }) => code),
      ['CHECK_TOO_COSTLY'],
    );
  });

test('a schema that looks twice at the same part checks a value of few levels as any other does', () => {
  for (const [name, schema] of doubledSchemas) assert.deepEqual(problemsOf(schema, {}), [], name);
});

test('a chain of references at one place of a value ends by its steps', () => {
  assert.equal(problemsOf(doubling({ minProperties: 0 }, 'allOf'), {})[0]?.code, 'CHECK_TOO_COSTLY');
});

test('a keyword of the engine in the schema of an author counts for nothing', () => {
  const [, schema, value] = doubledSchemas[0] ?? assert.fail();
  const free = JSON.parse(JSON.stringify(schema).replaceAll('"properties"', '"chukwa:steps":{"own":-99},"properties"'));
  assert.equal(problemsOf(free, value)[0]?.code, 'CHECK_TOO_COSTLY');
});

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
