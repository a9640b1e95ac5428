import type { JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { parseExactJson } from './exact-json.js';
import { type Hash, leafHash, nodeHash } from './merkle.js';
import { findMisshapen, type Shape } from './shape.js';

/** A seal as the log holds it: what a world's attempt left when it ended, or what a later settlement added. */
export interface SealStatement {
  readonly world_slug: string;
  /** 1-based, in its world. */
  readonly seal_seq: number;
  readonly attempt_id: string;
  /** Of a settlement, the call that it settles; else empty. */
  readonly source_invocation_id: string;
  /** How many entries it seals. */
  readonly entries: number;
  /** The root over all else that is said here and over its entries, 64 hex digits. */
  readonly root: string;
  /** The root of the seal before it in its world; empty for the first. */
  readonly previous_root: string;
  /** RFC 3339, in UTC. */
  readonly sealed_at: string;
}

/** What a seal says of its place: everything but its root. */
export type SealHeader = Omit<SealStatement, 'root'>;

/** The text of a header; the root of a whole seal is no part of it. */
export function headerText(seal: SealHeader): string {
  const { world_slug, seal_seq, attempt_id, source_invocation_id, entries, previous_root, sealed_at } = seal;
  return canonicalText({ world_slug, seal_seq, attempt_id, source_invocation_id, entries, previous_root, sealed_at });
}

/**
 * The root of a seal: the node over its header and the tree of its entries. The header names the root before it, so the
 * last root of a world commits to all its seals.
 */
export function sealRoot(header: SealHeader, tree: Hash): Hash {
  return nodeHash(leafHash(headerText(header)), tree);
}

/** The text that is a leaf of the log. */
export function sealText(seal: SealStatement): string {
  return canonicalText({ ...seal });
}

const SHAPE: Shape = {
  world_slug: 'text',
  seal_seq: 'count',
  attempt_id: 'text',
  source_invocation_id: 'text',
  entries: 'count',
  root: 'text',
  previous_root: 'text',
  sealed_at: 'text',
};

/** The seal of a leaf's text; undefined where it is none. */
export function parseSeal(text: string): SealStatement | undefined {
  const parsed = parseExactJson(text);
  if (!parsed.ok || findMisshapen(parsed.value, SHAPE) !== undefined) return undefined;
  return parsed.value as JsonObject & SealStatement;
}
