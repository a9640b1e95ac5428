import { Buffer } from 'node:buffer';
import type { Seal } from '../../core/ledger/seal.js';
import { toTimestamp, type Values } from '../statement.js';

/**
 * The clause that writes a seal after the last one of its world, which is locked.
 * @param from the clause that has a row where the seal is to be written, with `world_slug`
 */
export function sealRow(from: string, source_invocation_id = 'NULL::uuid'): string {
  return `
  seal AS (
    INSERT INTO seals (world_slug, seal_seq, attempt_id, source_invocation_id, leaf_hashes, root, previous_root,
      sealed_at)
    SELECT ${from}.world_slug, coalesce(last.seal_seq, 0) + 1, :attempt_id::uuid, ${source_invocation_id},
      :leaf_hashes::bytea, :root::bytea, last.root, :sealed_at::timestamptz
    FROM ${from} LEFT JOIN LATERAL (
      SELECT seal_seq, root FROM seals WHERE seals.world_slug = ${from}.world_slug
      ORDER BY seal_seq DESC LIMIT 1) AS last ON true)`;
}

/** The values of that clause. @param at milliseconds since 1970 */
export function toSeal({ leaf_hashes, root }: Seal, at: number): Values {
  return { leaf_hashes: Buffer.concat(leaf_hashes), root, sealed_at: toTimestamp(at) };
}
