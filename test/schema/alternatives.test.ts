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
