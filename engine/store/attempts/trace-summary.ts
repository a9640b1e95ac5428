/**
 * The summary of an attempt's calls as a scalar query: how many of each kind ended how, and their tokens.
 * @param ended whether calls that still run are counted as interrupted, because the same statement ends them
 */
export function traceSummary(ended: boolean): string {
  const status = ended ? `CASE status WHEN 'running' THEN 'interrupted' ELSE status END` : 'status';
  return `(SELECT jsonb_build_object(
      'calls', (
        SELECT coalesce(jsonb_object_agg(kind, statuses), '{}')
        FROM (
          SELECT kind, jsonb_object_agg(status, number) AS statuses
          FROM (
            SELECT invocation_kind::text AS kind, (${status})::text AS status, count(*) AS number
            FROM source_invocations calls
            WHERE calls.world_slug = attempts.world_slug AND calls.attempt_id = attempts.attempt_id
            GROUP BY 1, 2) AS counted
          GROUP BY kind) AS kinds),
      'input_tokens', coalesce(sum(input_tokens), 0),
      'output_tokens', coalesce(sum(output_tokens), 0))::json
    FROM llm_calls JOIN llm_token_observations USING (world_slug, llm_call_id)
    WHERE llm_calls.world_slug = attempts.world_slug AND llm_calls.attempt_id = attempts.attempt_id)`;
}
