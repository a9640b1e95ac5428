// An attempt's calls are read in their order, which leads straight to them in an index: otherwise a session that made
// its plan while the table was empty may read all calls of the world, and every turn would cost more than the one before.
const CALLS = `
      calls AS MATERIALIZED (
        SELECT source_invocation_id, invocation_seq, invocation_kind, status, llm_call_id FROM source_invocations
        WHERE source_invocations.world_slug = attempts.world_slug
          AND source_invocations.attempt_id = attempts.attempt_id
        ORDER BY invocation_seq)`;

/** How many of the calls in `calls` of each kind ended how, and their tokens. */
function toSummary(status: string): string {
  return `(SELECT json_build_object(
      'calls', coalesce(json_object_agg(kind, statuses), '{}'),
      'input_tokens', coalesce(sum(input_tokens), 0),
      'output_tokens', coalesce(sum(output_tokens), 0))
    FROM (
      SELECT kind, json_object_agg(status, number) AS statuses, sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens
      FROM (
        SELECT invocation_kind::text AS kind, (${status})::text AS status, count(DISTINCT source_invocation_id) AS number,
          sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens
        FROM calls
          LEFT JOIN llm_token_observations tokens
            ON tokens.world_slug = attempts.world_slug AND tokens.llm_call_id = calls.llm_call_id
        GROUP BY 1, 2 ORDER BY 1, 2) AS counted
      GROUP BY kind ORDER BY kind) AS kinds)`;
}

/** The summary of an attempt's calls as a scalar query. */
export const TRACE_SUMMARY = `(WITH ${CALLS} SELECT ${toSummary('status')})`;

/** How many calls an attempt has issued, as a scalar query. */
export const CALL_COUNT = `(WITH ${CALLS} SELECT count(*)::int FROM calls)`;

/** The assignments of an attempt's end that sum its calls up. Those that still run are ended by the same statement. */
export const SUMMED_UP = `
        (source_invocation_count, last_source_invocation_id, source_trace_summary) = (
          WITH ${CALLS}
          SELECT (SELECT count(*) FROM calls),
            (SELECT source_invocation_id FROM calls ORDER BY invocation_seq DESC LIMIT 1),
            ${toSummary(`CASE status WHEN 'running' THEN 'interrupted' ELSE status END`)})`;
