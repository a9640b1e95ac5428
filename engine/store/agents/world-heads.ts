/**
 * The state heads of a new world's agents, idle, as a CTE: every agent has one, so that whoever gives it a turn finds
 * something to compare with.
 * @param scenario a CTE `(world_slug, content)`
 */
export function headsOf(scenario: string): string {
  return `
   heads AS (
     INSERT INTO agent_state_heads (world_slug, agent_id)
     SELECT world_slug, entity->>'id'
     FROM ${scenario}, json_array_elements(content->'entities') AS row (entity)
     WHERE entity->>'kind' = 'agent')`;
}

/** The epoch of each agent's head in a world, as a scalar query. */
export function turnEpochsOf(world: string): string {
  return `(SELECT json_object_agg(agent_id, turn_epoch) FROM agent_state_heads
     WHERE agent_state_heads.world_slug = ${world}.world_slug)`;
}
