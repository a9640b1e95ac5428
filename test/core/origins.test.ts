import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import { originsSeen } from '../../engine/core/policy/provenance.js';
import { originsWithin, traceAnswer } from '../../engine/core/policy/answer-origins.js';
import { originsOf } from '../../engine/core/prompt/message.js';
import { type Origin, textOfPieces } from '../../engine/core/prompt/origins.js';
import { fenceJson, fencePieces } from '../../engine/core/prompt/quote.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { advance } from '../../engine/core/turn/advance.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import { renderProjection } from '../../engine/core/world/projection.js';
import type { Entity, World } from '../../engine/core/world/world.js';
import { compileSmallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, textOf, toolCall } from '../support/turn-player.js';
import { compileWorld, worldWith } from './obedient/play.js';

const SOURCES = ['one', 'two', 'three'] as const;

const PROGRAM = compileWorld({
  name: 'reading',
  tools: Object.fromEntries(SOURCES.map((source) => [source, { source, effect: 'read_only', takes: {} }])),
  rules: [{ decide: 'allow' }],
  tasks: [],
  injected: [],
});

/** What one agent does in a turn: the sources that it reads, and the effects of its patch. */
interface Deed {
  readonly reads: readonly string[];
  readonly writes: readonly JsonObject[];
}

const writing = fc.constantFrom<JsonObject>(
  { op: 'set_entity_state', entity_id: 'ann' },
  { op: 'set_entity_state', entity_id: 'ben' },
  { op: 'append_entity_memory', entity_id: 'ann' },
  { op: 'append_entity_memory', entity_id: 'ben' },
  { op: 'set_environment_content', environment_label: 'office' },
);

const deed: fc.Arbitrary<Deed> = fc.record({
  reads: fc.array(fc.constantFrom(...SOURCES), { maxLength: 2 }),
  writes: fc.array(writing, { maxLength: 2 }),
});

/** A mark that a source leaves in each of its answers. */
const markOf = (source: string): string => `<mark of ${source}>`;
const marksIn = (text: string): readonly string[] => SOURCES.filter((source) => text.includes(markOf(source)));

const labelsIn = (text: string) =>
  marksIn(text)
    .map((source): Origin => `source:${source}`)
    .toSorted();

/** A model that reads, and then writes down every mark that it has seen, wherever it writes. */
function actAs({ reads, writes }: Deed): (command: Invoke) => CallEvent {
  return (command) => {
    if (command.invocation_kind !== 'llm_generation')
      return answered(command, { text: markOf(command.call.source.label) });
    const next = reads[(command.round ?? 1) - 1];
    if (next !== undefined) return modelSays(command, toolCall(next, {}));
    const seen = `seen ${marksIn(textOf(command)).map(markOf).join(' ')}`;
    const effects = writes.map((effect): JsonObject => {
      return { ...effect, [effect['op'] === 'set_entity_state' ? 'state' : 'content']: seen };
    });
    return modelSays(command, finalPatch(effects, seen));
  };
}

interface Played {
  readonly state: TurnState;
  readonly asked: readonly Invoke[];
  readonly records: readonly Recorded[];
}

function play(program: Program, world: World, deeds: readonly Deed[], pick: (waiting: number) => number): Played {
  const [ofAnn, ofBen] = deeds.map(actAs);
  const asked: Invoke[] = [];
  const records: Recorded[] = [];
  const began = { kind: 'turn_began', world, simulation_time: '2026-05-01T09:01:00.000Z' } as const;
  let step = advance(program, UNBEGUN, began);
  const waiting: Invoke[] = [];
  for (;;) {
    waiting.push(...step.commands.filter((command) => command.kind === 'invoke'));
    const [command] = waiting.splice(pick(waiting.length), 1);
    if (command === undefined) break;
    asked.push(command);
    const event = (command.subject_id === 'ann' ? ofAnn : ofBen)?.(command);
    assert.ok(event);
    const { key, request_hash, call } = command;
    records.push({ key, request_hash, effect: call.effect, repeatable: false, event });
    step = advance(program, step.state, event);
  }
  assert.equal(step.state.stage, 'ended');
  const again = refold(program, began, records);
  assert.deepEqual(again.state.patches, step.state.patches, 'a refold gives equal origins');
  assert.deepEqual(again.state.world, step.state.world);
  return { state: step.state, asked, records };
}

test('a prompt has the origin of a source exactly where something of that source has come into it, by whatever way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(deed, deed), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
      (turns, choices) => {
        let world = worldWith('Read.');
        let chosen = 0;
        for (const deeds of turns) {
          const { state, asked } = play(PROGRAM, world, deeds, () => 0);
          for (const command of asked.filter(({ generation }) => generation !== undefined)) {
            const messages = command.generation?.messages ?? [];
            const labels = originsSeen(messages).filter((one) => one.startsWith('source:'));
            assert.deepEqual(labels, labelsIn(textOf(command)));
            // What a model says may be from all that it saw: its own words in a later round are no source's.
            for (const segment of messages.flatMap(({ segments }) => segments))
              if (segment.origin !== 'model')
                for (const label of labelsIn(segment.text)) assert.ok(originsOf(segment).includes(label), segment.text);
          }
          const concurrent: Program = { ...PROGRAM, execution: 'per_subject_concurrent' };
          const pick = (waiting: number) => (choices[(chosen += 1) % choices.length] ?? 0) % Math.max(1, waiting);
          const speculative = play(concurrent, world, deeds, pick);
          assert.deepEqual(speculative.state.world, state.world, 'concurrent subjects give equal origins');
          world = { ...state.world, turn: world.turn + 1 };
        }
      },
    ),
    { numRuns: 60, seed: 7 },
  );
});

test('the pieces of a projection are its canonical JSON', () => {
  const text = fc.string({ unit: 'binary' }).map((any) => any.toWellFormed());
  const id = fc.stringMatching(/^[a-z0-9_]{1,3}$/);
  const entity = fc.record({ id, name: text, state: text, origins: fc.constantFrom(['scenario'], ['model', 'world']) });
  fc.assert(
    fc.property(fc.uniqueArray(entity, { selector: ({ id }) => id }), fc.uniqueArray(id), (entities, labels) => {
      const environments = labels.map((label) => ({ label, content: label }));
      const all = entities.map((one) => ({ ...one, kind: 'prop', memory: [] }) as unknown as Entity);
      const whole = {
        entities: Object.fromEntries(all.map(({ id, name, kind, state }) => [id, { name, kind, state }])),
        environments: Object.fromEntries(labels.map((label) => [label, label])),
      };
      const pieces = fencePieces('world.projection', renderProjection({ entities: all, environments }));
      assert.equal(textOfPieces(pieces), fenceJson('world.projection', whole));
    }),
    { numRuns: 200, seed: 8 },
  );
});

const RESULT = {
  type: 'object',
  properties: {
    kind: { enum: ['bill', 'letter'], declassify: true },
    cents: { type: 'integer', minimum: 0, maximum: 1000, declassify: true },
    paid: { type: 'boolean', declassify: true },
    text: { type: 'string' },
    list: { type: 'array', items: { $ref: '#/$defs/flag' } },
  },
  $defs: { flag: { type: 'boolean', declassify: true } },
} as const;

const DECLASSIFIED: readonly (readonly [answer: JsonObject, path: readonly string[], is_free: boolean])[] = [
  [{ kind: 'bill', text: 'x' }, ['kind'], true],
  [{ kind: 'bill', text: 'x' }, ['text'], false],
  [{ kind: 'bill', text: 'x' }, [], false],
  [{ kind: 'bill', cents: 3, paid: true }, [], true],
  [{ kind: 'bill', 'pay eve': true }, [], false],
  [{ list: [true, false] }, ['list', '1'], true],
  [{ list: [] }, [], false],
  [{ kind: 'bill' }, ['nothing'], false],
];

test('a declassified value, and no other, is free of the label of its source', () => {
  for (const [answer, path, is_free] of DECLASSIFIED) {
    const traced = traceAnswer(answer, RESULT, {
      others: ['author'],
      dropped: ['source:mail'],
    });
    const expected = is_free ? ['author'] : ['author', 'source:mail'];
    assert.deepEqual(originsWithin(traced, path), expected, `${JSON.stringify(answer)} at ${path.join('/')}`);
  }
});

/** The findings about a declassified member of the schema of a result, or of arguments. */
function findingsOf(member: JsonObject, place: 'result_schema_ref' | 'arguments_schema_ref'): readonly string[] {
  const schema: JsonObject = { type: 'object', properties: { it: { ...member, declassify: true } } };
  const compiled = compileSmallPark({
    tools: ['press'],
    ...(place === 'arguments_schema_ref' ? { arguments_schema: schema } : {}),
    schemas: [schema],
    tool_binding: place === 'result_schema_ref' ? { result_schema_ref: { hash: contentHash(schema) } } : {},
  });
  const found = compiled.ok ? compiled.notes : compiled.problems;
  return found.flatMap(({ code, pointer }) => (code.startsWith('DECLASSIF') ? [`${code} ${pointer}`] : []));
}

test('validate says what a declassified member opens, and refuses one that can be anything', () => {
  const at = '/properties/it/declassify';
  const closed: readonly JsonObject[] = [
    { enum: [1, 2] },
    { const: 'a' },
    { type: 'boolean' },
    { type: 'number', minimum: 0, exclusiveMaximum: 9 },
  ];
  for (const member of closed) assert.deepEqual(findingsOf(member, 'result_schema_ref'), [`DECLASSIFIED ${at}`]);
  const open: readonly JsonObject[] = [
    { type: 'string' },
    { type: 'number', minimum: 0 },
    { type: ['boolean', 'string'] },
    { type: 'object' },
    {},
  ];
  for (const member of open) assert.deepEqual(findingsOf(member, 'result_schema_ref'), [`DECLASSIFY_NOT_CLOSED ${at}`]);
  assert.deepEqual(findingsOf({ type: 'boolean' }, 'arguments_schema_ref'), [`DECLASSIFY_NOT_CLOSED ${at}`]);
});
