import { contentHash } from '../content/canonical.js';
import { sha256 } from '../content/sha256.js';
import { OF_AUTHOR, OF_MODEL, OF_SCENARIO, type Origins, textOfPieces } from './origins.js';

/** What put a piece into a prompt. */
export type SegmentOrigin =
  | 'author'
  | 'world'
  | 'world.projection'
  | 'world.recent_events'
  | 'subject'
  | 'subject.rendered'
  | 'subject.own_turns'
  | 'memory.pinned'
  | 'memory.retrieved'
  | 'ambient.visible'
  | 'tools.available'
  | 'nodes'
  | 'schema'
  | 'model'
  | 'tool_result'
  | 'correction'
  | 'last_lap'
  | 'reasoning'
  | 'function_call'
  | 'call_id';

/** A piece of a prompt. Equal pieces are stored once. */
export interface Segment {
  readonly origin: SegmentOrigin;
  readonly text: string;
  /** Left out where they follow from what put it there. */
  readonly origins?: Origins;
}

/** The origins of a segment. A segment of the world on which nothing is noted may hold anything that a patch wrote. */
export function originsOf({ origin, origins }: Pick<Segment, 'origin' | 'origins'>): Origins {
  return origins ?? IMPLIED[origin] ?? ['model', 'world'];
}

/** What follows from the kind of a segment alone. A correction quotes what the model has said. */
const IMPLIED: Readonly<Partial<Record<SegmentOrigin, Origins>>> = {
  author: OF_AUTHOR,
  schema: OF_AUTHOR,
  last_lap: OF_AUTHOR,
  'tools.available': OF_AUTHOR,
  world: OF_SCENARIO,
  subject: OF_SCENARIO,
  'memory.pinned': OF_SCENARIO,
  model: OF_MODEL,
  reasoning: OF_MODEL,
  function_call: OF_MODEL,
  call_id: OF_MODEL,
  correction: ['author', 'model'],
};

/** One message, made of pieces. Its content is their concatenation. */
export interface Message {
  /** `tool`: the result of a native call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly segments: readonly Segment[];
  /** SHA-256 over role and content, 64 hex digits. */
  readonly hash: string;
}

/** The empty conversation's prefix hash. */
export const EMPTY_PREFIX = sha256('');

export function toMessage(role: Message['role'], segments: readonly Segment[]): Message {
  return { role, segments, hash: messageHash(role, sha256(contentOf({ segments }))) };
}

function messageHash(role: string, content_hash: string): string {
  return contentHash({ role, content: content_hash });
}

/** The prefix hash of a conversation after none, one, ... and all of its messages, from the SHA-256 of each content. */
export function listPrefixes(
  messages: readonly { readonly role: string; readonly content_hash: string }[],
): readonly [string, ...string[]] {
  const prefixes: [string, ...string[]] = [EMPTY_PREFIX];
  let last = EMPTY_PREFIX;
  for (const { role, content_hash } of messages) {
    last = extendPrefix(last, { hash: messageHash(role, content_hash) });
    prefixes.push(last);
  }
  return prefixes;
}

/** What put a piece into a message, its bytes, and its origins, joined by spaces; null where they follow from what put it there. */
export type PieceOrigin = readonly [origin: string, bytes: number, comes_from: string | null];

/** Names which piece of a prompt has which origins. The hash of its prefix names the texts. */
export function hashPieceOrigins(messages: readonly (readonly PieceOrigin[])[]): string {
  return contentHash(messages);
}

/** The origins of the pieces of messages, as their record has them. */
export function listPieceOrigins(messages: readonly Pick<Message, 'segments'>[]): readonly (readonly PieceOrigin[])[] {
  return messages.map(({ segments }) =>
    segments.map(({ origin, text, origins }) => [origin, Buffer.byteLength(text), origins?.join(' ') ?? null] as const),
  );
}

export function contentOf(message: Pick<Message, 'segments'>): string {
  return textOfPieces(message.segments);
}

/** The hash of a conversation one message longer: a call's record names it instead of repeating the messages. */
export function extendPrefix(prefixHash: string, message: Pick<Message, 'hash'>): string {
  return sha256(`${prefixHash}\n${message.hash}`);
}
