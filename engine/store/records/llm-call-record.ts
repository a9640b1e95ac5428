import { present } from '../../contract/present.js';
import { originsOf } from '../../core/prompt/message.js';
import type { Origins } from '../../core/prompt/origins.js';
import type { NotNull } from 'kysely';
import type { ResponseSource } from '../../generated/response-source.js';
import type { LlmCallRecord, PromptMessage, TryOfLane } from '../../ports/records.js';
import { type Artifact, withDerived } from '../attempts/derived-artifacts.js';
import { decodePieces } from '../pieces.js';
import { type InAttempt, query } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';
import type { LlmCalls } from '../tables.js';
import { CHILDREN } from './invocation-rows.js';
import { callState } from './work-state.js';

/** One generation: its prompt, its streamed text, and its cost. */
export async function findLlmCall(runner: Runner, llm_call_id: string): Promise<LlmCallRecord | undefined> {
  const [row] = await readCall(runner, { llm_call_id });
  if (!row) return undefined;
  const { conversation: _conversation, message_count: _count, schema, source, artifacts, ...others } = row;
  const { input_tokens, output_tokens, cached_input_tokens, cache_written_input_tokens, reasoning_tokens, ...columns } =
    others;
  const stream = toStream(await readBatches(runner, row));
  const said = row.model_output_kind === null ? null : stream.raw_text;
  const tries = await run<TryOfLane>(runner, TRIES, toLane(row));
  const normalised_text = row.normalised_text?.toString('utf8') ?? said;
  return {
    ...columns,
    source_label: source.label,
    interface: source.interface,
    items: row.items as unknown as LlmCallRecord['items'],
    retrieved: row.retrieved as unknown as LlmCallRecord['retrieved'],
    output_schema: schema,
    normalised_text,
    messages: withOrigins(await listMessages(runner, row), tries, llm_call_id),
    tries,
    ...stream,
    artifacts: withDerived(Array.isArray(artifacts) ? artifacts.filter((it) => it !== null) : [], {
      ...row,
      normalised_text,
    }),
    tokens:
      input_tokens === null || output_tokens === null
        ? null
        : { input_tokens, output_tokens, cached_input_tokens, cache_written_input_tokens, reasoning_tokens },
  };
}

/** Columns of a call that every generation has, and the documents in its columns. */
interface OfGeneration {
  readonly workflow_hash: NotNull;
  readonly workflow_node_id: NotNull;
  readonly workflow_subject_entity_id: NotNull;
  readonly logical_generation_attempt: NotNull;
  readonly tool_loop_round: NotNull;
  readonly artifacts: readonly Artifact[];
  readonly source: Pick<ResponseSource, 'label' | 'interface'>;
}

const readCall = query(({ from, sql }, { llm_call_id }: Pick<LlmCalls, 'llm_call_id'>) =>
  from('llm_calls as calls')
    .innerJoin('source_invocations as asked', 'asked.source_invocation_id', 'calls.source_invocation_id')
    .whereRef('asked.world_slug', '=', 'calls.world_slug')
    .innerJoin('response_sources as sources', 'sources.hash', 'asked.source_hash')
    .innerJoin('offered_schemas as offered', 'offered.hash', 'calls.output_schema_hash')
    .select(['calls.llm_call_id', 'calls.source_invocation_id', 'calls.attempt_id', 'calls.world_slug'])
    .select(['asked.command_key', 'asked.attempted_turn', 'asked.workflow_hash', 'asked.workflow_node_id'])
    .select(['asked.workflow_subject_entity_id', 'asked.logical_generation_attempt', 'asked.tool_loop_round'])
    .select(['asked.model_output_kind', 'calls.status', 'calls.model', 'calls.schema_delivery', 'calls.prefix_hash'])
    .select(['calls.endpoint_origin', 'calls.delivered_schema_hash', 'calls.output_schema_hash', 'calls.finish_reason'])
    .select(['asked.invocation_kind', 'asked.parent_source_invocation_id'])
    .select(['calls.conversation', 'calls.message_count'])
    .select('asked.response_json as items')
    .select(['calls.normalised_text', 'calls.started_at', 'calls.ended_at', 'asked.source_hash'])
    .select(['asked.failure_class', 'asked.failure_detail', 'asked.failure_message', 'asked.duration_ms'])
    .select(['calls.input_tokens', 'calls.output_tokens', 'calls.cached_input_tokens', 'calls.reasoning_tokens'])
    .select(['calls.cache_written_input_tokens', 'calls.max_output_tokens', 'calls.retrieved'])
    .select(['calls.artifacts', 'sources.content as source', 'offered.content as schema', ...callState(sql, 'calls')])
    .select(sql.raw<readonly string[]>(CHILDREN).as('child_source_invocation_ids'))
    .where('calls.llm_call_id', '=', llm_call_id)
    .$narrowType<OfGeneration>(),
);

// Each half is found by an index of its own. A patch is one of the turn, whichever attempt has committed it.
const TRIES = prepare(
  'tries_of_lane',
  `WITH known AS (
     SELECT calls.* FROM source_invocations AS calls
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
       AND workflow_subject_entity_id = :subject AND workflow_node_id = :node
     UNION ALL
     SELECT calls.* FROM adopted_calls JOIN source_invocations AS calls USING (world_slug, source_invocation_id)
     WHERE world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid
       AND workflow_subject_entity_id = :subject AND workflow_node_id = :node)
   SELECT llm_call_id, tool_loop_round, logical_generation_attempt, message_count, model_output_kind, known.status,
     failure_class, failure_detail,
     (SELECT coalesce(json_agg(json_build_object('source_invocation_id', children.source_invocation_id,
        'tool_name', tool_name) ORDER BY invocation_seq), '[]') FROM source_invocations AS children
      WHERE children.world_slug = known.world_slug
        AND children.parent_source_invocation_id = known.source_invocation_id
        AND children.tool_name IS NOT NULL) AS elected,
     (SELECT patch_seq FROM world_patches AS patches
      WHERE patches.world_slug = known.world_slug AND patches.turn = known.attempted_turn
        AND patches.source_invocation_id = known.source_invocation_id) AS patch_seq
   FROM known JOIN llm_calls USING (world_slug, llm_call_id) WHERE conversation = :conversation
   ORDER BY message_count, llm_call_id`,
);

const toLane = ({
  world_slug,
  attempt_id,
  conversation,
  workflow_subject_entity_id: subject,
  workflow_node_id: node,
}: Conversation & Pick<LlmCallRecord, 'workflow_subject_entity_id' | 'workflow_node_id'>) => ({
  world_slug,
  attempt_id,
  conversation,
  subject,
  node,
});

type Said = Pick<PromptMessage, 'role' | 'content' | 'segments'>;

/** After a try come its answer and what the answer led to: a tool's result, or a correction. */
function withOrigins(
  messages: readonly Said[],
  tries: readonly TryOfLane[],
  llm_call_id: string,
): readonly PromptMessage[] {
  const before = tries[tries.findIndex((one) => one.llm_call_id === llm_call_id) - 1];
  const tryOf = (count: number) => tries.findLast(({ message_count }) => message_count === count);
  return messages.map((message, index) => {
    const asked = message.role === 'assistant' ? undefined : tryOf(index - 1);
    const tool = asked?.elected.at(-1);
    const writer = message.role === 'assistant' ? tryOf(index) : tool === undefined ? asked : undefined;
    return {
      ...message,
      is_new: before !== undefined && index >= before.message_count,
      llm_call_id: writer?.llm_call_id ?? null,
      source_invocation_id: tool?.source_invocation_id ?? null,
    };
  });
}

async function listMessages(runner: Runner, call: Conversation): Promise<readonly Said[]> {
  const messages: { role: string; content: string; segments: Said['segments'][number][] }[] = [];
  for (const { position, role, origin, text, comes_from } of await readPieces(runner, call)) {
    const message = (messages[position - 1] ??= { role, content: '', segments: [] });
    if (origin === null || text === null) continue;
    const piece = text.toString('utf8');
    message.content += piece;
    const origins = comes_from?.split(' ') as Origins | undefined;
    message.segments.push({ origin, characters: piece.length, origins: originsOf(present({ origin, origins })) });
  }
  return messages;
}

type Conversation = InAttempt & Pick<LlmCalls, 'conversation' | 'message_count'>;

const readPieces = query(({ from }, call: Conversation) =>
  from('llm_conversation_messages as listed')
    .innerJoin('llm_messages', 'llm_messages.message_hash', 'listed.message_hash')
    .leftJoin('llm_message_pieces as pieces', 'pieces.message_hash', 'listed.message_hash')
    .select(['listed.position', 'llm_messages.role', 'pieces.origin', 'pieces.text', 'pieces.comes_from'])
    .where('listed.world_slug', '=', call.world_slug)
    .where('listed.attempt_id', '=', call.attempt_id)
    .where('listed.conversation', '=', call.conversation)
    .where('listed.position', '<=', call.message_count)
    .orderBy('listed.position')
    .orderBy('pieces.position')
    .$narrowType<{ position: NotNull }>(),
);

const readBatches = query(({ from }, { world_slug, llm_call_id }: Pick<LlmCalls, 'world_slug' | 'llm_call_id'>) =>
  from('llm_streams')
    .select(['text', 'pieces'])
    .where((eb) => eb.and({ world_slug, llm_call_id }))
    .orderBy('batch_seq')
    .$narrowType<{ text: NotNull; pieces: NotNull }>(),
);

interface Batch {
  readonly text: Buffer;
  readonly pieces: Buffer;
}

/** The pieces as they came, and their text as one: bytes are joined before they are read, so no character is cut. */
function toStream(batches: readonly Batch[]): Pick<LlmCallRecord, 'chunks' | 'raw_text'> {
  return {
    raw_text: Buffer.concat(batches.map(({ text }) => text)).toString('utf8'),
    chunks: batches.flatMap(toChunks),
  };
}

function toChunks({ text, pieces }: Batch): LlmCallRecord['chunks'] {
  const { lengths, offsets_ms } = decodePieces(pieces);
  let start = 0;
  return lengths.map((length, index) => {
    const piece = text.toString('utf8', start, start + length);
    start += length;
    return { text: piece, offset_ms: offsets_ms[index] ?? 0 };
  });
}
