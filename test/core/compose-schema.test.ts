import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { composeToolLoopSchema } from '../../engine/core/nodes/compose-schema.js';
import { isEquivalentSchema } from '../../engine/core/nodes/equivalent-schema.js';
import type { Validate } from '../../engine/core/protocol/program.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import { CONTRACTS } from '../support/park-documents.js';

const compileSchema = createCompileSchema();

function compile(schema: JsonObject): Validate {
  const compiled = compileSchema(contentHash(schema), schema);
  assert.ok(compiled.ok, JSON.stringify(compiled));
  return compiled.value;
}

const TOOLS: readonly { readonly name: string; readonly arguments: JsonObject }[] = [
  {
    name: 'press',
    arguments: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.test/press',
      type: 'object',
      additionalProperties: false,
      required: ['button'],
      properties: { button: { $ref: '#/$defs/button' } },
      $defs: { button: { enum: ['A', 'B'] } },
    },
  },
  {
    name: 'tree',
    arguments: {
      type: 'object',
      additionalProperties: false,
      properties: { value: { type: 'integer' }, child: { $ref: '#' } },
    },
  },
  {
    name: 'point',
    arguments: {
      type: 'object',
      required: ['x'],
      properties: { x: { type: 'number', minimum: 0 }, y: { $ref: '#/properties/x' } },
    },
  },
  {
    name: 'fold',
    arguments: {
      type: 'object',
      required: ['width'],
      properties: { width: { $ref: '#/$defs/sheet/properties/width' } },
      $defs: { sheet: { type: 'object', properties: { width: { type: 'integer' } } } },
    },
  },
];

const argumentsArbitrary: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ button: fc.constantFrom<Json>('A', 'B', 'C', 1) }),
  fc.record({ width: fc.constantFrom<Json>(1, 'wide') }),
  fc.letrec((tie) => ({
    tree: fc.record({ value: fc.oneof(fc.integer(), fc.string()), child: tie('tree') }, { requiredKeys: [] }),
  })).tree as fc.Arbitrary<Json>,
  fc.record(
    { x: fc.double({ noNaN: true, noDefaultInfinity: true }), y: fc.oneof(fc.integer(), fc.boolean()) },
    { requiredKeys: [] },
  ),
);
const effectArbitrary: fc.Arbitrary<Json> = fc.record(
  {
    op: fc.constantFrom('set_entity_state', 'append_entity_memory', 'dance'),
    entity_id: fc.constantFrom<Json>('bob', '', 7),
    state: fc.constant('x'),
  },
  { requiredKeys: ['op'] },
);
const outputArbitrary: fc.Arbitrary<Json> = fc.oneof(
  fc.record({
    kind: fc.constant('tool_call'),
    tool_call: fc.record({
      name: fc.constantFrom('press', 'tree', 'point', 'fold', 'fly'),
      arguments: argumentsArbitrary,
    }),
  }),
  fc.record({
    kind: fc.constantFrom('final_patch', 'other'),
    patch: fc.record({ narration: fc.string(), effects: fc.array(effectArbitrary, { maxLength: 3 }) }),
  }),
  fc.jsonValue().map((value) => value as Json),
);

test('the composed schema accepts exactly what the envelope, the argument schemas and the patch schema accept together', () => {
  const composed = compile(composeToolLoopSchema(TOOLS, CONTRACTS.world_patch).schema);
  const envelope = compile(CONTRACTS.tool_loop_output);
  const patch = compile(CONTRACTS.world_patch);
  const byName = new Map(TOOLS.map((tool) => [tool.name, compile(tool.arguments)]));
  const inStages = (output: Json): boolean => {
    if (envelope(output).length > 0) return false;
    const said = output as unknown as { kind: string; patch: Json; tool_call: { name: string; arguments: Json } };
    if (said.kind === 'final_patch') return patch(said.patch).length === 0;
    return byName.get(said.tool_call.name)?.(said.tool_call.arguments).length === 0;
  };
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(outputArbitrary, (output) => {
      const accepts = inStages(output);
      seen[accepts ? 'accepted' : 'refused'] += 1;
      assert.equal(composed(output).length === 0, accepts);
    }),
    { numRuns: 2000, seed: 7 },
  );
  assert.ok(seen.accepted > 100 && seen.refused > 100, JSON.stringify(seen));
});

test('a composed schema has no identity of its own and no dialect', () => {
  assert.doesNotMatch(JSON.stringify(composeToolLoopSchema(TOOLS, CONTRACTS.world_patch).schema), /\$id|\$schema/);
});

const PATCH = CONTRACTS.world_patch;
const { title: _title, description: _description, $id: _id, ...bare } = PATCH;
const narrower = {
  ...PATCH,
  properties: { ...(PATCH['properties'] as JsonObject), effects: { type: 'array', maxItems: 1, items: {} } },
};
const reordered = { ...bare, required: (PATCH['required'] as readonly string[]).toReversed() };

for (const [sentence, schema, equivalent] of [
  ['itself', PATCH, true],
  ['the same without annotations, in another order', reordered, true],
  ['a narrower one', narrower, false],
  ['one without narration', { ...PATCH, required: ['effects'] }, false],
  ['anything', {}, false],
] as const) {
  test(`${sentence} ${equivalent ? 'is' : 'is not'} structurally equivalent to the WorldPatch schema`, () => {
    assert.equal(isEquivalentSchema(schema, PATCH), equivalent);
  });
}

test('a property that is called like an annotation still counts', () => {
  const left = { type: 'object', properties: { title: { type: 'string' } } };
  assert.equal(isEquivalentSchema(left, { type: 'object', properties: { title: { type: 'number' } } }), false);
});

const word = (text: JsonObject, beside: JsonObject = {}): JsonObject => {
  return { properties: { word: { $ref: '#/$defs/text', ...beside } }, $defs: { text } };
};
const tree = (value: string): JsonObject => ({ properties: { value: { type: value }, child: { $ref: '#' } } });
for (const [sentence, left, right, equivalent] of [
  ['a reference and what it leads to', word({ type: 'string' }), { properties: { word: { type: 'string' } } }, true],
  ['two references to different schemas', word({ type: 'string' }), word({ type: 'number' }), false],
  ['references with different members beside them', word({}, { minLength: 1 }), word({}, { minLength: 2 }), false],
  ['a reference that leads nowhere and itself', { $ref: '#/$defs/none' }, { $ref: '#/$defs/none' }, true],
  ['schemas that lead back to themselves', tree('string'), tree('string'), true],
  ['schemas that lead back to themselves and differ', tree('string'), tree('number'), false],
] as const)
  test(`${sentence} ${equivalent ? 'are' : 'are not'} equivalent`, () =>
    assert.equal(isEquivalentSchema(left, right), equivalent));
