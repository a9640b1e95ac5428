import type { JsonObject } from '../../../engine/contract/json.js';
import { contentHash } from '../../../engine/core/content/canonical.js';
import type { ComponentKind } from '../../../engine/core/protocol/component.js';
import type { Program } from '../../../engine/core/protocol/program.js';
import { composeWorld, type World } from '../../../engine/core/world/world.js';
import type { Authoring } from '../../../engine/operations/engine.js';
import { compileScenario } from '../../../engine/operations/load-program.js';
import { MODEL, WORKFLOW } from './scene.js';

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
export function openCrowd(authoring: Authoring, count: number): Crowd {
  const agents = Array.from({ length: count }, (_none, index) => {
    const id = `agent_${index}`;
    return { id, name: id, kind: 'agent', environment: `place_${index % Math.ceil(count / COMPANY)}`, state: 'idle' };
  });
  const places = agents.map(({ environment }) => environment);
  const documents = new Map<string, JsonObject>();
  const put = (kind: ComponentKind, content: JsonObject): { readonly hash: string } => {
    const hash = contentHash(content);
    documents.set(`${kind} ${hash}`, content);
    return { hash };
  };
  const [node] = WORKFLOW.nodes;
  const workflow_ref = put('cognition_workflow', {
    ...WORKFLOW,
    nodes: [
      {
        ...node,
        llm_source_ref: put('response_source', MODEL),
        final_schema_ref: put('json_schema', authoring.shippedSchemas.get('world-patch.schema.json') ?? {}),
      },
    ],
  });
  const profile_ref = put('cognition_profile', { version: 1, label: 'profile', workflow_ref });
  const { hash } = put('scenario', {
    version: 1,
    label: 'crowd',
    start_time: '2026-05-01T09:00:00Z',
    chronon_seconds: 60,
    environments: [...new Set(places)].map((label) => ({ label, content: 'A place.' })),
    entities: agents,
    cognition: [{ profile_ref, subjects: agents.map(({ id }) => id) }],
  });
  const compiled = compileScenario(authoring, hash, (kind, named) => documents.get(`${kind} ${named}`));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems, null, 2));
  const world = composeWorld({
    slug: 'crowd',
    turn: 0,
    environments: places.map((label) => [label, 'A place.']),
    entities: agents.map((agent) => ({ ...agent, kind: 'agent', memory: [] })),
    events: [],
  });
  return { program: compiled.program, world, places };
}
