import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { JsonObject } from '../../../../engine/contract/json.js';
import type { OpenDatabase } from '../../../../engine/store/database.js';
import type { CapturedCall } from '../../stage/captured-call.js';
import type { BareAnswer } from '../bare-turn.js';
import { inOne, insert, type Runner, update } from './plain-sql.js';

/** An attempt while it is recorded. */
export interface OpenAttempt {
  readonly id: string;
  readonly turn: number;
  /** Issued calls, by key. */
  readonly calls: Map<string, string>;
  /** How many messages of each conversation are recorded. */
  readonly conversations: Map<string, number>;
}

/** A call that was recorded as begun. */
interface BegunCall {
  readonly id: string;
  readonly key: string;
  readonly llm_call_id: string | undefined;
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: JsonObject;
}

const offered = new Set<string>();

/** Records a call before it is made: the call, and of a generation its prompt. */
export async function recordStart(
  database: Pick<OpenDatabase, 'query' | 'pool'>,
  attempt: OpenAttempt,
  call: CapturedCall,
): Promise<BegunCall> {
  const id = uuid();
  const key = call.client_request_id.split('/').slice(2).join('/');
  const parent = attempt.calls.get(key.replace(/\/tool$/, '')) ?? null;
  attempt.calls.set(key, id);
  const row = {
    id,
    attempt_id: attempt.id,
    slug: 'bench',
    turn: attempt.turn,
    seq: attempt.calls.size,
    command_key: key,
    parent_id: parent,
    kind: call.to,
    request_hash: hashOf(JSON.stringify(call.body)),
    status: 'running',
  };
  if (call.to === 'toy') {
    await insert(database, 'floor_calls', { ...row, request: JSON.stringify(call.body) });
    return { id, key, llm_call_id: undefined };
  }
  const llm_call_id = uuid();
  const body = call.body as unknown as ChatBody;
  const { messages: _messages, response_format: _schema, ...settings } = body;
  await inOne(database.pool, async (client) => {
    await insert(client, 'floor_calls', { ...row, request: JSON.stringify(settings) });
    await recordSaid(client, attempt, { key, llm_call_id, call_id: id, body });
  });
  return { id, key, llm_call_id };
}

interface Said {
  readonly key: string;
  readonly llm_call_id: string;
  readonly call_id: string;
  readonly body: ChatBody;
}

/** Messages that earlier rounds have recorded are not recorded again, nor is a schema. */
async function recordSaid(client: Runner, attempt: OpenAttempt, said: Said): Promise<void> {
  const { model, messages, response_format } = said.body;
  const conversation = said.key.split('/').slice(0, 2).join('/');
  const schema = JSON.stringify(response_format ?? null);
  const schema_hash = hashOf(schema);
  if (!offered.has(schema_hash)) await insert(client, 'floor_schemas', { hash: schema_hash, content: schema });
  offered.add(schema_hash);
  const recorded = attempt.conversations.get(conversation) ?? 0;
  for (const [index, { role, content }] of messages.entries()) {
    if (index < recorded) continue;
    const place = { attempt_id: attempt.id, conversation, position: index + 1 };
    await insert(client, 'floor_messages', { ...place, role, content });
  }
  attempt.conversations.set(conversation, messages.length);
  const { llm_call_id: id, call_id } = said;
  const row = { id, call_id, model, schema_hash, conversation, message_count: messages.length, status: 'running' };
  await insert(client, 'floor_llm_calls', row);
}

/** Records the end of a call: the answer, and of a generation its stream, its tokens and its verdict. */
export async function recordEnd(
  database: Pick<OpenDatabase, 'query' | 'pool'>,
  call: BegunCall,
  answer: BareAnswer,
): Promise<void> {
  const { id, llm_call_id } = call;
  const ended = {
    status: 'succeeded',
    headers: JSON.stringify(answer.headers),
    http_status: answer.status,
    ended_at: new Date(),
    ...(llm_call_id === undefined ? { response: answer.text } : {}),
  };
  await inOne(database.pool, async (client) => {
    await update(client, 'floor_calls', id, ended);
    if (llm_call_id !== undefined) await recordGeneration(client, llm_call_id, answer);
  });
}

async function recordGeneration(client: Runner, llm_call_id: string, answer: BareAnswer): Promise<void> {
  const { text, pieces, usage, finish_reason } = answer;
  const parsed = JSON.parse(text) as { readonly kind: string };
  await update(client, 'floor_llm_calls', llm_call_id, {
    status: 'succeeded',
    normalised_text: text.trim(),
    output_kind: parsed.kind,
    finish_reason,
  });
  await insert(client, 'floor_chunks', {
    llm_call_id,
    batch_seq: 1,
    text,
    lengths: pieces.map((piece) => Buffer.byteLength(piece.text)),
    offsets_ms: pieces.map((piece) => Math.round(piece.offset_ms)),
  });
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage;
  await insert(client, 'floor_tokens', { llm_call_id, input_tokens, output_tokens });
  const artifacts = { provider: { finish_reason }, parsed, output_kind: parsed.kind };
  for (const [index, [kind, value]] of Object.entries(artifacts).entries())
    await insert(client, 'floor_artifacts', { llm_call_id, seq: index + 1, kind, value: JSON.stringify(value) });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
