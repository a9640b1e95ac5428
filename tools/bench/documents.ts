import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../engine/contract/json.js';
import type { Answers } from '../../engine/generated/answers.js';

/** Runs a task in a temporary folder. */
export async function inFolder<Value>(task: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A world of agents with one generation a turn, who see only what is in their own place. */
export interface Scene {
  /** The place of each agent; those of the same place see each other. */
  readonly places: readonly string[];
  readonly execution?: 'per_subject_ordered' | 'per_subject_concurrent';
  /** Things in a yard, which no agent sees. */
  readonly entities?: number;
  /** The agents' memories from before; the newest two are shown. */
  readonly memories?: number;
  /** What each agent remembers anew, turn by turn: then its prompts show what a query finds, its events and own turns. */
  readonly life?: readonly string[];
  /** How often an agent rings a bell in a turn, each time by a tool call of its own. */
  readonly tool_calls?: number;
}

/** The name of an agent, by its place in the scenario. */
export function agentId(index: number): string {
  return `agent_${index}`;
}

/** The first documents of a scene are these files of a folder; `scenario.json` leads to the others. */
export async function writeScene(folder: string, scene: Scene): Promise<void> {
  for (const [name, document] of Object.entries(toDocuments(scene)))
    await writeFile(join(folder, name), JSON.stringify(document));
}

/** What the model says to each agent, in every turn: it rings as often as the scene says, and leans back. */
export function toAnswers({ places, tool_calls = 0, life }: Scene): Answers {
  if (life !== undefined) return toLife(places, life);
  const ring = { kind: 'tool_call', tool_call: { name: 'ring', arguments: {} } };
  const said = places.flatMap((_place, index) => {
    const id = agentId(index);
    const effects = [{ op: 'set_entity_state', entity_id: id, state: 'content' }];
    const end = { kind: 'final_patch', patch: { narration: `${id} leans back.`, effects } };
    return Array.from({ length: tool_calls + 1 }, (_none, round) => {
      return [`${id}/act/round-${round + 1}/try-1`, { json: round === tool_calls ? end : ring }] as const;
    });
  });
  return { version: 1, label: 'bench', turns: { '*': Object.fromEntries(said) } };
}

function toLife(places: readonly string[], life: readonly string[]): Answers {
  const turns = life.map((content, index) => {
    const said = places.map((_place, agent) => {
      const id = agentId(agent);
      const state = { op: 'set_entity_state', entity_id: id, state: `busy ${index % 7}` };
      const effects = [state, { op: 'append_entity_memory', entity_id: id, content }];
      return [`${id}/act/round-1/try-1`, { json: { kind: 'final_patch', patch: { narration: content, effects } } }];
    });
    return [String(index + 1), Object.fromEntries(said)];
  });
  return { version: 1, label: 'bench', turns: Object.fromEntries(turns) as Answers['turns'] };
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const ref = (name: string): Json => ({ path: `./${name}.json` });

function toDocuments({ places, execution = 'per_subject_ordered', ...scene }: Scene): Readonly<Record<string, Json>> {
  const { entities = 0, memories = 0, tool_calls = 0, life } = scene;
  const memory = Array.from({ length: memories }, (_none, index) => `Day ${index} went by.`);
  const agents = places.map((environment, index) => {
    const agent = { id: agentId(index), name: agentId(index), kind: 'agent', environment, state: 'idle' };
    return memories === 0 ? agent : { ...agent, memory };
  });
  const things = Array.from({ length: entities }, (_none, index) => {
    return { id: `thing_${index}`, name: 'Thing', kind: 'prop', environment: 'yard', state: 'idle' };
  });
  const environments = [...new Set([...places, 'yard'])].map((label) => ({ label, content: 'A place.' }));
  return {
    'model.json': {
      ...headed('model'),
      interface: { name: 'llm_chat', model: 'm', schema_delivery: 'prompt', tool_calling: 'json_control' },
    },
    'bell.json': {
      ...headed('bell'),
      interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_BELL_URL', path: '/ring' },
    },
    'nothing.json': { $schema: DIALECT, type: 'object', properties: {}, additionalProperties: false },
    'sound.json': { $schema: DIALECT, type: 'object', properties: { sound: { type: 'string' } }, required: ['sound'] },
    'policy.json': {
      ...headed('policy'),
      allow: ['ring'],
      require_approval: [],
      budgets: { max_runtime_ms: 5000, max_result_bytes: 4096 },
    },
    'profile.json': {
      ...headed('profile'),
      workflow_ref: ref('workflow'),
      ...(tool_calls === 0 ? {} : { tool_policy_ref: ref('policy') }),
    },
    'workflow.json': { ...headed('workflow'), execution, ...toWorkflow(tool_calls, life !== undefined) },
    'scenario.json': {
      ...headed('scenario'),
      start_time: '2026-05-01T09:00:00Z',
      chronon_seconds: 60,
      environments,
      entities: [...agents, ...things],
      cognition: [{ profile_ref: ref('profile'), subjects: agents.map(({ id }) => id) }],
    },
  };
}

function headed(label: string) {
  return { version: 1, label };
}

const RING = {
  name: 'ring',
  description: 'Ring the bell.',
  source_ref: ref('bell'),
  effect: 'read_only',
  redaction: { allow: 'all' },
  arguments_schema_ref: ref('nothing'),
  result_schema_ref: ref('sound'),
};

/** In a long life, the prompt shows what a query finds, events and own turns. */
const OF_LIFE = {
  prompt:
    '{{subject.rendered}}\n{{world.projection}}\n{{world.recent_events}}\n{{memory.retrieved}}\n{{subject.own_turns}}',
  projection: {
    scope: 'subject_environment',
    memory: { recent: 5, retrieve: { top: 5, neighbours: 1, query: ['{{world.recent_events}}'], language: 'english' } },
    events: { turns: 1 },
    own_turns: 2,
  },
} as const;

function toWorkflow(tool_calls: number, is_life: boolean) {
  const short = { scope: 'subject_environment', memory: { recent: 2 } };
  const content = is_life ? OF_LIFE.prompt : '{{subject.rendered}}\n{{world.projection}}';
  const act = {
    id: 'act',
    type: 'llm_tool_loop',
    llm_source_ref: ref('model'),
    prompt_template: { messages: [{ role: 'user', content }] },
    projection: is_life ? OF_LIFE.projection : short,
    available_tools: tool_calls === 0 ? [] : [RING],
    max_generation_attempts: 2,
    max_tool_calls: tool_calls,
    final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
    // A busy machine makes answers late: the limit is generous, so that a long curve is finished.
    constraints: { token_budget: 1_000_000, timeout_seconds: 600 },
  };
  return { ambient_sources: [], nodes: [act], apply: { from: 'act.final' } };
}
