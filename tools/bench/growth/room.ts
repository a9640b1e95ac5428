import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../engine/contract/json.js';
import { compose } from '../../../engine/main.js';
import { putScenario } from '../../../engine/operations/author.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { loadScenario } from '../../../engine/operations/load-program.js';
import { createWorld } from '../../../engine/operations/worlds.js';
import type { LeftWorld } from '../../../engine/ports/attempts.js';
import { runAttempt } from '../../../engine/runtime/run-attempt.js';
import { startLoopbackServer } from '../../../fixtures/toys/loopback-server.js';
import { type Answers, startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { must } from '../turns/must.js';

/** How large a world is in which one agent sits in a room and rings a bell. */
export interface RoomSize {
  /** Things in the yard, which the agent does not see. */
  readonly entities?: number;
  /** The agent's memories from before; the newest two are shown. */
  readonly memories?: number;
  /** How often the bell is rung in a turn, each time by a tool call of its own. */
  readonly tool_calls?: number;
}

/** The world, with its services in this process. */
export interface Room {
  readonly engine: Engine;
  readonly world_slug: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly scenario_hash: string;
  /** Runs the next turn. @param is_known whether the driver still knows the world; else it is read @returns milliseconds */
  turn(is_known?: boolean): Promise<number>;
  close(): Promise<void>;
}

/** Makes the world on a database, and opens the engine on it. Close it. */
export async function openRoom(url: string, world_slug: string, size: RoomSize = {}): Promise<Room> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  for (const [name, document] of Object.entries(toDocuments(size)))
    await writeFile(join(folder, name), JSON.stringify(document));
  const model = await startScriptedModel(toAnswers(size.tool_calls ?? 0));
  const bell = await startLoopbackServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"sound":"ding"}');
  });
  const variables = {
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
    CHUKWA_BELL_URL: bell.url,
  };
  const engine = must(await (await compose({ CHUKWA_DATABASE_URL: url })).openEngine({ variables }));
  const scenario_hash = must(
    await putScenario(engine, join(folder, 'scenario.json'), { working_folder: folder, root: folder }),
  );
  must(await createWorld(engine, { world_slug, scenario_hash }));
  const { program } = must(await loadScenario(engine, scenario_hash));
  const request = { world_slug, program, simulationTime: () => '2026-05-01T09:01:00.000Z', onProgress: () => {} };
  let left: LeftWorld | undefined;
  return {
    engine,
    world_slug,
    variables,
    scenario_hash,
    turn: async (is_known = true) => {
      const began = performance.now();
      const { signal } = new AbortController();
      const known = is_known && left !== undefined ? { left } : {};
      const end = await runAttempt(engine.runtime, { ...request, signal, ...known });
      if (end.kind !== 'committed') throw new Error(`the turn did not commit: ${JSON.stringify(end)}`);
      ({ left } = end);
      return performance.now() - began;
    },
    close: async () => {
      await engine.close();
      await model.close();
      await bell.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toAnswers(toolCalls: number): Answers {
  const ring = { kind: 'tool_call', tool_call: { name: 'ring', arguments: {} } };
  const effects = [{ op: 'set_entity_state', entity_id: 'bob', state: 'content' }];
  const end = { kind: 'final_patch', patch: { narration: 'Bob leans back.', effects } };
  const said = Array.from({ length: toolCalls + 1 }, (_none, round) => {
    return [`bob/act/round-${round + 1}/try-1`, { json: round === toolCalls ? end : ring }] as const;
  });
  return { version: 1, label: 'room', turns: { '*': Object.fromEntries(said) } };
}

function toDocuments({ entities = 0, memories = 0, tool_calls = 0 }: RoomSize): Readonly<Record<string, Json>> {
  const things = Array.from({ length: entities }, (_none, index) => {
    return { id: `thing_${index}`, name: 'Thing', kind: 'prop', environment: 'yard', state: 'idle' };
  });
  const memory = Array.from({ length: memories }, (_none, index) => `Day ${index} went by.`);
  const bob = { id: 'bob', name: 'Bob', kind: 'agent', environment: 'room', state: 'content' };
  return {
    'model.json': MODEL,
    'bell.json': BELL,
    'nothing.json': { $schema: DIALECT, type: 'object', properties: {}, additionalProperties: false },
    'sound.json': { $schema: DIALECT, type: 'object', properties: { sound: { type: 'string' } }, required: ['sound'] },
    'workflow.json': toWorkflow(tool_calls),
    'policy.json': POLICY,
    'profile.json': {
      version: 1,
      label: 'profile',
      workflow_ref: { path: './workflow.json' },
      tool_policy_ref: { path: './policy.json' },
    },
    'scenario.json': {
      version: 1,
      label: 'room',
      start_time: '2026-05-01T09:00:00Z',
      chronon_seconds: 60,
      environments: [
        { label: 'room', content: 'A room with a bell.' },
        { label: 'yard', content: 'A yard.' },
      ],
      entities: [memories === 0 ? bob : { ...bob, memory }, ...things],
      cognition: [{ profile_ref: { path: './profile.json' }, subjects: ['bob'] }],
    },
  };
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const MODEL = {
  version: 1,
  label: 'model',
  interface: { name: 'llm_chat', model: 'm', schema_delivery: 'prompt', tool_calling: 'json_control' },
};

const BELL = {
  version: 1,
  label: 'bell',
  interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_BELL_URL', path: '/ring' },
};

const POLICY = {
  version: 1,
  label: 'policy',
  allow: ['ring'],
  require_approval: [],
  budgets: { max_runtime_ms: 5000, max_result_bytes: 4096 },
};

const RING = {
  name: 'ring',
  description: 'Ring the bell.',
  source_ref: { path: './bell.json' },
  effect: 'read_only',
  redaction: { allow: 'all' },
  arguments_schema_ref: { path: './nothing.json' },
  result_schema_ref: { path: './sound.json' },
};

function toWorkflow(toolCalls: number): Json {
  return {
    version: 1,
    label: 'sit',
    execution: 'per_subject_ordered',
    ambient_sources: [],
    nodes: [
      {
        id: 'act',
        type: 'llm_tool_loop',
        llm_source_ref: { path: './model.json' },
        prompt_template: { messages: [{ role: 'user', content: '{{subject.rendered}}\n{{world.projection}}' }] },
        projection: { scope: 'subject_environment', memory: { recent: 2 } },
        available_tools: toolCalls === 0 ? [] : [RING],
        max_generation_attempts: 2,
        max_tool_calls: toolCalls,
        final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
        constraints: { token_budget: 1_000_000, timeout_seconds: 600 },
      },
    ],
    apply: { from: 'act.final' },
  };
}
