import { type Kysely, sql } from 'kysely';
import type { ResponseSource } from '../../generated/response-source.js';
import type { LlmCallRecord } from '../../ports/records.js';
import { type Artifact, withDerived } from '../attempts/derived-artifacts.js';
import type { Connections } from '../database.js';
import { decodePieces } from '../pieces.js';
import { openQueries } from '../queries.js';
import { toJson } from '../stored-json.js';
import type { DB } from '../tables.js';
import { isDriven, isSuperseded } from './work-state.js';

type Queries = Kysely<DB>;

/** One generation: its prompt, its streamed text, and its cost. */
export async function findLlmCall(pool: Connections, llm_call_id: string): Promise<LlmCallRecord | undefined> {
  const queries = openQueries(pool);
  const row = await selectCall(queries, llm_call_id);
  if (!row) return undefined;
  const { conversation, message_count, schema, source, artifacts, ...others } = row;
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, ...columns } = others;
  const key = { world_slug: row.world_slug, llm_call_id };
  const stream = toStream(await listBatches(queries, key));
  const said = row.model_output_kind === null ? null : stream.raw_text;
  const normalised_text = row.normalised_text?.toString('utf8') ?? said;
  const { label, interface: asked } = toJson(source) as unknown as Pick<ResponseSource, 'label' | 'interface'>;
  return {
    ...columns,
    source_label: label,
    interface: asked,
    output_schema: toJson(schema),
    normalised_text,
    messages: await listMessages(queries, { ...row, conversation, message_count }),
    ...stream,
    artifacts: withDerived(toJson(artifacts) as unknown as readonly Artifact[], { ...row, normalised_text }),
    tokens:
      input_tokens === null || output_tokens === null
        ? null
        : { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens },
  };
}

/** Columns of a call that every generation has. */
interface OfGeneration {
  readonly workflow_hash: string;
  readonly workflow_node_id: string;
  readonly workflow_subject_entity_id: string;
  readonly logical_generation_attempt: number;
  readonly tool_loop_round: number;
}

function selectCall(queries: Queries, llm_call_id: string) {
  return queries
    .selectFrom('llm_calls as calls')
    .innerJoin('source_invocations as asked', (join) =>
      join
        .onRef('asked.world_slug', '=', 'calls.world_slug')
        .onRef('asked.source_invocation_id', '=', 'calls.source_invocation_id'),
    )
    .innerJoin('response_sources as sources', 'sources.hash', 'asked.source_hash')
    .innerJoin('offered_schemas as offered', 'offered.hash', 'calls.output_schema_hash')
    .select(['calls.llm_call_id', 'calls.source_invocation_id', 'calls.attempt_id', 'calls.world_slug'])
    .select(['asked.command_key', 'asked.attempted_turn', 'asked.workflow_hash', 'asked.workflow_node_id'])
    .select(['asked.workflow_subject_entity_id', 'asked.logical_generation_attempt', 'asked.tool_loop_round'])
    .select(['asked.model_output_kind', 'calls.status', 'calls.model', 'calls.schema_delivery', 'calls.prefix_hash'])
    .select(['calls.endpoint_origin', 'calls.delivered_schema_hash'])
    .select(['calls.output_schema_hash', 'calls.finish_reason', 'calls.conversation', 'calls.message_count'])
    .select(['calls.normalised_text', 'calls.started_at', 'calls.ended_at', 'asked.source_hash'])
    .select(['asked.failure_class', 'asked.failure_detail', 'asked.failure_message', 'asked.duration_ms'])
    .select(['calls.input_tokens', 'calls.output_tokens', 'calls.cached_input_tokens', 'calls.reasoning_tokens'])
    .select(['calls.artifacts', 'sources.content as source', 'offered.content as schema'])
    .select(sql<boolean>`${sql.raw(isSuperseded('calls'))}`.as('is_superseded'))
    .select(sql<boolean>`${sql.raw(isDriven('calls'))}`.as('is_driven'))
    .where('calls.llm_call_id', '=', llm_call_id)
    .$narrowType<OfGeneration>()
    .executeTakeFirst();
}

interface ConversationKey {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly conversation: string;
  readonly message_count: number;
}

async function listMessages(queries: Queries, call: ConversationKey): Promise<LlmCallRecord['messages']> {
  const pieces = await selectPieces(queries, call);
  const messages: { role: string; content: string; segments: { origin: string; characters: number }[] }[] = [];
  for (const { position, role, origin, text } of pieces) {
    const message = (messages[position - 1] ??= { role, content: '', segments: [] });
    if (origin === null || text === null) continue;
    const piece = text.toString('utf8');
    message.content += piece;
    message.segments.push({ origin, characters: piece.length });
  }
  return messages;
}

function selectPieces(queries: Queries, call: ConversationKey) {
  return queries
    .selectFrom('llm_conversation_messages as listed')
    .innerJoin('llm_messages', 'llm_messages.message_hash', 'listed.message_hash')
    .leftJoin('llm_message_pieces as pieces', 'pieces.message_hash', 'listed.message_hash')
    .select(['listed.position', 'llm_messages.role', 'pieces.origin', 'pieces.text'])
    .where('listed.world_slug', '=', call.world_slug)
    .where('listed.attempt_id', '=', call.attempt_id)
    .where('listed.conversation', '=', call.conversation)
    .where('listed.position', '<=', call.message_count)
    .orderBy('listed.position')
    .orderBy('pieces.position')
    .$narrowType<{ position: number }>()
    .execute();
}

interface CallKey {
  readonly world_slug: string;
  readonly llm_call_id: string;
}

interface Batch {
  readonly text: Buffer;
  readonly pieces: Buffer;
}

function listBatches(queries: Queries, { world_slug, llm_call_id }: CallKey): Promise<readonly Batch[]> {
  return queries
    .selectFrom('llm_streams')
    .select(['text', 'pieces'])
    .where('world_slug', '=', world_slug)
    .where('llm_call_id', '=', llm_call_id)
    .orderBy('batch_seq')
    .$narrowType<Batch>()
    .execute();
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
