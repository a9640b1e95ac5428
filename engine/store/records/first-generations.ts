import type { FirstGenerations } from '../../ports/browse.js';
import { prepare, run, type Runner } from '../statement.js';

const PLACE = prepare(
  'world_of_attempt',
  'SELECT world_slug, attempt_id FROM attempts WHERE attempt_id = :attempt_id::uuid',
);

/** Where an attempt is; undefined for an unknown one. */
export async function findPlace(runner: Runner, attempt_id: string) {
  const [place] = await run<{ world_slug: string; attempt_id: string }>(runner, PLACE, { attempt_id });
  return place;
}

// Each half is found by an index of its own, however many calls the world has.
const FIRST = prepare(
  'first_generations',
  `WITH known AS (
     (SELECT calls.* FROM source_invocations AS calls
      WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)
     UNION ALL
     (SELECT calls.* FROM adopted_calls
        JOIN source_invocations AS calls ON calls.world_slug = adopted_calls.world_slug
          AND calls.source_invocation_id = adopted_calls.source_invocation_id
      WHERE adopted_calls.world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)),
   firsts AS (
     SELECT DISTINCT ON (workflow_subject_entity_id, workflow_node_id) llm_call_id, invocation_seq FROM known
     WHERE workflow_hash = :workflow_hash AND llm_call_id IS NOT NULL
     ORDER BY workflow_subject_entity_id, workflow_node_id, invocation_seq)
   SELECT llm_call_id FROM firsts ORDER BY invocation_seq LIMIT :limit`,
);

/** The first generation of each subject at each node of a workflow, in the order of their issue. */
export async function listFirstGenerations(
  runner: Runner,
  attempt_id: string,
  { workflow_hash, calls, limit }: FirstGenerations,
): Promise<readonly string[] | undefined> {
  const place = await findPlace(runner, attempt_id);
  if (place === undefined) return undefined;
  const rows = await run<{ llm_call_id: string }>(runner, FIRST, { ...place, workflow_hash, calls, limit });
  return rows.map(({ llm_call_id }) => llm_call_id);
}
