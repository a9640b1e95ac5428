import type { Generation } from '../../core/turn/command.js';
import type { Message } from '../../core/prompt/message.js';
import { canonicalText } from '../../core/content/canonical.js';
import { sha256 } from '../../core/content/sha256.js';
import type { Parameter } from '../statement.js';

/**
 * What a generation's start adds to what is stored of conversations. Texts and messages stand once, whoever sends
 * them; they are inserted in the order of their hashes.
 */
export const CONVERSATION_ROWS = `
  segments AS (
    INSERT INTO llm_segments (segment_hash, text)
    SELECT hash, text FROM counted, unnest(:segment_hashes::text[], :segment_texts::bytea[]) AS row (hash, text)
    ON CONFLICT DO NOTHING),
  messages AS (
    INSERT INTO llm_messages (message_hash, role, content_hash)
    SELECT hash, role::message_role, content_hash
    FROM counted, unnest(:message_hashes::text[], :message_roles::text[], :content_hashes::text[])
      AS row (hash, role, content_hash)
    ON CONFLICT DO NOTHING),
  pieces AS (
    INSERT INTO llm_message_segments (message_hash, position, origin, segment_hash)
    SELECT message_hash, position, origin::segment_origin, segment_hash
    FROM counted, unnest(:piece_messages::text[], :piece_positions::int[], :piece_origins::text[],
      :piece_segments::text[]) AS row (message_hash, position, origin, segment_hash)
    ON CONFLICT DO NOTHING),
  offered AS (
    INSERT INTO offered_schemas (hash, name, content)
    SELECT :offered_hash::text, :offered_name::text, :offered_schema::json FROM counted
    WHERE :offered_schema::text IS NOT NULL
    ON CONFLICT DO NOTHING),
  conversation AS (
    INSERT INTO llm_conversations (world_slug, attempt_id, conversation)
    SELECT world_slug, attempt_id, :conversation::text FROM counted
    ON CONFLICT DO NOTHING),
  listed AS (
    INSERT INTO llm_conversation_messages (world_slug, attempt_id, conversation, position, message_hash)
    SELECT world_slug, attempt_id, :conversation, position, message_hash
    FROM counted, unnest(:listed_positions::int[], :listed_messages::text[]) AS row (position, message_hash)
    ON CONFLICT DO NOTHING)`;

/** Rows to send, and what to call once they have been written. */
export interface ConversationRows {
  readonly values: Readonly<Record<string, Parameter>>;
  landed(): void;
}

/**
 * Remembers what this process has stored already, so that a round sends its new content only.
 * It is a saving, never the truth: what it has forgotten is sent again, and the database keeps one.
 */
export interface ConversationMemory {
  newRows(attempt_id: string, generation: Generation): ConversationRows;
  /** An attempt has ended: its conversations will not grow. */
  forget(attempt_id: string): void;
}

const REMEMBERED_MAX = 20_000;

/** A memory that begins empty. */
export function conversationMemory(): ConversationMemory {
  const lengths = new Map<string, Map<string, number>>();
  const stored = new Set<string>();
  const remember = (key: string): void => {
    if (stored.size >= REMEMBERED_MAX) stored.clear();
    stored.add(key);
  };
  return {
    newRows: (attempt_id, generation) => {
      const conversations = lengths.get(attempt_id) ?? new Map<string, number>();
      const listed = generation.messages.slice(conversations.get(generation.conversation) ?? 0).map(toStoredMessage);
      const messages = distinctMessages(listed).filter(({ message_hash }) => !stored.has(message_hash));
      const segments = distinctSegments(messages).filter(({ hash }) => !stored.has(segmentKey(hash)));
      const offered = stored.has(generation.offered.hash) ? null : canonicalText(generation.offered.schema);
      return {
        values: {
          ...toGenerationValues(generation, offered),
          ...toListedValues(generation.messages.length - listed.length, listed),
          ...toMessageValues(messages),
          ...toSegmentValues(segments),
        },
        landed: () => {
          lengths.set(attempt_id, conversations.set(generation.conversation, generation.messages.length));
          for (const { message_hash } of messages) remember(message_hash);
          for (const { hash } of segments) remember(segmentKey(hash));
          remember(generation.offered.hash);
        },
      };
    },
    forget: (attempt_id) => {
      lengths.delete(attempt_id);
    },
  };
}

interface StoredSegment {
  readonly origin: string;
  readonly hash: string;
  readonly text: string;
}

interface StoredMessage {
  readonly message: Message;
  readonly message_hash: string;
  readonly segments: readonly StoredSegment[];
}

function toStoredMessage(message: Message): StoredMessage {
  const segments = message.segments.map(({ origin, text }) => ({ origin, hash: sha256(text), text }));
  const message_hash = sha256(canonicalText([message.role, segments.map(({ origin, hash }) => [origin, hash])]));
  return { message, message_hash, segments };
}

function distinctMessages(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const byHash = new Map(messages.map((message) => [message.message_hash, message]));
  return [...byHash.values()].sort((one, other) => compare(one.message_hash, other.message_hash));
}

/** Text of others may read like a message or a schema, and would then have its hash. */
function segmentKey(hash: string): string {
  return `segment ${hash}`;
}

function distinctSegments(messages: readonly StoredMessage[]): readonly StoredSegment[] {
  const byHash = new Map(
    messages.flatMap(({ segments }) => segments.map((segment) => [segment.hash, segment] as const)),
  );
  return [...byHash.values()].sort((one, other) => compare(one.hash, other.hash));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function toGenerationValues(generation: Generation, offered_schema: string | null) {
  return {
    conversation: generation.conversation,
    message_count: generation.messages.length,
    prefix_hash: generation.prefix_hash,
    schema_delivery: generation.schema_delivery,
    offered_hash: generation.offered.hash,
    offered_name: generation.offered.name,
    offered_schema,
  };
}

function toListedValues(already: number, listed: readonly StoredMessage[]) {
  return {
    listed_positions: listed.map((_message, index) => already + index + 1),
    listed_messages: listed.map(({ message_hash }) => message_hash),
  };
}

function toSegmentValues(segments: readonly StoredSegment[]) {
  return {
    segment_hashes: segments.map(({ hash }) => hash),
    segment_texts: segments.map(({ text }) => Buffer.from(text)),
  };
}

function toMessageValues(messages: readonly StoredMessage[]) {
  const pieces = messages.flatMap(({ message_hash, segments }) =>
    segments.map((segment, index) => ({ ...segment, message_hash, position: index + 1 })),
  );
  return {
    message_hashes: messages.map(({ message_hash }) => message_hash),
    message_roles: messages.map(({ message }) => message.role),
    content_hashes: messages.map(({ message }) => message.hash),
    piece_messages: pieces.map(({ message_hash }) => message_hash),
    piece_positions: pieces.map(({ position }) => position),
    piece_origins: pieces.map(({ origin }) => origin),
    piece_segments: pieces.map(({ hash }) => hash),
  };
}
