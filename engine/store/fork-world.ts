import { headsOf } from './state-heads.js';
import { READABLE } from './lineage.js';
import { firstScenarioOf, type NewWorld, toText } from './world-scenarios.js';
import { prepare, run, type Runner, toTimestamp } from './statement.js';

// The fork's first turn is the last one that it shares, so that it has a head; no attempt of its own made it.
const FORK = prepare(
  'fork_world',
  `WITH ${READABLE},
   source AS (
     SELECT worlds.root_world_slug, turns.simulation_time
     FROM worlds CROSS JOIN turns JOIN readable ON readable.world_slug = turns.world_slug
     WHERE worlds.world_slug = :world_slug AND worlds.turn >= :turn
       AND turns.turn = :turn AND turns.turn <= readable.until_turn
     LIMIT 1),
   forked AS (
     INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn, created_at)
     SELECT :fork_slug, root_world_slug, :scenario_hash, :turn, :created_at::timestamptz FROM source
     ON CONFLICT DO NOTHING RETURNING world_slug),
   start AS (
     INSERT INTO turns (world_slug, turn, simulation_time, committed_at)
     SELECT forked.world_slug, :turn, simulation_time, :created_at::timestamptz FROM forked, source),
   setting AS (
     SELECT forked.world_slug, content FROM forked, scenarios WHERE scenarios.hash = :scenario_hash),
   ${headsOf('setting')},
   ${firstScenarioOf('forked', ':turn::bigint')},
   purges AS (
     INSERT INTO memory_purges (world_slug, at_turn, origin, purged_at)
     SELECT forked.world_slug, at_turn, origin, purged_at FROM forked, memory_purges
     WHERE memory_purges.world_slug = :world_slug AND at_turn <= :turn),
   lineage AS (
     INSERT INTO world_lineage (world_slug, ancestor_slug, until_turn)
     SELECT forked.world_slug, readable.world_slug, readable.until_turn FROM forked, readable)
   SELECT count(*) AS forked FROM forked`,
);

/**
 * Makes a world that shares another's turns up to one of them: a row for itself, one for its first turn, and one for
 * each ancestor. Nothing is copied.
 * @param world `at_turn` is a turn that the source has reached, its shared history included
 * @returns false where the slug is taken
 */
export async function forkWorld(
  runner: Runner,
  world: NewWorld & { readonly source_slug: string; readonly at_turn: number },
): Promise<boolean> {
  const [row] = await run<{ forked: number }>(runner, FORK, {
    world_slug: world.source_slug,
    turn: world.at_turn,
    fork_slug: world.world_slug,
    scenario_hash: world.scenario_hash,
    created_at: toTimestamp(world.created_at),
    files: toText(world.files),
  });
  return row?.forked === 1;
}
