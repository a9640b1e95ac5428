// A call that may have changed something and that nobody saw end is in doubt until a person settles it. While the latest
// attempt of a world failed over one, no turn is begun there: it would make the call again.

/** Calls, as `calls`, that are in doubt, by a query around it. */
const IS_DOUBTED = `calls.status = 'interrupted' AND calls.effect_class <> 'read_only'
     AND NOT EXISTS (
       SELECT FROM call_settlements settled
       WHERE settled.world_slug = calls.world_slug AND settled.source_invocation_id = calls.source_invocation_id)`;

/** The calls over which a world's latest attempt failed, and that are in doubt still; the one that it names comes first. */
export const DOUBTS = `
  SELECT latest.attempt_id, latest.attempted_turn, calls.source_invocation_id, calls.command_key
  FROM (
    SELECT * FROM attempts WHERE world_slug = :world_slug ORDER BY epoch DESC LIMIT 1) AS latest
    JOIN source_invocations AS calls ON calls.world_slug = latest.world_slug AND calls.attempt_id = latest.attempt_id
  WHERE latest.status = 'failed' AND latest.failure_class = 'interrupted' AND ${IS_DOUBTED}
  ORDER BY calls.source_invocation_id = latest.failed_source_invocation_id DESC, calls.invocation_seq`;

/** How many calls of an attempt are in doubt, as a query. */
export const COUNT_DOUBTED = `
  SELECT count(*)::int AS left FROM source_invocations AS calls
  WHERE calls.world_slug = :world_slug AND calls.attempt_id = :attempt_id::uuid AND ${IS_DOUBTED}`;
