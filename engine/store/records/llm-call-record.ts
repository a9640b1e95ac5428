import type { ResponseSource } from '../../generated/response-source.js';
import type { LlmCallRecord } from '../../ports/records.js';
import { withDerived } from '../attempts/derived-artifacts.js';
import { decodePieces } from '../pieces.js';
import { prepare, run, type Runner } from '../statement.js';

const CALL = prepare(
  'find_llm_call',
  `SELECT calls.llm_call_id, calls.source_invocation_id, calls.attempt_id, calls.world_slug, asked.command_key,
     asked.attempted_turn, asked.workflow_hash, asked.workflow_node_id, asked.workflow_subject_entity_id,
     asked.logical_generation_attempt, asked.tool_loop_round, asked.model_output_kind, calls.status, calls.model,
     calls.schema_delivery, calls.prefix_hash, calls.endpoint_origin, calls.delivered_schema_hash,
     calls.output_schema_hash, calls.finish_reason, calls.conversation, calls.message_count, calls.normalised_text,
     calls.started_at, calls.ended_at, asked.source_hash, asked.failure_class, asked.failure_detail,
     asked.failure_message, calls.input_tokens, calls.output_tokens, calls.cached_input_tokens, calls.reasoning_tokens,
     sources.content AS source, offered.content AS output_schema,
     EXISTS (
       SELECT FROM attempt_events AS noted
       WHERE noted.world_slug = calls.world_slug AND noted.attempt_id = calls.attempt_id
         AND noted.source_invocation_id = calls.source_invocation_id
         AND noted.event_kind = 'call_superseded') AS is_superseded,
     (SELECT coalesce(json_agg(json_build_object('kind', kind, 'value', value) ORDER BY artifact_seq), '[]')
      FROM llm_artifacts AS artifacts
      WHERE artifacts.world_slug = calls.world_slug AND artifacts.llm_call_id = calls.llm_call_id) AS artifacts
   FROM llm_calls AS calls
     JOIN source_invocations AS asked ON asked.world_slug = calls.world_slug
       AND asked.source_invocation_id = calls.source_invocation_id
     JOIN response_sources AS sources ON sources.hash = asked.source_hash
     JOIN offered_schemas AS offered ON offered.hash = calls.output_schema_hash
   WHERE calls.llm_call_id = :llm_call_id::uuid`,
);

interface Row
  extends Omit<
    LlmCallRecord,
    | 'source_label'
    | 'interface'
    | 'messages'
    | 'raw_text'
    | 'normalised_text'
    | 'chunks'
    | 'tokens'
    | 'started_at'
    | 'ended_at'
  > {
  readonly conversation: string;
  readonly message_count: number;
  readonly normalised_text: Buffer | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly source: Pick<ResponseSource, 'label' | 'interface'>;
}

/** One generation: what was sent, what streamed in, and what it cost. */
export async function findLlmCall(runner: Runner, llm_call_id: string): Promise<LlmCallRecord | undefined> {
  const [row] = await run<Row>(runner, CALL, { llm_call_id });
  if (row === undefined) return undefined;
  const { conversation, message_count, started_at, ended_at, source, ...others } = row;
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, ...columns } = others;
  const { world_slug, attempt_id, model_output_kind } = row;
  const stream = toStream(await run<Batch>(runner, BATCHES, { world_slug, llm_call_id }));
  const said = model_output_kind === null ? null : stream.raw_text;
  const normalised_text = row.normalised_text?.toString('utf8') ?? said;
  return {
    ...columns,
    source_label: source.label,
    interface: source.interface,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    normalised_text,
    messages: toMessages(await run<Piece>(runner, PIECES, { world_slug, attempt_id, conversation, message_count })),
    ...stream,
    artifacts: withDerived(columns.artifacts, { model_output_kind, normalised_text }),
    tokens:
      input_tokens === null || output_tokens === null
        ? null
        : { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens },
  };
}

const PIECES = prepare(
  'pieces_of_llm_call',
  `SELECT listed.position, llm_messages.role, pieces.origin, pieces.text
   FROM llm_conversation_messages AS listed JOIN llm_messages USING (message_hash)
     LEFT JOIN llm_message_pieces AS pieces USING (message_hash)
   WHERE listed.world_slug = :world_slug AND listed.attempt_id = :attempt_id::uuid
     AND listed.conversation = :conversation AND listed.position <= :message_count
   ORDER BY listed.position, pieces.position`,
);

interface Piece {
  readonly position: number;
  readonly role: string;
  readonly origin: string | null;
  readonly text: Buffer | null;
}

function toMessages(pieces: readonly Piece[]): LlmCallRecord['messages'] {
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

const BATCHES = prepare(
  'batches_of_llm_call',
  `SELECT text, pieces FROM llm_chunks
   WHERE world_slug = :world_slug AND llm_call_id = :llm_call_id::uuid ORDER BY batch_seq`,
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
