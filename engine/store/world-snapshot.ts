import type { Entity, World } from '../core/world/world.js';
import type { EntityRecord } from '../ports/records.js';
import { READABLE } from './lineage.js';
import { prepare, run, type Runner } from './statement.js';

/** A world's contents at one turn, in the scenario's order. */
export interface WorldContents {
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly EntityRecord[];
}

// Of each world that it reads, the latest row is found by one step in the index: all rows since the beginning are not.
const ENTITIES = prepare(
  'snapshot_entities',
  `WITH ${READABLE}, roster AS (
     SELECT place, entity->>'id' AS id, entity->>'name' AS name, entity->>'kind' AS kind,
            entity->>'environment' AS environment, entity->>'goal' AS goal
     FROM worlds JOIN scenarios ON scenarios.hash = worlds.scenario_hash,
          json_array_elements(scenarios.content->'entities') WITH ORDINALITY AS row (entity, place)
     WHERE worlds.world_slug = :world_slug)
   SELECT id, name, kind, environment, goal, latest.state
   FROM roster CROSS JOIN LATERAL (
     SELECT state FROM readable CROSS JOIN LATERAL (
       SELECT turn, state FROM entity_states
       WHERE entity_states.world_slug = readable.world_slug AND entity_states.entity_id = roster.id COLLATE "C"
         AND entity_states.turn <= readable.until_turn
       ORDER BY entity_states.turn DESC LIMIT 1) AS latest_of_one
     ORDER BY turn DESC LIMIT 1) AS latest
   ORDER BY place`,
);

const ENVIRONMENTS = prepare(
  'snapshot_environments',
  `WITH ${READABLE}, places AS (
     SELECT place, environment->>'label' AS label
     FROM worlds JOIN scenarios ON scenarios.hash = worlds.scenario_hash,
          json_array_elements(scenarios.content->'environments') WITH ORDINALITY AS row (environment, place)
     WHERE worlds.world_slug = :world_slug)
   SELECT label, latest.content
   FROM places CROSS JOIN LATERAL (
     SELECT content FROM readable CROSS JOIN LATERAL (
       SELECT turn, content FROM environment_contents
       WHERE environment_contents.world_slug = readable.world_slug
         AND environment_contents.environment_label = places.label COLLATE "C"
         AND environment_contents.turn <= readable.until_turn
       ORDER BY environment_contents.turn DESC LIMIT 1) AS latest_of_one
     ORDER BY turn DESC LIMIT 1) AS latest
   ORDER BY place`,
);

const MEMORIES = prepare(
  'snapshot_memories',
  `WITH ${READABLE}
   SELECT entity_id::text AS entity_id, turn, content
   FROM readable JOIN entity_memories USING (world_slug)
   WHERE entity_memories.turn <= readable.until_turn
   ORDER BY entity_id, turn, memory_seq`,
);

interface EntityRow {
  readonly id: string;
  readonly name: string;
  readonly kind: 'agent' | 'prop';
  readonly environment: string | null;
  readonly goal: string | null;
  readonly state: string;
}

interface MemoryRow {
  readonly entity_id: string;
  readonly turn: number;
  readonly content: string;
}

/** Reads what a world held at the end of a turn that it, or an ancestor for it, has reached. */
export async function readContents(runner: Runner, world_slug: string, turn: number): Promise<WorldContents> {
  const at = { world_slug, turn };
  const environments = await run<{ label: string; content: string }>(runner, ENVIRONMENTS, at);
  const entities = await run<EntityRow>(runner, ENTITIES, at);
  const memories = groupMemories(await run<MemoryRow>(runner, MEMORIES, at));
  return { environments, entities: entities.map((row) => toEntity(row, memories.get(row.id) ?? [])) };
}

function groupMemories(rows: readonly MemoryRow[]): ReadonlyMap<string, readonly { content: string; turn: number }[]> {
  const groups = new Map<string, { content: string; turn: number }[]>();
  for (const { entity_id, turn, content } of rows) {
    const group = groups.get(entity_id);
    if (group) group.push({ content, turn });
    else groups.set(entity_id, [{ content, turn }]);
  }
  return groups;
}

function toEntity(row: EntityRow, memory: EntityRecord['memory']): EntityRecord {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    ...(row.environment === null ? {} : { environment: row.environment }),
    ...(row.goal === null ? {} : { goal: row.goal }),
    state: row.state,
    memory,
  };
}

/** The contents as the value that a turn begins with. */
export function toWorld(slug: string, turn: number, contents: WorldContents): World {
  return {
    slug,
    turn,
    environments: new Map(contents.environments.map(({ label, content }) => [label, content])),
    entities: new Map(contents.entities.map((entity): [string, Entity] => [entity.id, entity])),
  };
}
