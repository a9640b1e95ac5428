import { canonicalText } from '../core/content/canonical.js';
import type { WorldStart } from '../ports/worlds.js';
import { headsOf } from './state-heads.js';
import { firstScenarioOf, type NewWorld, toText } from './world-scenarios.js';
import { prepare, run, type Runner, toTimestamp } from './statement.js';

// Turns in which something was remembered are there for their memories; nothing else is known of them.
const PLANT = prepare(
  'plant_world',
  `WITH world AS (
     INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn, created_at)
     VALUES (:world_slug, :world_slug, :scenario_hash, :turn, :created_at::timestamptz)
     ON CONFLICT DO NOTHING RETURNING world_slug),
   played AS (
     INSERT INTO turns (world_slug, turn, simulation_time, committed_at)
     SELECT world_slug, turn, :start_time::timestamptz, :created_at::timestamptz
     FROM world, unnest(:turns::bigint[]) AS row (turn)),
   environments AS (
     INSERT INTO environment_contents (world_slug, environment_label, turn, content)
     SELECT world_slug, environment->>'label', :turn, environment->>'content'
     FROM world, json_array_elements(:environments::json) AS row (environment)),
   states AS (
     INSERT INTO entity_states (world_slug, entity_id, turn, state)
     SELECT world_slug, entity->>'id', :turn, entity->>'state'
     FROM world, json_array_elements(:entities::json) AS row (entity)),
   remembering AS MATERIALIZED (
     SELECT world_slug, entity->>'id' AS entity_id, entity->'memory' AS memories
     FROM world, json_array_elements(:entities::json) AS row (entity)),
   memories AS (
     INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin)
     SELECT world_slug, entity_id, (memory->>'turn')::bigint, memory_seq, memory->>'content', 'scenario'
     FROM remembering, json_array_elements(memories) WITH ORDINALITY AS item (memory, memory_seq)),
   setting AS (SELECT world_slug, content FROM world, scenarios WHERE scenarios.hash = :scenario_hash),
   ${headsOf('setting')},
   ${firstScenarioOf('world', ':turn::bigint')}
   SELECT count(*) AS planted FROM world`,
);

/**
 * Inserts a world that begins at any turn, with given contents: for dry runs, in a database of their own.
 * @returns false where the slug is taken
 */
export async function plantWorld(
  runner: Runner,
  world: NewWorld & WorldStart & { readonly start_time: string },
): Promise<boolean> {
  const memories = world.entities.flatMap(({ memory }) => memory);
  const [row] = await run<{ planted: number }>(runner, PLANT, {
    world_slug: world.world_slug,
    scenario_hash: world.scenario_hash,
    turn: world.turn,
    turns: [...new Set([world.turn, ...memories.map(({ turn }) => turn)])],
    start_time: world.start_time,
    created_at: toTimestamp(world.created_at),
    files: toText(world.files),
    environments: canonicalText(world.environments.map(({ label, content }) => ({ label, content }))),
    entities: canonicalText(world.entities),
  });
  return row?.planted === 1;
}
