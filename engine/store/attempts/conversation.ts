import { deliveredSchema, type Generation } from '../../core/protocol/command.js';
import type { Message } from '../../core/prompt/message.js';
import { canonicalText } from '../../core/content/canonical.js';
import { sha256 } from '../../core/content/sha256.js';
import type { Values } from '../statement.js';

/**
 * The rows that the starts of generations add to the stored conversations. A long text, a message or a schema has one
 * row, however many generations send it. A statement inserts all its new rows in the order of their hashes: two drivers
 * that add the same rows in different orders could wait for each other.
 */
export const CONVERSATION_ROWS = {
  segments: `
  segments AS (
    INSERT INTO llm_segments (segment_hash, text)
    SELECT hash, substr(:segment_bytes::bytea, start, bytes)
    FROM fence, json_to_recordset(:segments::json) AS row (hash text, start int, bytes int)
    ON CONFLICT DO NOTHING)`,
  messages: `
  messages AS (
    INSERT INTO llm_messages (message_hash, role, content_hash, origins, texts, segment_hashes, segment_origins)
    SELECT hash, role, content_hash, origins, texts, segment_hashes, segment_origins
    FROM fence, json_to_recordset(:messages::json) AS row (hash text, role message_role, content_hash text,
      origins segment_origin[], texts bytea[], segment_hashes sha256_hex[], segment_origins text[])
    ON CONFLICT DO NOTHING)`,
  offered: `
  offered AS (
    INSERT INTO offered_schemas (hash, name, content)
    SELECT hash, name, content
    FROM fence, json_to_recordset(:offered::json) AS row (hash text, name text, content json)
    ON CONFLICT DO NOTHING)`,
} as const;

/** Rows to insert, and a callback for after the commit. */
export interface ConversationRows {
  readonly values: Values;
  /** Of each conversation, the hashes of the messages that it did not have yet. */
  readonly added: ReadonlyMap<string, readonly string[]>;
  readonly kinds: readonly (keyof typeof CONVERSATION_ROWS)[];
  landed(): void;
}

/**
 * Remembers what this process has stored already, so that a round sends its new content only.
 * It is a cache, never the truth: forgotten content is sent again, and the database keeps one copy.
 */
export interface ConversationMemory {
  newRows(attempt_id: string, generations: readonly Generation[]): ConversationRows;
  /** An attempt has ended: its conversations will not grow. */
  forget(attempt_id: string): void;
}

const REMEMBERED_MAX = 20_000;

/** Bytes of a text that is worth a row of its own, so that equal ones are stored once. */
const SEGMENT_BYTES_MIN = 256;

/** A memory that begins empty. */
export function conversationMemory(): ConversationMemory {
  const lengths = new Map<string, Map<string, number>>();
  const stored = new Set<string>();
  const remember = (key: string): void => {
    if (stored.size >= REMEMBERED_MAX) stored.clear();
    stored.add(key);
  };
  return {
    newRows: (attempt_id, generations) => {
      const conversations = lengths.get(attempt_id) ?? new Map<string, number>();
      const added = new Map(
        generations.map(({ conversation, messages }) => {
          return [conversation, messages.slice(conversations.get(conversation) ?? 0).map(toStoredMessage)] as const;
        }),
      );
      const messages = distinctMessages([...added.values()].flat()).filter(
        ({ message_hash }) => !stored.has(message_hash),
      );
      const segments = distinctSegments(messages).filter(({ hash }) => !stored.has(segmentKey(hash)));
      const offered = distinctOffered(generations).filter(({ hash }) => !stored.has(hash));
      return {
        kinds: [
          ...(segments.length > 0 ? (['segments'] as const) : []),
          ...(messages.length > 0 ? (['messages'] as const) : []),
          ...(offered.length > 0 ? (['offered'] as const) : []),
        ],
        added: new Map([...added].map(([conversation, its]) => [conversation, its.map((one) => one.message_hash)])),
        values: { ...toSegmentValues(segments), messages: toMessageRows(messages), offered: toOfferedRows(offered) },
        landed: () => {
          for (const { conversation, messages } of generations) conversations.set(conversation, messages.length);
          lengths.set(attempt_id, conversations);
          for (const { message_hash } of messages) remember(message_hash);
          for (const { hash } of segments) remember(segmentKey(hash));
          for (const { hash } of offered) remember(hash);
        },
      };
    },
    forget: (attempt_id) => {
      lengths.delete(attempt_id);
    },
  };
}

interface StoredPiece {
  readonly origin: string;
  /** Its origins, joined; undefined where they follow from `origin`. */
  readonly comes_from: string | undefined;
  readonly hash: string;
  readonly bytes: Buffer;
}

interface StoredMessage {
  readonly message: Message;
  readonly message_hash: string;
  readonly pieces: readonly StoredPiece[];
}

function toStoredMessage(message: Message): StoredMessage {
  const pieces = message.segments.map(({ origin, text, origins }) => {
    return { origin, comes_from: origins?.join(' '), hash: sha256(text), bytes: Buffer.from(text) };
  });
  const named = pieces.map(({ origin, hash, comes_from }) => [
    origin,
    hash,
    ...(comes_from === undefined ? [] : [comes_from]),
  ]);
  const message_hash = sha256(canonicalText([message.role, named]));
  return { message, message_hash, pieces };
}

function isSegment({ bytes }: StoredPiece): boolean {
  return bytes.length >= SEGMENT_BYTES_MIN;
}

function distinctMessages(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const byHash = new Map(messages.map((message) => [message.message_hash, message]));
  return [...byHash.values()].sort((one, other) => compare(one.message_hash, other.message_hash));
}

/** Text of others may read like a message or a schema, and would then have its hash. */
function segmentKey(hash: string): string {
  return `segment ${hash}`;
}

function distinctSegments(messages: readonly StoredMessage[]): readonly StoredPiece[] {
  const segments = messages.flatMap(({ pieces }) => pieces.filter(isSegment));
  const byHash = new Map(segments.map((segment) => [segment.hash, segment]));
  return [...byHash.values()].sort((one, other) => compare(one.hash, other.hash));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type StoredSchema = ReturnType<typeof deliveredSchema>;

function distinctOffered(generations: readonly Generation[]): readonly StoredSchema[] {
  const schemas = generations.flatMap((generation) => [generation.offered, deliveredSchema(generation)]);
  const byHash = new Map(schemas.map((schema) => [schema.hash, schema]));
  return [...byHash.values()].sort((one, other) => compare(one.hash, other.hash));
}

/** A schema is stored as its hash was made, with the members in order. */
function toOfferedRows(offered: readonly StoredSchema[]): string {
  const rows = offered.map(({ hash, name, schema }) => canonicalText({ hash, name, content: schema }));
  return `[${rows.join(',')}]`;
}

/** Long texts go as one value, which is sent as it is: in JSON they would be written in digits, and read letter by letter. */
function toSegmentValues(segments: readonly StoredPiece[]) {
  let start = 1;
  const rows = segments.map(({ hash, bytes: { length: bytes } }) => {
    const row = { hash, start, bytes };
    start += bytes;
    return row;
  });
  return { segments: JSON.stringify(rows), segment_bytes: Buffer.concat(segments.map(({ bytes }) => bytes)) };
}

function toMessageRows(messages: readonly StoredMessage[]): string {
  return JSON.stringify(
    messages.map(({ message, message_hash, pieces }) => ({
      hash: message_hash,
      role: message.role,
      content_hash: message.hash,
      origins: pieces.map(({ origin }) => origin),
      texts: pieces.map((piece) => (isSegment(piece) ? null : `\\x${piece.bytes.toString('hex')}`)),
      segment_hashes: pieces.map((piece) => (isSegment(piece) ? piece.hash : null)),
      segment_origins: pieces.every(({ comes_from }) => comes_from === undefined)
        ? null
        : pieces.map(({ comes_from = null }) => comes_from),
    })),
  );
}
