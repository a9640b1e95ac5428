import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../engine/contract/json.js';
import type { Answers } from '../../../fixtures/toys/scripted-model/index.js';

/** The documents of a world of agents who do not perceive each other, in a folder of their own. */
interface SubjectsScene {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Writes a world of so many agents, each at home, with one generation a turn. */
export async function writeScene(count: number): Promise<SubjectsScene> {
  const ids = toIds(count);
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  const documents: Readonly<Record<string, Json>> = {
    'model.json': MODEL,
    'workflow.json': WORKFLOW,
    'profile.json': { version: 1, label: 'profile', workflow_ref: { path: './workflow.json' } },
    'scenario.json': {
      version: 1,
      label: 'homes',
      start_time: '2026-05-01T09:00:00Z',
      chronon_seconds: 60,
      environments: ids.map((id) => ({ label: `home_of_${id}`, content: 'A room.' })),
      entities: ids.map((id) => ({ id, name: id, kind: 'agent', environment: `home_of_${id}`, state: 'idle' })),
      cognition: [{ profile_ref: { path: './profile.json' }, subjects: ids }],
    },
  };
  for (const [name, document] of Object.entries(documents))
    await writeFile(join(folder, name), JSON.stringify(document));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The model's answers for each agent, in every turn. */
export function toAnswers(count: number): Answers {
  const said = toIds(count).map((id) => [`${id}/act/round-1/try-1`, { json: finalPatch(id) }] as const);
  return { version: 1, label: 'homes', turns: { '*': Object.fromEntries(said) } };
}

function toIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_none, index) => `agent_${index}`);
}

function finalPatch(id: string): Json {
  const effects = [{ op: 'set_entity_state', entity_id: id, state: 'awake' }];
  return { kind: 'final_patch', patch: { narration: `${id} wakes up.`, effects } };
}

export const MODEL = {
  version: 1,
  label: 'model',
  interface: { name: 'llm_chat', model: 'm', schema_delivery: 'prompt', tool_calling: 'json_control' },
};

export const WORKFLOW = {
  version: 1,
  label: 'wake',
  execution: 'per_subject_concurrent',
  ambient_sources: [],
  nodes: [
    {
      id: 'act',
      type: 'llm_tool_loop',
      llm_source_ref: { path: './model.json' },
      prompt_template: { messages: [{ role: 'user', content: '{{subject.rendered}}\n{{world.projection}}' }] },
      projection: { scope: 'subject_environment', memory: { recent: 2 } },
      available_tools: [],
      max_generation_attempts: 2,
      max_tool_calls: 0,
      final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
      // A busy machine makes answers late: the limit is generous, so that a long curve is finished.
      constraints: { token_budget: 100_000, timeout_seconds: 600 },
    },
  ],
  apply: { from: 'act.final' },
};
