import { Buffer } from 'node:buffer';
import { headerText } from '../../core/evidence/seal-text.js';
import type { Seal } from '../../core/ledger/seal.js';
import { toTimestamp, type Values } from '../statement.js';

/**
 * The clause that writes a seal after the last one of its world, which is locked. The root and the number of that one
 * complete the header, over which its own root is made.
 * @param from the clause that has a row where the seal is to be written, with `world_slug`
 */
export function sealRow(from: string, source_invocation_id = 'NULL::uuid'): string {
  return `
  seal AS (
    INSERT INTO seals (world_slug, seal_seq, attempt_id, source_invocation_id, leaf_hashes, root, previous_root,
      sealed_at)
    SELECT ${from}.world_slug, coalesce(last.seal_seq, 0) + 1, :attempt_id::uuid, ${source_invocation_id},
      :leaf_hashes::bytea,
      sha256('\\x01'::bytea || sha256('\\x00'::bytea || convert_to(:header_before::text
        || coalesce(encode(last.root, 'hex'), '') || '","seal_seq":' || coalesce(last.seal_seq, 0) + 1
        || :header_after::text, 'UTF8')) || :tree_root::bytea),
      last.root, :sealed_at::timestamptz
    FROM ${from} LEFT JOIN LATERAL (
      SELECT seal_seq, root FROM seals WHERE seals.world_slug = ${from}.world_slug
      ORDER BY seal_seq DESC LIMIT 1) AS last ON true)`;
}

interface SealPlace {
  readonly world_slug: string;
  readonly attempt_id: string;
  /** Of a settlement, the call that it settles. */
  readonly source_invocation_id?: string;
}

/** The values of that clause. @param at milliseconds since 1970 */
export function toSeal({ leaf_hashes, tree_root }: Seal, place: SealPlace, at: number): Values {
  const { world_slug, attempt_id, source_invocation_id = '' } = place;
  const known = { world_slug, attempt_id, source_invocation_id, entries: leaf_hashes.length };
  const sealed_at = toTimestamp(at);
  const text = headerText({ ...known, sealed_at, previous_root: '', seal_seq: 0 });
  const [header_before, header_after] = text.split('","seal_seq":0', 2);
  return {
    leaf_hashes: Buffer.concat(leaf_hashes),
    tree_root,
    header_before: header_before ?? '',
    header_after: header_after ?? '',
    sealed_at,
  };
}
