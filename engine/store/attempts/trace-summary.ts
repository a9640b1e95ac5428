/** The end of a generation that the statement itself writes, whose rows it does not see yet. */
export interface EndingNow {
  /** A relation with the call's `source_invocation_id` and `status`. */
  readonly call: string;
  /** A relation with what `llm_token_observations` holds of it. */
  readonly tokens: string;
}

// An attempt's calls are read in their order, which leads straight to them in an index: otherwise a session that made
// its plan while the table was empty may read all calls of the world, and every turn would cost more than the one before.
const calls = (now?: EndingNow): string => `
      calls AS MATERIALIZED (
        SELECT source_invocation_id, invocation_seq, invocation_kind, ${statusOf(now)} AS status, llm_call_id
        FROM source_invocations
        WHERE source_invocations.world_slug = attempts.world_slug
          AND source_invocations.attempt_id = attempts.attempt_id
        ORDER BY invocation_seq)`;

function statusOf(now?: EndingNow): string {
  if (now === undefined) return 'status';
  return `coalesce((
          SELECT status FROM ${now.call} AS now
          WHERE now.source_invocation_id = source_invocations.source_invocation_id), status)`;
}

function tokens(now?: EndingNow): string {
  const observed = `SELECT input_tokens, output_tokens FROM llm_token_observations AS tokens
            WHERE tokens.world_slug = attempts.world_slug AND tokens.llm_call_id = calls.llm_call_id`;
  if (now === undefined) return observed;
  return `${observed}
            UNION ALL
            SELECT input_tokens, output_tokens FROM ${now.tokens} AS now WHERE now.llm_call_id = calls.llm_call_id`;
}

/** How many of the calls in `calls` of each kind ended how, and their tokens. */
function toSummary(status: string, now?: EndingNow): string {
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
        FROM calls LEFT JOIN LATERAL (
            ${tokens(now)}) AS tokens ON true
        GROUP BY 1, 2 ORDER BY 1, 2) AS counted
      GROUP BY kind ORDER BY kind) AS kinds)`;
}

/** The summary of an attempt's calls as a scalar query. */
export const TRACE_SUMMARY = `(WITH ${calls()} SELECT ${toSummary('status')})`;

/** How many calls an attempt has issued, as a scalar query. */
export const CALL_COUNT = `(WITH ${calls()} SELECT count(*)::int FROM calls)`;

/** The assignments of an attempt's end that sum its calls up. Those that still run are ended by the same statement. */
export const summedUp = (now?: EndingNow): string => `
        (source_invocation_count, last_source_invocation_id, source_trace_summary) = (
          WITH ${calls(now)}
          SELECT (SELECT count(*) FROM calls),
            (SELECT source_invocation_id FROM calls ORDER BY invocation_seq DESC LIMIT 1),
            ${toSummary(`CASE status WHEN 'running' THEN 'interrupted' ELSE status END`, now)})`;
