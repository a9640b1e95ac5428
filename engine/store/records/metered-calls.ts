import type { TokenUsage } from '../../contract/source.js';
import { present } from '../../contract/present.js';
import type { MeteredCall } from '../../core/cost/cost.js';
import type { PromptPiece, SentPrompt } from '../../core/cost/prompt-parts.js';
import { COUNTS_DOUBTED, type CountedTokens, TOKENS_ESTIMATED } from '../../core/protocol/token-counts.js';
import type { WantedCalls } from '../../ports/browse.js';
import type { InAttempt } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';

// Superseded and adopted calls are few: they are found once, and not for each call. Only a call whose counts are missing or
// doubted has its artifacts read.
const metered = (where: string) =>
  prepare(
    'metered_calls',
    `WITH superseded AS MATERIALIZED (
     SELECT DISTINCT source_invocation_id FROM attempt_events
     WHERE world_slug = :world_slug AND event_kind = 'call_superseded' AND source_invocation_id IS NOT NULL),
   adopted AS MATERIALIZED (SELECT DISTINCT source_invocation_id FROM adopted_calls WHERE world_slug = :world_slug)
   SELECT asked.attempt_id, asked.attempted_turn, asked.workflow_subject_entity_id AS subject_id, asked.workflow_node_id AS node_id,
     made.model, made.endpoint_origin, made.started_at, made.status, superseded IS NOT NULL AS is_superseded,
     adopted IS NOT NULL AS is_adopted, made.input_tokens, made.output_tokens, made.cached_input_tokens,
     made.cache_written_input_tokens, made.reasoning_tokens, noted.is_doubted, noted.estimated
   FROM source_invocations AS asked
     JOIN llm_calls AS made ON made.world_slug = asked.world_slug AND made.llm_call_id = asked.llm_call_id
     LEFT JOIN superseded ON superseded.source_invocation_id = asked.source_invocation_id
     LEFT JOIN adopted ON adopted.source_invocation_id = asked.source_invocation_id
     LEFT JOIN LATERAL (
       SELECT bool_or(noted->>'kind' = '${COUNTS_DOUBTED}') AS is_doubted,
         (array_agg(noted->'value') FILTER (WHERE noted->>'kind' = '${TOKENS_ESTIMATED}'))[1] AS estimated
       FROM json_array_elements(CASE
         WHEN json_typeof(made.artifacts) = 'array'
           AND (made.input_tokens IS NULL OR made.artifacts::text LIKE '%"${COUNTS_DOUBTED}"%')
         THEN made.artifacts ELSE '[]' END) AS noted) AS noted ON true
   WHERE asked.world_slug = :world_slug AND asked.llm_call_id IS NOT NULL ${where}
   ORDER BY asked.attempt_id, asked.invocation_seq`,
  );

const OF_ATTEMPT = 'AND asked.attempt_id = :attempt_id::uuid';

// A text for each choice: the plan of one that left a condition open would read all calls of the world.
const CHOICES = {
  world: metered(''),
  turn: metered('AND asked.attempted_turn = :turn::bigint'),
  attempt: metered(OF_ATTEMPT),
  subject: metered(`${OF_ATTEMPT} AND asked.workflow_subject_entity_id = :subject_id`),
};

interface Row extends Omit<MeteredCall, 'usage' | 'estimated'> {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly cache_written_input_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly is_doubted: boolean | null;
  readonly estimated: CountedTokens | null;
}

/** The generations that were made in a world, at a turn, in an attempt, or in one for a subject. */
export async function listMeteredCalls(
  runner: Runner,
  { of, ...wanted }: WantedCalls,
): Promise<readonly MeteredCall[]> {
  return (await run<Row>(runner, CHOICES[of], wanted)).map(toMeteredCall);
}

function toMeteredCall(row: Row): MeteredCall {
  const { input_tokens, output_tokens, is_doubted, estimated, ...others } = row;
  const { cached_input_tokens, cache_written_input_tokens, reasoning_tokens, ...call } = others;
  const usage: TokenUsage | null =
    input_tokens === null || output_tokens === null || is_doubted === true
      ? null
      : {
          input_tokens,
          output_tokens,
          ...present({
            cached_input_tokens: cached_input_tokens ?? undefined,
            cache_written_input_tokens: cache_written_input_tokens ?? undefined,
            reasoning_tokens: reasoning_tokens ?? undefined,
          }),
        };
  return { ...call, usage, estimated };
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

/** What the generations of an attempt sent. */
export async function listSentPrompts(runner: Runner, attempt: InAttempt) {
  const prompts = await run<SentPrompt>(runner, PROMPTS, { ...attempt });
  const pieces = await run<Omit<PromptPiece, 'text'> & { readonly text: Buffer }>(runner, PIECES, { ...attempt });
  return { prompts, pieces: pieces.map((piece): PromptPiece => ({ ...piece, text: piece.text.toString('utf8') })) };
}
