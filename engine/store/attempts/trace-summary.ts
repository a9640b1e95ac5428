/**
 * The summary of an attempt's calls as a scalar query: how many of each kind ended how, and their tokens.
 * @param ended whether calls that still run are counted as interrupted, because the same statement ends them
 */
export function traceSummary(ended: boolean): string {
  const status = ended ? `CASE status WHEN 'running' THEN 'interrupted' ELSE status END` : 'status';
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
        FROM source_invocations calls
          LEFT JOIN llm_token_observations USING (world_slug, llm_call_id)
        WHERE calls.world_slug = attempts.world_slug AND calls.attempt_id = attempts.attempt_id
        GROUP BY 1, 2 ORDER BY 1, 2) AS counted
      GROUP BY kind ORDER BY kind) AS kinds)`;
}

/** How many calls an attempt has issued, as a scalar query. */
export const CALL_COUNT = `(SELECT count(*) FROM source_invocations calls
    WHERE calls.world_slug = attempts.world_slug AND calls.attempt_id = attempts.attempt_id)::int`;

/** The assignments of an attempt's end that sum its calls up. */
export const SUMMED_UP = `
        source_invocation_count = ${CALL_COUNT},
        last_source_invocation_id = (
          SELECT source_invocation_id FROM source_invocations calls
          WHERE calls.world_slug = attempts.world_slug AND calls.attempt_id = attempts.attempt_id
          ORDER BY invocation_seq DESC LIMIT 1),
        source_trace_summary = ${traceSummary(true)}`;
