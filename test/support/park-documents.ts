import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { TurnBegan } from '../../engine/core/protocol/event.js';
import type { CompileParts } from '../../engine/core/binding/compile-parts.js';
import { type Compiled, compileProgram } from '../../engine/core/workflow/compile.js';
import type { ComponentKind } from '../../engine/core/protocol/component.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { composeWorld, type Entity, type World } from '../../engine/core/world/world.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';

/** Documents held in memory, by kind and hash. */
export interface Shelf {
  put(kind: ComponentKind, content: Json): { readonly hash: string };
  find(kind: ComponentKind, hash: string): JsonObject | undefined;
}

export function openShelf(): Shelf {
  const byName = new Map<string, JsonObject>();
  return {
    put(kind, content) {
      const hash = contentHash(content);
      byName.set(`${kind} ${hash}`, content as JsonObject);
      return { hash };
    },
    find: (kind, hash) => byName.get(`${kind} ${hash}`),
  };
}

/** The variable parts of a small park. Everything else is fixed. */
export interface SmallPark {
  readonly subjects?: readonly string[];
  readonly tools?: readonly string[];
  /** The plugin of the tools' source: `http_json`, `tool_server`, which reserves `mcp__`, or one that is not there. */
  readonly tool_plugin?: string;
  /** More of the interface of that source. */
  readonly tool_interface?: JsonObject;
  readonly allow?: readonly string[];
  /** The profile names no tool policy. */
  readonly without_policy?: boolean;
  readonly ambients?: readonly JsonObject[];
  /** More of every tool's binding. */
  readonly tool_binding?: JsonObject;
  /** More of some tools' bindings, by name. */
  readonly tool_bindings?: Readonly<Record<string, JsonObject>>;
  readonly max_generation_attempts?: number;
  readonly max_tool_calls?: number;
  readonly constraints?: JsonObject;
  readonly projection?: JsonObject;
  readonly may?: JsonObject;
  readonly prompt?: string;
  readonly nodes_before?: (shelf: Shelf) => readonly JsonObject[];
  readonly schema_delivery?: string;
  /** Of all its sources. */
  readonly retry?: JsonObject;
  /** The node's second source, and the failures after which it is asked. */
  readonly fallback?: { readonly on: readonly string[]; readonly source?: JsonObject };
  /** Schemas that bindings name by hash. */
  readonly schemas?: readonly JsonObject[];
  /** The request schema of the one JSON source. */
  readonly request_schema?: JsonObject;
  /** The schema of tools' arguments. */
  readonly arguments_schema?: JsonObject;
  readonly environments?: readonly JsonObject[];
  readonly entities?: readonly JsonObject[];
  readonly time?: JsonObject;
  readonly profile?: JsonObject;
  readonly require_approval?: readonly string[];
  /** Further rules of the policy. */
  readonly rules?: readonly JsonObject[];
  /** More of the interface of the one JSON source. */
  readonly json_interface?: JsonObject;
  readonly change?: (workflow: JsonObject) => JsonObject;
}

const MANIFESTS: Readonly<Record<string, NonNullable<ReturnType<CompileParts['findManifest']>>>> = {
  http_json: {
    speaks: 'json',
    origin: { interface_field: 'url_env' },
    acting: { interface_field: 'method', values: ['DELETE'] },
    secret_variable_fields: ['secret_headers'],
  },
  file_reader: { speaks: 'json' },
  tool_server: {
    speaks: 'json',
    origin: { interface_field: 'server_env' },
    tool_prefix: 'mcp__',
    tool_list: { interface_field: 'lists_tools', tool_field: 'tool_name' },
  },
  llm_chat: {
    speaks: 'chat',
    origin: { variables: ['CHUKWA_LLM_BASE_URL'] },
    model: { interface_field: 'model' },
    schema_delivery: {
      interface_field: 'schema_delivery',
      values: { response_format: 'response_format', json_object: 'json_object', prompt: 'prompt' },
    },
    tool_calling: { interface_field: 'tool_calling', values: { json_control: 'json_control', native: 'native' } },
  },
};

const JSON_SOURCE = {
  version: 1,
  label: 'toy',
  interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_URL', path: '/toy' },
};
const ARGUMENTS: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['button'],
  properties: { button: { enum: ['A', 'B', 'C'] } },
};
const ENTITIES: readonly JsonObject[] = [
  { id: 'bob', name: 'Bob', kind: 'agent', environment: 'park', state: 'hungry', memory: ['I came by bus.'] },
  { id: 'ant', name: 'Ant', kind: 'agent', environment: 'park', state: 'hungry' },
  {
    id: 'vending_machine',
    name: 'Vending machine',
    kind: 'prop',
    environment: 'park',
    state: 'contains one candy bar',
  },
  { id: 'crumb', name: 'Crumb', kind: 'prop', environment: 'park', state: 'on the plate' },
];

const compileSchema = createCompileSchema();

export function readShippedSchema(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as JsonObject;
}

export const CONTRACTS = {
  tool_loop_output: readShippedSchema('tool-loop-output'),
  world_patch: readShippedSchema('world-patch'),
  gate_verdict: readShippedSchema('gate-verdict'),
};

/** Compiles a small park; the documents are on the shelf. */
export function compileSmallPark(park: SmallPark = {}): Compiled & { readonly shelf: Shelf } {
  const shelf = openShelf();
  const subjects = park.subjects ?? ['bob'];
  const workflow_ref = shelf.put(
    'cognition_workflow',
    (park.change ?? ((document) => document))(toWorkflow(shelf, park)),
  );
  const tool_policy_ref = shelf.put('tool_policy', {
    version: 1,
    label: 'policy',
    allow: park.allow ?? park.tools ?? [],
    require_approval: park.require_approval ?? [],
    ...(park.rules === undefined ? {} : { rules: park.rules }),
    budgets: { max_runtime_ms: 5000, max_result_bytes: 4096 },
  });
  const profile = { version: 1, label: 'profile', workflow_ref, ...park.profile };
  const profile_ref = shelf.put(
    'cognition_profile',
    park.without_policy === true ? profile : { ...profile, tool_policy_ref },
  );
  const scenario = shelf.put('scenario', {
    version: 1,
    label: 'small-park',
    start_time: '2026-05-01T09:00:00Z',
    chronon_seconds: 60,
    ...park.time,
    environments: park.environments ?? [{ label: 'park', content: 'A small park.' }],
    entities:
      park.entities ?? ENTITIES.map((entity) => (isIdle(entity, subjects) ? { ...entity, kind: 'prop' } : entity)),
    cognition: [{ profile_ref, subjects }],
  });
  return { ...compileShelf(shelf, scenario.hash), shelf };
}

/** Compiles a scenario whose documents are on a shelf. */
export function compileShelf({ find }: Shelf, scenario_hash: string): Compiled {
  const findManifest: CompileParts['findManifest'] = (name) => MANIFESTS[name];
  const tool_prefixes = new Map([['tool_server', 'mcp__']]);
  return compileProgram({ find, compileSchema, findManifest, tool_prefixes, contracts: CONTRACTS }, scenario_hash);
}

/** An ant that never acts is a prop here: an agent that never acts is noted. */
function isIdle({ id }: JsonObject, subjects: readonly string[]): boolean {
  return id === 'ant' && !subjects.includes(id);
}

/** The program of a small park that must compile. */
export function smallPark(park: SmallPark = {}): Program {
  const compiled = compileSmallPark(park);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems, null, 2));
  return compiled.program;
}

function toWorkflow(shelf: Shelf, park: SmallPark): JsonObject {
  for (const schema of park.schemas ?? []) shelf.put('json_schema', schema);
  const source_ref = shelf.put('response_source', {
    ...JSON_SOURCE,
    interface: { ...JSON_SOURCE.interface, ...park.json_interface },
    ...(park.retry === undefined ? {} : { retry: park.retry }),
    ...(park.request_schema === undefined ? {} : { request_schema_ref: shelf.put('json_schema', park.request_schema) }),
  });
  const { tool_plugin } = park;
  const tool_source_ref =
    tool_plugin === undefined
      ? source_ref
      : shelf.put('response_source', {
          version: 1,
          label: 'tools',
          interface: { name: tool_plugin, ...park.tool_interface },
        });
  const arguments_schema_ref = shelf.put('json_schema', park.arguments_schema ?? ARGUMENTS);
  return {
    version: 1,
    execution: 'per_subject_ordered',
    ambient_sources: (park.ambients ?? []).map((ambient) => ({
      source_ref,
      effect: 'read_only',
      redaction: { allow: 'all' },
      ...ambient,
    })),
    nodes: [
      ...(park.nodes_before?.(shelf) ?? []),
      {
        id: 'act',
        type: 'llm_tool_loop',
        llm_source_ref: chatSource(shelf, park.schema_delivery, park.retry),
        ...(park.fallback === undefined
          ? {}
          : { fallback: { llm_source_ref: otherSource(shelf, park.fallback.source), on: park.fallback.on } }),
        prompt_template: {
          messages: [
            {
              role: 'user',
              content:
                park.prompt ??
                'You are {{subject.rendered}}. World: {{world.projection}} Readings: {{ambient.visible}} Tools: {{tools.available}}',
            },
          ],
        },
        projection: park.projection ?? { scope: 'world', memory: { recent: 5 } },
        ...(park.may === undefined ? {} : { may: park.may }),
        available_tools: (park.tools ?? []).map((name) => ({
          name,
          description: `Calls ${name}.`,
          source_ref: tool_source_ref,
          arguments_schema_ref,
          effect: 'state_change',
          redaction: { allow: 'all' },
          ...park.tool_binding,
          ...park.tool_bindings?.[name],
        })),
        max_generation_attempts: park.max_generation_attempts ?? 3,
        max_tool_calls: park.max_tool_calls ?? 2,
        final_schema_ref: shelf.put('json_schema', CONTRACTS.world_patch),
        constraints: park.constraints ?? { token_budget: 100_000, timeout_seconds: 60 },
      },
    ],
    apply: { from: 'act.final' },
  };
}

export function chatSource(
  shelf: Shelf,
  schema_delivery = 'response_format',
  retry?: JsonObject,
): { readonly hash: string } {
  return shelf.put('response_source', {
    version: 1,
    label: 'model',
    interface: { name: 'llm_chat', model: 'm', schema_delivery, tool_calling: 'json_control' },
    ...(retry === undefined ? {} : { retry }),
  });
}

function otherSource(shelf: Shelf, more: JsonObject = {}): { readonly hash: string } {
  const chat = { name: 'llm_chat', model: 'n', schema_delivery: 'response_format', tool_calling: 'json_control' };
  return shelf.put('response_source', { version: 1, label: 'other', interface: chat, ...more });
}

/** The small park's world at turn 0. */
export function smallWorld(count = ENTITIES.length): World {
  const more = Array.from(
    { length: Math.max(0, count - ENTITIES.length) },
    (_, index): JsonObject => ({
      id: `stone_${index}`,
      name: `Stone ${index}`,
      kind: 'prop',
      environment: 'park',
      state: 'lies there',
    }),
  );
  const entities = [...ENTITIES, ...more].map((entity) => {
    const { memory, ...rest } = entity as { readonly memory?: readonly string[] } & JsonObject;
    return { ...rest, memory: (memory ?? []).map((content) => ({ content, turn: 0 })) } as unknown as Entity;
  });
  return composeWorld({
    slug: 'small-park',
    turn: 0,
    environments: [['park', { content: 'A small park.' }]],
    entities,
    events: [],
  });
}

/** The beginning of its first turn. */
export const SMALL_PARK_BEGAN: TurnBegan = {
  kind: 'turn_began',
  world: smallWorld(),
  simulation_time: '2026-05-01T09:01:00.000Z',
};

/** A park with two agents, two tools and readings: some once a turn, and an inbox of each agent's own. */
export function parkWithReadings(once_per_turn: readonly string[]): SmallPark {
  const reading = {
    scope: 'world',
    visible_to: 'all_subjects',
    request_template: { turn: { $from: '/world/attempted_turn' } },
  };
  return {
    subjects: ['bob', 'ant'],
    tools: ['buy_candy', 'drink'],
    allow: ['buy_candy', 'drink'],
    max_generation_attempts: 2,
    max_tool_calls: 2,
    ambients: [
      ...once_per_turn.map((id) => ({ ...reading, id, run: 'once_per_turn', inject_as: `/ambient/${id}` })),
      { ...reading, id: 'inbox', run: 'before_subject_workflow', inject_as: '/ambient/inbox' },
    ],
  };
}
