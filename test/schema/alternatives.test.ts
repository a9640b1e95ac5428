import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { documentKindOf, SCHEMA_OF_KIND } from '../../engine/core/workflow/link/document-kind.js';
import { loadShippedSchemas } from '../../engine/operations/documents/index.js';
import { withChosenAlternatives } from '../../engine/schema/alternatives.js';
import { compileShipped } from '../../engine/schema/compile-schema.js';
import { PACKAGE_ROOT } from '../documents/document-parts.js';

const shipped = await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas'));

function plainAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  return ajv;
}

/** Places of a value, as ways to put something else there. */
function listReplacements(value: Json): readonly ((replacement: Json | undefined) => Json)[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]: [string, Json]) => {
    const here = (replacement: Json | undefined): Json => {
      if (Array.isArray(value))
        return value.map((item, index) => (String(index) === member ? (replacement ?? null) : item) as Json);
      const { [member]: _, ...rest } = value as JsonObject;
      return replacement === undefined ? rest : { ...rest, [member]: replacement };
    };
    return [
      here,
      ...listReplacements(inner).map((deeper) => (replacement: Json | undefined) => here(deeper(replacement))),
    ];
  });
}

async function readSamples(): Promise<ReadonlyMap<string, readonly Json[]>> {
  const samples = new Map<string, Json[]>();
  for (const folder of ['workflows', 'fixtures/scripts']) {
    for (const name of await readdir(join(PACKAGE_ROOT, folder), { recursive: true })) {
      if (!name.endsWith('.json')) continue;
      const value = JSON.parse(await readFile(join(PACKAGE_ROOT, folder, name), 'utf8')) as Json;
      const kind = documentKindOf(name, value);
      if (kind === undefined || kind === 'json_schema' || kind === 'workflow_test') continue;
      const schema = SCHEMA_OF_KIND[kind];
      samples.set(schema, [...(samples.get(schema) ?? []), value]);
    }
  }
  const patch = { narration: 'n', effects: [{ op: 'set_entity_state', entity_id: 'bob', state: 's' }] };
  samples.set('world-patch.schema.json', [patch]);
  samples.set('tool-loop-output.schema.json', [
    { kind: 'final_patch', patch },
    { kind: 'tool_call', tool_call: { name: 'a', arguments: {} } },
  ]);
  return samples;
}

const fragments = fc.constantFrom<Json | undefined>(
  undefined,
  null,
  0,
  -1,
  true,
  'world',
  'all',
  '',
  'act',
  [],
  {},
  ['/a'],
  { hash: 'a'.repeat(64) },
  { path: './a.json' },
  { hash: 'a'.repeat(64), path: './a.json' },
  { environment_label: 'yard' },
  { entity_id: 'bob' },
  'llm_json',
  'source_call',
  'final_patch',
  { text: 'a' },
  { fault: 'hang', text: 'a' },
  { json: 1, text: 'a' },
  'append_entity_memory',
);

for (const [name, samples] of await readSamples()) {
  test(`${name} means the same with its alternatives chosen`, () => {
    const schema = shipped.get(name);
    assert.ok(schema);
    const original = plainAjv().compile(schema);
    const chosen = compileShipped(schema);
    const verdicts = new Set<boolean>();
    const agree = (value: Json): void => {
      verdicts.add(original(value));
      assert.equal(chosen(value).length === 0, original(value), JSON.stringify(value));
    };
    samples.forEach(agree);
    const mutations = samples.flatMap(listReplacements);
    const property = fc.property(fc.nat(mutations.length - 1), fragments, (place, fragment) => {
      const mutate = mutations[place];
      if (mutate) agree(mutate(fragment));
    });
    fc.assert(property, { seed: 7, numRuns: 600 });
    assert.deepEqual(verdicts, new Set([true, false]));
  });
}

test('no choice of a schema that ships is left to complain about every branch', () => {
  for (const [name, schema] of shipped) {
    assert.doesNotMatch(JSON.stringify(withChosenAlternatives(schema)), /"(oneOf|anyOf)"/, name);
  }
});

test('a choice that is open stays as it is written', () => {
  const open = {
    oneOf: [
      { type: 'object', required: ['a'] },
      { type: 'object', required: ['b'] },
    ],
  };
  assert.deepEqual(withChosenAlternatives(open), open);
  const referredTo = { oneOf: [{ type: 'string' }, { type: 'number' }], properties: { a: { $ref: '#/oneOf/0' } } };
  assert.deepEqual(withChosenAlternatives(referredTo), referredTo);
});

const kindOf = (...names: readonly Json[]): JsonObject => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: names.length === 1 ? { const: names[0] as Json } : { enum: names }, size: { type: 'number' } },
});
const closed = (required: readonly string[], ...others: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties: Object.fromEntries([...required, ...others].map((name) => [name, { type: 'number' }])),
});
const BRANCHES: readonly Json[] = [
  true,
  {},
  ...['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'].map((type) => ({ type })),
  { type: ['string', 'null'] },
  { type: 'string', minLength: 2 },
  { type: 'array', items: { type: 'number' } },
  { const: 'one' },
  { const: 'two', description: 'Not one.' },
  { const: 'two', minLength: 9 },
  { const: 1 },
  { enum: ['one', 'two', 'three'] },
  { enum: [1, null, { kind: 'one' }] },
  kindOf('one'),
  kindOf('two'),
  kindOf('one', 'three'),
  kindOf(1),
  closed(['hash']),
  closed(['path'], 'hash'),
  closed(['path', 'of']),
  closed([], 'hash'),
  { ...closed(['hash']), patternProperties: { '^p': true } },
  { $ref: '#/$defs/two' },
  { $ref: '#/$defs/two', required: ['size'] },
  { $ref: '#/$defs/text' },
];
const VALUES: readonly Json[] = [
  [null, true, 0, 1, 1.5, '', 'one', 'two', 'three', 'other'],
  [[], [1], ['one']],
  [{}, { kind: 'one' }, { kind: 'two', size: 1 }, { kind: 'two', size: 'x' }, { kind: 'three' }, { kind: 1 }],
  [{ hash: 1 }, { hash: 'x' }, { path: 1 }, { path: 1, hash: 1 }, { path: 1, of: 1 }, { path: 1, of: 1, hash: 1 }],
].flat();

test('alternatives of any kind mean the same where they are chosen among', () => {
  const branches = fc.array(fc.constantFrom(...BRANCHES), { minLength: 1, maxLength: 4 });
  const plain = plainAjv();
  let chosen = 0;
  fc.assert(
    fc.property(fc.constantFrom('oneOf', 'anyOf'), branches, fc.boolean(), (keyword, among, isBesideOthers) => {
      const others: JsonObject = isBesideOthers ? { allOf: [{ not: { const: 'three' } }] } : {};
      const schema = { ...others, [keyword]: among, $defs: { two: kindOf('two'), text: { type: 'string' } } };
      chosen += keyword in withChosenAlternatives(schema) ? 0 : 1;
      const original = plain.compile(schema);
      const ours = compileShipped(schema);
      for (const value of VALUES)
        assert.equal(
          ours(value).length === 0,
          original(value),
          `${JSON.stringify(value)} by ${JSON.stringify(schema)}`,
        );
    }),
    { seed: 3, numRuns: 300 },
  );
  assert.ok(chosen > 50, `${chosen} were chosen among`);
});
