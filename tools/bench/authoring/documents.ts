import type { Json, JsonObject } from '../../../engine/contract/json.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const FILES_PER_WORLD = 10;

/** Files by name: ordinary worlds of ten documents each, every one unlike those of the other worlds. */
export function listWorldFiles(count: number): ReadonlyMap<string, JsonObject> {
  const worlds = Array.from({ length: count / FILES_PER_WORLD }, (_, index) => `world-${index}`);
  return new Map(worlds.flatMap((world) => toFiles(world, 4)));
}

/** Files by name: one world whose workflow has so many nodes, each of which reads the one before. */
export function listLongWorkflow(nodeCount: number): ReadonlyMap<string, JsonObject> {
  return new Map(toFiles('long', nodeCount));
}

/** A document with a mistake in it. */
export function spoil(document: JsonObject): JsonObject {
  return { ...document, labl: 'misspelt' };
}

function toFiles(world: string, nodeCount: number): readonly (readonly [string, JsonObject])[] {
  const files: Readonly<Record<string, JsonObject>> = {
    scenario: toScenario(world),
    profile: { ...headed(world), workflow_ref: ref('workflow'), tool_policy_ref: ref('policy') },
    workflow: toWorkflow(world, nodeCount),
    policy: {
      ...headed(world),
      allow: ['press'],
      require_approval: [],
      budgets: { max_runtime_ms: 5000, max_result_bytes: 4096 },
    },
    model: {
      ...headed(world),
      interface: { name: 'llm_chat', model: 'm', schema_delivery: 'response_format', tool_calling: 'json_control' },
    },
    machine: { ...toSource(world, '/press'), request_schema_ref: ref('request') },
    weather: toSource(world, '/weather'),
    request: objectSchema(world, { topic: { type: 'string' }, why: { type: 'string' } }),
    choice: objectSchema(world, { topic: { enum: ['food', 'rest'] }, why: { type: 'string' } }),
    reading: objectSchema(world, { topic: { type: 'string' }, temperature: { type: 'integer' } }),
  };
  return Object.entries(files).map(([name, content]) => [`${world}/${name}.json`, content] as const);
}

const headed = (label: string): JsonObject => ({ version: 1, label });
const ref = (name: string): JsonObject => ({ path: `./${name}.json` });

function objectSchema(title: string, properties: JsonObject): JsonObject {
  return { $schema: DIALECT, title, type: 'object', additionalProperties: false, required: ['topic'], properties };
}

function toSource(world: string, path: string): JsonObject {
  const target = { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_WEATHER_URL', path, timeout_ms: 5000 };
  return { ...headed(world), interface: target };
}

function toScenario(world: string): JsonObject {
  return {
    ...headed(world),
    start_time: '2026-01-01T00:00:00Z',
    chronon_seconds: 60,
    environments: [{ label: 'yard', content: 'Grass.' }],
    entities: [
      { id: 'bob', name: 'Bob', kind: 'agent', environment: 'yard', state: 'Well.' },
      { id: 'ant', name: 'Ant', kind: 'agent', environment: 'yard', state: 'Busy.' },
      { id: 'stone', name: 'Stone', kind: 'prop', environment: 'yard', state: 'Cold.' },
    ],
    cognition: [{ profile_ref: ref('profile'), subjects: ['bob', 'ant'] }],
  };
}

const CALL: JsonObject = { effect: 'read_only', redaction: { allow: ['/topic', '/temperature'] } };

function toWorkflow(world: string, nodeCount: number): JsonObject {
  const before = Array.from({ length: nodeCount - 1 }, (_, index) => toNode(index));
  return {
    ...headed(world),
    execution: 'per_subject_ordered',
    ambient_sources: [
      {
        ...CALL,
        id: 'weather',
        source_ref: ref('weather'),
        run: 'once_per_turn',
        scope: 'world',
        visible_to: 'all_subjects',
        request_template: { turn: from('/world/attempted_turn') },
        result_schema_ref: ref('reading'),
        inject_as: '/ambient/weather',
      },
    ],
    nodes: [...before, toLast(nodeCount - 2)],
    apply: { from: 'act.final' },
  };
}

function from(path: string, ...fallback: readonly Json[]): JsonObject {
  return fallback.length === 0 ? { $from: path } : { $from: path, default: fallback[0] ?? null };
}

/** Nodes that choose and nodes that look take turns. */
function toNode(index: number): JsonObject {
  const id = `node-${index}`;
  if (index % 2 === 0)
    return {
      ...toGeneration(id, index === 0 ? '{{subject.rendered}}' : `{{nodes.node-${index - 1}.output.topic}}`),
      type: 'llm_json',
      order_type: 'classify',
      result_schema_ref: ref('choice'),
    };
  const output = `/nodes/node-${index - 1}/output`;
  return {
    ...CALL,
    id,
    type: 'source_call',
    source_ref: ref('machine'),
    request_template: { topic: from(`${output}/topic`), why: from(`${output}/why`, 'no reason') },
    result_schema_ref: ref('reading'),
  };
}

function toLast(before: number): JsonObject {
  const prompt = `{{world.projection}} {{ambient.visible}} {{tools.available}} {{nodes.node-${before}.output}}`;
  const press = {
    ...CALL,
    name: 'press',
    description: 'Presses a button.',
    source_ref: ref('machine'),
    arguments_schema_ref: ref('choice'),
    result_schema_ref: ref('reading'),
  };
  return {
    ...toGeneration('act', prompt),
    type: 'llm_tool_loop',
    available_tools: [press],
    max_tool_calls: 1,
    final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
  };
}

function toGeneration(id: string, content: string): JsonObject {
  return {
    id,
    llm_source_ref: ref('model'),
    prompt_template: { messages: [{ role: 'user', content }] },
    projection: { scope: 'world', memory: { recent: 5 } },
    max_generation_attempts: 2,
    constraints: { token_budget: 1000, timeout_seconds: 30 },
  };
}
