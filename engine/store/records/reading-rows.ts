import type { Json } from '../../contract/json.js';
import { redact } from '../../core/content/redact.js';
import type { ReadingsPart, WorldReading } from '../../ports/browse.js';
import { READABLE } from '../lineage.js';
import { prepare, run, type Runner } from '../statement.js';

const COLUMNS = 'invocation_seq, ambient_source_id, calls.source_invocation_id, redaction, response_json';

// The latest turn comes first, so that turns beyond the limit are not read. A reading that was adopted was made by an
// earlier attempt.
const READINGS = prepare(
  'browse_readings',
  `WITH ${READABLE}
   SELECT told.turn, reading.*
   FROM (
     SELECT turns.world_slug, turns.turn, turns.attempt_id
     FROM readable JOIN turns ON turns.world_slug = readable.world_slug
       AND turns.turn > :after AND turns.turn <= readable.until_turn
     ORDER BY turns.turn DESC LIMIT :turn - :after) AS told
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM source_invocations calls
     WHERE calls.world_slug = told.world_slug AND calls.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded'
     UNION ALL
     SELECT ${COLUMNS} FROM adopted_calls adopted
       JOIN source_invocations calls ON calls.world_slug = adopted.world_slug
         AND calls.source_invocation_id = adopted.source_invocation_id
     WHERE adopted.world_slug = told.world_slug AND adopted.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded') AS reading
   ORDER BY told.turn DESC, invocation_seq DESC LIMIT :limit`,
);

interface Row extends WorldReading {
  readonly invocation_seq: number;
  readonly redaction: 'all' | readonly string[];
  readonly response_json: Json;
}

/** What ambient sources said in committed turns: the latest, in the order of turns. */
export async function listReadings(
  runner: Runner,
  world_slug: string,
  { after, until, limit }: ReadingsPart,
): Promise<readonly WorldReading[]> {
  const rows = await run<Row>(runner, READINGS, { world_slug, after, turn: until, limit });
  return rows.toReversed().map(({ turn, ambient_source_id, source_invocation_id, response_json, redaction }) => ({
    turn,
    ambient_source_id,
    source_invocation_id,
    response_json: redact(response_json, redaction),
  }));
}
