import { contentHash } from '../content/canonical.js';
import { sha256 } from '../content/sha256.js';

/** Where a piece of a prompt came from. */
export type SegmentOrigin =
  | 'author'
  | 'world'
  | 'world.projection'
  | 'world.recent_events'
  | 'subject'
  | 'subject.rendered'
  | 'ambient.visible'
  | 'tools.available'
  | 'nodes'
  | 'schema'
  | 'model'
  | 'tool_result'
  | 'correction'
  | 'last_lap';

/** A piece of a prompt. Equal pieces are stored once. */
export interface Segment {
  readonly origin: SegmentOrigin;
  readonly text: string;
}

/** One message, made of pieces. Its content is their concatenation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly segments: readonly Segment[];
  /** SHA-256 over role and content, 64 hex digits. */
  readonly hash: string;
}

/** The empty conversation's prefix hash. */
export const EMPTY_PREFIX = sha256('');

export function toMessage(role: Message['role'], segments: readonly Segment[]): Message {
  return { role, segments, hash: contentHash({ role, content: sha256(contentOf({ segments })) }) };
}

export function contentOf(message: Pick<Message, 'segments'>): string {
  return message.segments.map((segment) => segment.text).join('');
}

/** The hash of a conversation one message longer: a call's record names it instead of repeating the messages. */
export function extendPrefix(prefixHash: string, message: Message): string {
  return sha256(`${prefixHash}\n${message.hash}`);
}
