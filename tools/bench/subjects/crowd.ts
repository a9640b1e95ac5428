import type { Program } from '../../../engine/core/protocol/program.js';
import { composeWorld, type World } from '../../../engine/core/world/world.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { loadScenario } from '../../../engine/operations/running/load-program.js';
import { putScenario } from '../../../engine/operations/authoring/author.js';
import { agentId, inFolder, writeScene } from '../documents.js';
import { must } from '../../must.js';

/** Agents in places of a few, who perceive changes in their own place. */
export interface Crowd {
  readonly program: Program;
  readonly world: World;
  /** The place of each, in the order of the scenario. */
  readonly places: readonly string[];
}

/** How many agents share a place. */
const COMPANY = 5;

/** Compiles the documents of so many agents. @throws Error where they do not compile */
export async function openCrowd(engine: Engine, count: number): Promise<Crowd> {
  const places = Array.from({ length: count }, (_none, index) => `place_${index % Math.ceil(count / COMPANY)}`);
  const scenario_hash = await inFolder(async (folder) => {
    await writeScene(folder, { places, execution: 'per_subject_concurrent' });
    return must(await putScenario(engine, `${folder}/scenario.json`, { working_folder: folder, root: folder }));
  });
  const { program } = must(await loadScenario(engine, scenario_hash));
  const agents = places.map((environment, index) => {
    const id = agentId(index);
    return { id, name: id, kind: 'agent' as const, environment, state: 'idle', memory: [] };
  });
  const environments = [...new Set(places)].map((label) => [label, { content: 'A place.' }] as const);
  const world = composeWorld({ slug: 'crowd', turn: 0, environments, entities: agents, events: [] });
  return { program, world, places };
}
