import type { EarlierSpending } from '../../ports/attempts.js';
import { prepare, run, type Runner } from '../statement.js';

/** How many earlier answers are looked at, and how many of each node. */
const LOOKED_AT = 500;
const OF_EACH_NODE = 50;

// Attempts at the turn are those since the turn before was committed. A call without counts is counted by its texts.
const EARLIER = prepare(
  'earlier_spending',
  `WITH before AS (
     SELECT attempt_id FROM attempts
     WHERE world_slug = :world_slug AND attempt_id <> :attempt_id::uuid AND epoch > coalesce((
       SELECT epoch FROM attempts JOIN turns USING (world_slug, attempt_id)
       WHERE world_slug = :world_slug AND turn = :attempted_turn::bigint - 1), -1)),
   spent AS (
     SELECT workflow_subject_entity_id AS subject_id, source_hash, failure_class, http_status,
       coalesce(duration_ms, 0) AS duration_ms,
       CASE WHEN input_tokens IS NOT NULL AND output_tokens IS NOT NULL THEN json_build_object(
         'input_tokens', input_tokens, 'output_tokens', output_tokens,
         'cached_input_tokens', coalesce(cached_input_tokens, 0),
         'cache_written_input_tokens', coalesce(cache_written_input_tokens, 0)) END AS usage,
       (SELECT noted -> 'value' FROM json_array_elements(artifacts) AS noted
        WHERE noted ->> 'kind' = 'tokens_estimated' LIMIT 1) AS estimated,
       CASE WHEN input_tokens IS NULL OR output_tokens IS NULL THEN (
         SELECT sum(octet_length(text)) FROM llm_conversation_messages AS listed
           JOIN llm_message_pieces USING (message_hash)
         WHERE listed.world_slug = generations.world_slug AND listed.attempt_id = generations.attempt_id
           AND listed.conversation = generations.conversation AND listed."position" <= generations.message_count)
       END AS prompt_bytes,
       CASE WHEN input_tokens IS NULL OR output_tokens IS NULL THEN (
         SELECT sum(octet_length(text)) FROM llm_streams
         WHERE llm_streams.world_slug = generations.world_slug AND llm_streams.llm_call_id = generations.llm_call_id)
       END AS said_bytes
     FROM before
       JOIN source_invocations AS calls ON calls.world_slug = :world_slug AND calls.attempt_id = before.attempt_id
       JOIN llm_calls AS generations ON generations.world_slug = :world_slug
         AND generations.llm_call_id = calls.llm_call_id
     WHERE NOT refused),
   latest AS (
     SELECT attempt_id, source_invocation_id, output_tokens FROM llm_calls
     WHERE world_slug = :world_slug AND attempt_id <> :attempt_id::uuid
     ORDER BY source_invocation_id DESC LIMIT ${LOOKED_AT}),
   answers AS (
     SELECT workflow_hash, workflow_node_id AS node_id, invocation_kind, output_tokens,
       row_number() OVER (PARTITION BY workflow_hash, workflow_node_id, invocation_kind ORDER BY source_invocation_id DESC) AS place
     FROM latest JOIN source_invocations AS calls USING (source_invocation_id)
     WHERE calls.world_slug = :world_slug AND answered AND output_tokens > 0)
   SELECT (SELECT coalesce(json_agg(spent), '[]') FROM spent) AS spent,
     (SELECT coalesce(json_agg(node), '[]') FROM (
       SELECT workflow_hash, node_id, invocation_kind, json_agg(output_tokens) AS output_tokens
       FROM answers WHERE place <= ${OF_EACH_NODE} GROUP BY workflow_hash, node_id, invocation_kind) AS node) AS outputs`,
);

/** What earlier attempts at a turn have used, and what is known of earlier answers: the same for every driver of it. */
export async function findEarlierSpending(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string; readonly attempted_turn: number },
): Promise<EarlierSpending> {
  const { world_slug, attempt_id, attempted_turn } = attempt;
  const [row] = await run<EarlierSpending>(runner, EARLIER, { world_slug, attempt_id, attempted_turn });
  if (row === undefined) throw new Error('what was spent earlier is one row');
  return row;
}
