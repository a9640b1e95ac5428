import type { JsonObject } from '../../../engine/contract/json.js';
import { contentHash } from '../../../engine/core/content/canonical.js';
import type { ComponentKind } from '../../../engine/core/protocol/component.js';
import type { Program } from '../../../engine/core/protocol/program.js';
import { composeWorld, type Entity, type World } from '../../../engine/core/world/world.js';
import type { Authoring } from '../../../engine/operations/engine.js';
import { compileScenario } from '../../../engine/operations/load-program.js';

/** Two agents, two readings a turn, one tool, and a prompt that shows the whole world. */
export interface Scene {
  readonly program: Program;
  readonly world: World;
}

const PROMPT = [
  'You are {{subject.name}} in turn {{world.attempted_turn}}.',
  '{{subject.rendered}}',
  '{{world.projection}}',
  '{{ambient.visible}}',
  '{{tools.available}}',
].join('\n\n');

/** Compiles the documents of a world with so many entities. @throws Error where they do not compile */
export function openScene(authoring: Authoring, entityCount: number): Scene {
  const entities = listEntities(entityCount);
  const documents = new Map<string, JsonObject>();
  const put = (kind: ComponentKind, content: JsonObject): { readonly hash: string } => {
    const hash = contentHash(content);
    documents.set(`${kind} ${hash}`, content);
    return { hash };
  };
  const scenario = putScenario(put, authoring, entities);
  const compiled = compileScenario(authoring, scenario.hash, (kind, hash) => documents.get(`${kind} ${hash}`));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems, null, 2));
  return { program: compiled.program, world: toWorld(entities) };
}

type Put = (kind: ComponentKind, content: JsonObject) => { readonly hash: string };

function putScenario(put: Put, authoring: Authoring, entities: readonly SceneEntity[]) {
  const workflow_ref = put('cognition_workflow', toWorkflow(put, authoring));
  const tool_policy_ref = put('tool_policy', {
    version: 1,
    label: 'policy',
    allow: ['press_button'],
    require_approval: [],
    budgets: { max_runtime_ms: 5000, max_result_bytes: 4096 },
  });
  const profile_ref = put('cognition_profile', { version: 1, label: 'profile', workflow_ref, tool_policy_ref });
  return put('scenario', {
    version: 1,
    label: 'bench',
    start_time: '2026-05-01T09:00:00Z',
    chronon_seconds: 60,
    environments: [{ label: 'park', content: ENVIRONMENT }],
    entities: entities.map(toDocument),
    cognition: [{ profile_ref, subjects: ['bob', 'ann'] }],
  });
}

function toWorkflow(put: Put, { shippedSchemas }: Authoring): JsonObject {
  const source_ref = put('response_source', { version: 1, label: 'toy', interface: TOY });
  const ambient = { source_ref, effect: 'read_only', redaction: { allow: 'all' }, run: 'once_per_turn' };
  const everybody = { scope: 'world', visible_to: 'all_subjects' };
  return {
    version: 1,
    execution: 'per_subject_ordered',
    ambient_sources: ['weather', 'loudspeaker'].map((id) => ({
      id,
      ...ambient,
      ...everybody,
      request_template: { about: id, turn: { $from: '/world/attempted_turn' } },
      inject_as: `/ambient/${id}`,
    })),
    nodes: [
      {
        id: 'act',
        type: 'llm_tool_loop',
        llm_source_ref: put('response_source', { version: 1, label: 'model', interface: MODEL }),
        prompt_template: { messages: [{ role: 'user', content: PROMPT }] },
        projection: { scope: 'world', memory: { recent: 5 } },
        available_tools: [toTool(source_ref, put('json_schema', ARGUMENTS))],
        max_generation_attempts: 3,
        max_tool_calls: 3,
        final_schema_ref: put('json_schema', shippedSchemas.get('world-patch.schema.json') ?? {}),
        constraints: { token_budget: 1_000_000, timeout_seconds: 600 },
      },
    ],
    apply: { from: 'act.final' },
  };
}

function toTool(source_ref: JsonObject, arguments_schema_ref: JsonObject): JsonObject {
  const binding = { source_ref, arguments_schema_ref, effect: 'state_change', redaction: { allow: 'all' } };
  return { name: 'press_button', description: 'Presses a button of the machine.', ...binding };
}

const TOY = { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_WEATHER_URL', path: '/weather' };
const MODEL = { name: 'llm_chat', model: 'scripted', schema_delivery: 'response_format', tool_calling: 'json_control' };
const ARGUMENTS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['button'],
  properties: { button: { enum: ['A', 'B', 'C'] } },
};
const ENVIRONMENT = 'A small city park. A gravel path runs past a vending machine to a stone fountain.';

type SceneEntity = Required<Pick<Entity, 'id' | 'name' | 'kind' | 'environment' | 'state'>> & {
  readonly memory: readonly string[];
};

function listEntities(count: number): readonly SceneEntity[] {
  const agents = ['Bob', 'Ann'].map((name): SceneEntity => {
    const place = { environment: 'park', state: 'hungry; standing on the gravel path' };
    return { id: name.toLowerCase(), name, kind: 'agent', ...place, memory: ['I came by bus.', 'The bench was wet.'] };
  });
  const props = Array.from({ length: count - agents.length }, (_, index): SceneEntity => {
    const state = `lies beside the path, a little moss on its north side, number ${index + 1} of many`;
    return {
      id: `stone_${index + 1}`,
      name: `Stone ${index + 1}`,
      kind: 'prop',
      environment: 'park',
      state,
      memory: [],
    };
  });
  return [...agents, ...props];
}

/** Props carry no memory, not even an empty one. */
function toDocument({ memory, ...entity }: SceneEntity): JsonObject {
  return entity.kind === 'agent' ? { ...entity, memory } : entity;
}

function toWorld(entities: readonly SceneEntity[]): World {
  return composeWorld({
    slug: 'bench',
    turn: 0,
    environments: [['park', ENVIRONMENT]],
    entities: entities.map(({ memory, ...entity }) => ({
      ...entity,
      memory: memory.map((content) => ({ content, turn: 0 })),
    })),
    events: [],
  });
}
