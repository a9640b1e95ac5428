// A call that may have had its side effect, without an outcome on record, is in doubt until it is settled: another
// attempt would make it again. A call whose service performs it once, however often it is sent, is never in doubt.

/** Calls, as `calls`, whose side effect is unknown: a condition of the query around it. */
export const IS_UNKNOWN = `(calls.effect_class <> 'read_only' AND NOT calls.repeatable
     AND (calls.status = 'interrupted' OR calls.outcome_unknown))`;

/** Calls, as `calls`, that are in doubt and that nobody has settled: a condition of the query around it. */
export const IS_DOUBTED = `${IS_UNKNOWN}
     AND NOT EXISTS (
       SELECT FROM call_settlements settled
       WHERE settled.world_slug = calls.world_slug AND settled.source_invocation_id = calls.source_invocation_id)`;

/** The calls of the failed attempt `:attempt_id` that are in doubt; the one that it names comes first. */
export const DOUBTS = `
  SELECT attempts.attempt_id, attempts.attempted_turn, calls.source_invocation_id, calls.command_key
  FROM attempts JOIN source_invocations AS calls USING (world_slug, attempt_id)
  WHERE attempts.world_slug = :world_slug AND attempts.attempt_id = :attempt_id::uuid AND ${IS_DOUBTED}
  ORDER BY calls.source_invocation_id = attempts.failed_source_invocation_id DESC, calls.invocation_seq`;

/** How many calls of an attempt are in doubt, as a query. */
export const COUNT_DOUBTED = `
  SELECT count(*)::int AS left FROM source_invocations AS calls
  WHERE calls.world_slug = :world_slug AND calls.attempt_id = :attempt_id::uuid AND ${IS_DOUBTED}`;
