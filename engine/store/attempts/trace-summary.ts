// The calls of an attempt are read in their order, which leads straight to them in an index. Without an order, a plan that was
// made while the table was empty may read all calls of the world.
const CALLS = `
      calls AS MATERIALIZED (
        SELECT invocation_seq, invocation_kind, status, llm_call_id FROM source_invocations
        WHERE source_invocations.world_slug = attempts.world_slug
          AND source_invocations.attempt_id = attempts.attempt_id
        ORDER BY invocation_seq)`;

/** How many calls of each kind an attempt has made and how they ended, with their tokens: a scalar query. */
export const TRACE_SUMMARY = `(WITH ${CALLS}
    SELECT json_build_object(
      'calls', coalesce(json_object_agg(kind, statuses), '{}'),
      'input_tokens', coalesce(sum(input_tokens), 0),
      'output_tokens', coalesce(sum(output_tokens), 0))
    FROM (
      SELECT kind, json_object_agg(status, number) AS statuses, sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens
      FROM (
        SELECT invocation_kind::text AS kind, calls.status::text AS status, count(*) AS number,
          sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens
        FROM calls LEFT JOIN llm_calls
          ON llm_calls.world_slug = attempts.world_slug AND llm_calls.llm_call_id = calls.llm_call_id
        GROUP BY 1, 2 ORDER BY 1, 2) AS counted
      GROUP BY kind ORDER BY kind) AS kinds)`;

/** How many calls an attempt has made: a scalar query. */
export const CALL_COUNT = `(SELECT count(*)::int FROM (
      SELECT FROM source_invocations
      WHERE source_invocations.world_slug = attempts.world_slug AND source_invocations.attempt_id = attempts.attempt_id
      ORDER BY invocation_seq) AS own)`;
