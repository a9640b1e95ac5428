import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { connectionsOf, narrowConnections } from '../../engine/core/workflow/narrow-tools.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { compileSmallPark, type SmallPark } from '../support/park-documents.js';

const READING = {
  id: 'air',
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: {},
  inject_as: '/ambient/air',
};

/** A park whose every call has a connection: of a reading, a model, its fallback, and two tools. */
const PARK: SmallPark = {
  tools: ['vend', 'mail'],
  tool_bindings: { vend: { connection: 'till' }, mail: { connection: 'post' } },
  ambients: [
    { ...READING, connection: 'air' },
    { ...READING, id: 'own', inject_as: '/ambient/own', run: 'before_subject_workflow', connection: 'air' },
  ],
  fallback: { on: ['timeout'] },
  constraints: { token_budget: 100_000, timeout_seconds: 600 },
  change: (workflow) => {
    const [node] = workflow['nodes'] as unknown as readonly JsonObject[];
    const fallback = { ...(node?.['fallback'] as JsonObject), connection: 'second' };
    return { ...workflow, nodes: [{ ...node, connection: 'model', fallback }] };
  },
};

/** Each call of a program that has a connection, and whether it may use it. */
function grantsOf({ turn_ambients, subjects }: Program): Readonly<Record<string, boolean>> {
  const workflows = subjects.map(({ workflow }) => workflow);
  const nodes = workflows.flatMap((workflow) => workflow.nodes);
  const calls = [
    ...[...turn_ambients, ...workflows.flatMap((workflow) => workflow.subject_ambients)].map(({ call }) => call),
    ...nodes.flatMap(({ call, fallback, tools = [] }) => [
      call,
      fallback?.call,
      ...tools.flatMap((tool) => (tool.permitted ? [tool.call] : [])),
    ]),
  ];
  return Object.fromEntries(
    calls.flatMap((call) => {
      const connection = call?.source.connection;
      return connection === undefined ? [] : [[connection, call?.granted_connections?.includes(connection) !== false]];
    }),
  );
}

test('each kind of binding names a connection, and a profile that says nothing grants all of them', () => {
  const compiled = compileSmallPark(PARK);
  assert.ok(compiled.ok, compiled.ok ? '' : JSON.stringify(compiled.problems));
  assert.deepEqual(connectionsOf(compiled.program).toSorted(), ['air', 'model', 'post', 'second', 'till']);
  assert.deepEqual(grantsOf(compiled.program), { air: true, model: true, second: true, till: true, post: true });
});

test('a run that narrows the connections leaves the others to be refused, whatever the profile grants', () => {
  const compiled = compileSmallPark({ ...PARK, profile: { connections: ['air', 'model', 'second', 'till', 'post'] } });
  assert.ok(compiled.ok, compiled.ok ? '' : JSON.stringify(compiled.problems));
  const narrowed = narrowConnections(narrowConnections(compiled.program, ['air', 'till', 'model']), [
    'till',
    'air',
    'post',
  ]);
  assert.deepEqual(grantsOf(narrowed), { air: true, model: false, second: false, till: true, post: false });
});

test('a binding whose connection its profile does not grant is refused by its place, and by the one that was meant', () => {
  const compiled = compileSmallPark({
    tools: ['vend'],
    tool_binding: { connection: 'till' },
    profile: { connections: ['tills', 'bank'] },
  });
  assert.ok(!compiled.ok);
  const [found] = compiled.problems;
  assert.deepEqual([found?.code, found?.pointer], ['CONNECTION_UNUSABLE', '/nodes/0/available_tools/0/connection']);
  assert.match(found?.repair ?? '', /Did you mean tills\?/);
});

test('a source of a plugin that asks no origin can have no connection', () => {
  const compiled = compileSmallPark({
    tools: ['vend'],
    tool_plugin: 'file_reader',
    tool_binding: { connection: 'till' },
  });
  assert.ok(!compiled.ok);
  assert.deepEqual(
    compiled.problems.map(({ code }) => code),
    ['CONNECTION_UNUSABLE'],
  );
});

for (const name of ['connectionId', 'connection_id', 'connection-id', 'ConnectionID'])
  test(`a schema with the member ${name}, however deep, is refused with its place`, () => {
    const inner = { type: 'object', properties: { [name]: { type: 'string' } } };
    const schema = { type: 'object', $defs: { inner }, properties: { to: { allOf: [{ items: inner }] } } };
    const compiled = createCompileSchema()('hash', schema);
    assert.ok(!compiled.ok);
    assert.deepEqual(
      compiled.problems.map(({ code, pointer }) => `${code} ${pointer}`).toSorted(),
      [`/$defs/inner/properties/${name}`, `/properties/to/allOf/0/items/properties/${name}`].map(
        (place) => `CONNECTION_ID_IN_SCHEMA ${place}`,
      ),
    );
  });

test('other members may speak of connections, and values may be named so', () => {
  const schema = { enum: ['connectionId'], properties: { connection: {}, connection_ids: {}, id_of_connection: {} } };
  assert.equal(createCompileSchema()('hash', schema).ok, true);
});
