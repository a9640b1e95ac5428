import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Answers } from '../../engine/generated/answers.js';
import { ROOT } from './stage.js';
import { type Played, UNIT_TURN } from './worlds.js';

/** A world of agents with one generation a turn, who see only what is in their own place. */
export interface Scene {
  /** The place of each agent; those of the same place see each other. */
  readonly places: readonly string[];
  readonly execution?: 'per_subject_ordered' | 'per_subject_concurrent';
  /** Things in a yard, which no agent sees. */
  readonly entities?: number;
  /** The agents' memories from before; the newest two are shown. */
  readonly memories?: number;
  /** How often an agent presses a button in a turn, each time by a tool call of its own. */
  readonly tool_calls?: number;
}

/** The name of an agent, by its place in the scenario. */
export function agentId(index: number): string {
  return `agent_${index}`;
}

/** Writes the documents of a scene into a folder: those of the unit turn, without its reading. */
export async function writeScene(folder: string, scene: Scene): Promise<Played> {
  const { places, execution = 'per_subject_ordered', entities = 0, memories = 0, tool_calls = 0 } = scene;
  const unit = 'fixtures/unit-turn';
  for (const part of ['workflows', unit]) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  const edit = async (name: string, change: (document: JsonObject) => JsonObject): Promise<void> => {
    const file = join(folder, unit, name);
    await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, 'utf8')) as JsonObject)));
  };
  const memory = Array.from({ length: memories }, (_none, index) => `Day ${index} went by.`);
  const agents = places.map((environment, index) => {
    const id = agentId(index);
    return { id, name: id, kind: 'agent', environment, state: 'idle', ...(memories === 0 ? {} : { memory }) };
  });
  const things = Array.from({ length: entities }, (_none, index) => {
    return { id: `thing_${index}`, name: 'Thing', kind: 'prop', environment: 'yard', state: 'idle' };
  });
  await edit('scenario.json', (scenario) => ({
    ...scenario,
    environments: [...new Set([...places, 'yard'])].map((label) => ({ label, content: 'A place.' })),
    entities: [...agents, ...things],
    cognition: [{ profile_ref: { path: './profile.json' }, subjects: agents.map(({ id }) => id) }],
  }));
  await edit('workflow.json', ({ nodes, ...workflow }) => {
    const [act] = nodes as readonly [JsonObject & { readonly available_tools: readonly JsonObject[] }];
    const tools = act.available_tools.map((tool) => ({ ...tool, effect: 'read_only' }));
    const node = {
      ...act,
      projection: { scope: 'subject_environment', memory: { recent: 2 } },
      available_tools: tool_calls === 0 ? [] : tools,
      max_tool_calls: tool_calls,
      // A busy machine makes answers late: the limit is generous, so that a long curve is finished.
      constraints: { token_budget: 1_000_000, timeout_seconds: 600 },
    };
    return { ...workflow, execution, ambient_sources: [], nodes: [node] };
  });
  if (tool_calls === 0) await edit('profile.json', ({ tool_policy_ref: _none, ...profile }) => profile);
  return { ...UNIT_TURN, folder };
}

/** What the model says to each agent, in every turn: it presses the button as often as the scene says, and leans back. */
export function toAnswers({ places, tool_calls = 0 }: Scene): Answers {
  const said = places.flatMap((_place, index) => {
    const id = agentId(index);
    const pressed = { actor_id: id, machine_id: 'vending_machine', button: 'C' };
    const press: Json = { kind: 'tool_call', tool_call: { name: 'buy_candy', arguments: pressed } };
    const effects = [{ op: 'set_entity_state', entity_id: id, state: 'content' }];
    const end: Json = { kind: 'final_patch', patch: { narration: `${id} leans back.`, effects } };
    return Array.from({ length: tool_calls + 1 }, (_none, round) => {
      return [`${id}/act/round-${round + 1}/try-1`, { json: round === tool_calls ? end : press }] as const;
    });
  });
  return { version: 1, label: 'bench', turns: { '*': Object.fromEntries(said) } };
}
