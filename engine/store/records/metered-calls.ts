import type { TokenUsage } from '../../contract/source.js';
import type { MeteredCall, UsedTogether } from '../../core/cost/cost.js';
import type { PromptPiece, SentPrompt } from '../../core/cost/prompt-parts.js';
import {
  type CountColumns,
  COUNTS_DOUBTED,
  type CountedTokens,
  TOKENS_ESTIMATED,
} from '../../core/protocol/token-counts.js';
import type { WantedCalls } from '../../ports/browse.js';
import type { InAttempt, InWorld } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';

// Only a call whose counts are missing or doubted has its artifacts read.
const generations = (where: string, joined = '', ofWorld = '= :world_slug') => `FROM source_invocations AS asked
     JOIN llm_calls AS made ON made.world_slug = asked.world_slug AND made.llm_call_id = asked.llm_call_id ${joined}
     LEFT JOIN LATERAL (
       SELECT bool_or(noted->>'kind' = '${COUNTS_DOUBTED}') AS is_doubted,
         (array_agg(noted->'value') FILTER (WHERE noted->>'kind' = '${TOKENS_ESTIMATED}'))[1] AS estimated
       FROM json_array_elements(CASE
         WHEN json_typeof(made.artifacts) = 'array'
           AND (made.input_tokens IS NULL OR made.artifacts::text LIKE '%"${COUNTS_DOUBTED}"%')
         THEN made.artifacts ELSE '[]' END) AS noted) AS noted ON true
   WHERE asked.world_slug ${ofWorld} AND asked.llm_call_id IS NOT NULL ${where}`;

// Superseded and adopted calls are few: they are found once, and not for each call.
const METERED = prepare(
  'metered_calls',
  `WITH superseded AS MATERIALIZED (
     SELECT DISTINCT source_invocation_id FROM attempt_events
     WHERE world_slug = :world_slug AND event_kind = 'call_superseded' AND source_invocation_id IS NOT NULL),
   adopted AS MATERIALIZED (SELECT DISTINCT source_invocation_id FROM adopted_calls WHERE world_slug = :world_slug)
   SELECT asked.attempt_id, asked.attempted_turn, asked.workflow_subject_entity_id AS subject_id,
     asked.workflow_node_id AS node_id, asked.invocation_kind = 'quality_gate' AS is_gate, made.model, made.endpoint_origin, made.started_at, made.status,
     superseded IS NOT NULL AS is_superseded, adopted IS NOT NULL AS is_adopted, made.input_tokens, made.output_tokens,
     made.cached_input_tokens, made.cache_written_input_tokens, made.reasoning_tokens, noted.is_doubted, noted.estimated
   ${generations(
     '',
     `LEFT JOIN superseded ON superseded.source_invocation_id = asked.source_invocation_id
     LEFT JOIN adopted ON adopted.source_invocation_id = asked.source_invocation_id`,
   )}
   ORDER BY asked.attempt_id, asked.invocation_seq`,
);

// Calls of one model, place and half hour, with inputs of one tier, cost the same a token.
const used = (where: string, used_by = 'NULL', ofWorld?: string) =>
  prepare(
    'used_tokens',
    `SELECT used_by, model, endpoint_origin, half_hour * 1800000 AS at, is_open, is_estimated, count(*)::int AS calls,
       sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
       sum(cached)::bigint AS cached_input_tokens, sum(written)::bigint AS cache_written_input_tokens,
       sum(reasoning)::bigint AS reasoning_tokens
     FROM (
       SELECT used_by, model, endpoint_origin, floor(extract(epoch FROM started_at) / 1800)::bigint AS half_hour,
         status IN ('running', 'pending') AS is_open, NOT is_believed AS is_estimated,
         CASE WHEN is_believed THEN input_tokens ELSE (estimated->>'input_tokens')::bigint END AS input_tokens,
         CASE WHEN is_believed THEN output_tokens ELSE (estimated->>'output_tokens')::bigint END AS output_tokens,
         CASE WHEN is_believed THEN cached_input_tokens END AS cached,
         CASE WHEN is_believed THEN cache_written_input_tokens END AS written,
         CASE WHEN is_believed THEN reasoning_tokens END AS reasoning
       FROM (
         SELECT made.*, ${used_by}::text AS used_by, noted.estimated,
           made.input_tokens IS NOT NULL AND made.output_tokens IS NOT NULL AND noted.is_doubted IS NOT TRUE AS is_believed
         ${generations(where, '', ofWorld)}) AS calls) AS counted
     GROUP BY used_by, model, endpoint_origin, half_hour, is_open, is_estimated, width_bucket(input_tokens, :tiers::bigint[])`,
  );

const OF_ATTEMPT = 'AND asked.attempt_id = :attempt_id::uuid';

// A text for each choice: the plan of one that left a condition open would read all calls of the world.
const USED = {
  world: used(''),
  turn: used('AND asked.attempted_turn = :turn::bigint'),
  attempt: used(OF_ATTEMPT),
  subject: used(`${OF_ATTEMPT} AND asked.workflow_subject_entity_id = :subject_id`),
  attempts: used('AND asked.attempt_id = ANY(:attempt_ids::uuid[])', 'asked.attempt_id'),
  subjects: used('', 'asked.workflow_subject_entity_id'),
  worlds: used('', 'asked.world_slug', '= ANY(:world_slugs::text[])'),
};

interface Row extends Omit<MeteredCall, 'at' | 'usage' | 'estimated'>, CountColumns {
  readonly started_at: string;
  readonly is_doubted: boolean | null;
  readonly estimated: CountedTokens | null;
}

/** The generations that were made in a world, in the order of their attempts. */
export async function listMeteredCalls(runner: Runner, world: InWorld): Promise<readonly MeteredCall[]> {
  const rows = await run<Row>(runner, METERED, { ...world });
  return rows.map(({ started_at, is_doubted, estimated, ...row }) => {
    const { usage, ...call } = withUsage(row);
    return { ...call, at: Date.parse(started_at), usage: is_doubted === true ? null : usage, estimated };
  });
}

/**
 * What was used by the generations of a world, at a turn, in an attempt, or in one for a subject; or by those of several
 * attempts, subjects or worlds, each apart.
 * @param tiers the inputs above which a token costs something else
 */
export async function listUsed(
  runner: Runner,
  { of, ...wanted }: WantedCalls,
  tiers: readonly number[],
): Promise<readonly UsedTogether[]> {
  const values = { ...wanted, tiers: tiers.map((start) => start + 1) };
  return (await run<Omit<UsedTogether, 'usage'> & CountColumns>(runner, USED[of], values)).map(withUsage);
}

function withUsage<Row extends CountColumns>(
  row: Row,
): Omit<Row, keyof CountColumns> & { readonly usage: TokenUsage | null } {
  const { input_tokens, output_tokens, cached_input_tokens, cache_written_input_tokens, reasoning_tokens, ...call } =
    row;
  const parts = { cached_input_tokens, cache_written_input_tokens, reasoning_tokens };
  const known = Object.fromEntries(Object.entries(parts).filter(([, count]) => count !== null));
  const isCounted = input_tokens !== null && output_tokens !== null;
  return { ...call, usage: isCounted ? { input_tokens, output_tokens, ...known } : null };
}

const PROMPTS = prepare(
  'sent_prompts',
  `SELECT made.conversation, made.message_count, made.model
   FROM source_invocations AS asked
     JOIN llm_calls AS made ON made.world_slug = asked.world_slug AND made.llm_call_id = asked.llm_call_id
   WHERE asked.world_slug = :world_slug AND asked.attempt_id = :attempt_id::uuid
   ORDER BY asked.invocation_seq`,
);

const PIECES = prepare(
  'sent_pieces',
  `SELECT listed.conversation, listed.position, pieces.origin, pieces.text
   FROM llm_conversation_messages AS listed JOIN llm_message_pieces AS pieces USING (message_hash)
   WHERE listed.world_slug = :world_slug AND listed.attempt_id = :attempt_id::uuid
   ORDER BY listed.conversation, listed.position, pieces.position`,
);

export async function listSentPrompts(runner: Runner, attempt: InAttempt) {
  const prompts = await run<SentPrompt>(runner, PROMPTS, { ...attempt });
  const pieces = await run<Omit<PromptPiece, 'text'> & { readonly text: Buffer }>(runner, PIECES, { ...attempt });
  return { prompts, pieces: pieces.map((piece): PromptPiece => ({ ...piece, text: piece.text.toString('utf8') })) };
}
