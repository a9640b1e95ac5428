import type { SealRow } from './records/sealed.js';
import { canonicalText } from '../core/content/canonical.js';
import { type TakenPatch, toHashed } from '../core/facts/patch-hash.js';
import { inTransaction, type OpenDatabase } from './database.js';
import type { InAttempt, InWorld } from './queries.js';
import { prepare, run, type Runner } from './statement.js';

// The log of seals: what checkpoints sign. Hashes are made by who calls.

/** A seal that is no leaf of the log yet. */
interface UnloggedSeal extends Omit<SealRow, 'leaf_hashes' | 'root' | 'previous_root'> {
  /** How many it seals. */
  readonly entries: number;
  readonly root: Uint8Array;
  readonly previous_root: Uint8Array | null;
}

/** A state of the log that was signed. */
interface SignedState {
  readonly origin: string;
  readonly tree_size: number;
  readonly root: Uint8Array;
  readonly note: string;
}

/** The log as it is, and what is to be added. */
export interface LogState {
  /** The leaf hashes, one behind the other. */
  readonly leaves: Uint8Array;
  readonly unlogged: readonly UnloggedSeal[];
  /** The last signed state, of any key. */
  readonly last: SignedState | undefined;
}

/** What a checkpoint adds to the log. */
export interface LogGrowth {
  /** Of each unlogged seal, in their order. */
  readonly leaves: readonly { readonly seal: string; readonly leaf_hash: Uint8Array }[];
  readonly signed: SignedState;
  readonly made_at: string;
}

const LOCK = 'LOCK TABLE log_leaves IN SHARE ROW EXCLUSIVE MODE';

const LEAVES = prepare(
  'log_leaves',
  `SELECT coalesce(string_agg(leaf_hash, ''::bytea ORDER BY log_index), '') AS leaves FROM log_leaves`,
);

const UNLOGGED = prepare(
  'unlogged_seals',
  `SELECT seals.world_slug, seals.seal_seq, seals.attempt_id, source_invocation_id,
     coalesce(length(leaf_hashes), 0) / 32 AS entries, coalesce(root, '') AS root, previous_root, sealed_at
   FROM seals LEFT JOIN log_leaves USING (world_slug, seal_seq, attempt_id)
   WHERE log_index IS NULL ORDER BY seals.world_slug, seals.seal_seq`,
);

const LAST = prepare(
  'last_checkpoint',
  "SELECT origin, tree_size, coalesce(root, '') AS root, note FROM checkpoints ORDER BY tree_size DESC, made_at DESC LIMIT 1",
);

const APPEND = prepare(
  'append_log_leaves',
  `INSERT INTO log_leaves (log_index, world_slug, seal_seq, attempt_id, seal, leaf_hash)
   SELECT :size::bigint + place - 1, world_slug, seal_seq, attempt_id, seal, decode(hash, 'hex')
   FROM unnest(:world_slugs::text[], :seal_seqs::int[], :attempt_ids::uuid[], :seals::text[], :hashes::text[])
     WITH ORDINALITY AS leaf (world_slug, seal_seq, attempt_id, seal, hash, place)`,
);

const SIGN = prepare(
  'add_checkpoint',
  `INSERT INTO checkpoints (origin, tree_size, root, note, made_at)
   VALUES (:origin, :tree_size::bigint, :root::bytea, :note, :made_at::timestamptz) ON CONFLICT DO NOTHING`,
);

/**
 * Takes all seals into the log, and keeps a checkpoint, in one transaction; one at a time.
 * @param grow decides on the growth from the log as it is; undefined leaves everything as it is
 */
export function growLog(
  { pool }: Pick<OpenDatabase, 'pool'>,
  grow: (state: LogState) => LogGrowth | undefined,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(LOCK);
    const [logged] = await run<{ leaves: Uint8Array }>(client, LEAVES, {});
    const unlogged = await run<UnloggedSeal>(client, UNLOGGED, {});
    const [last] = await run<SignedState>(client, LAST, {});
    const leaves = logged?.leaves ?? new Uint8Array();
    const growth = grow({ leaves, unlogged, last });
    if (growth === undefined) return;
    await run(client, APPEND, {
      size: leaves.length / 32,
      world_slugs: unlogged.map(({ world_slug }) => world_slug),
      seal_seqs: unlogged.map(({ seal_seq }) => seal_seq),
      attempt_ids: unlogged.map(({ attempt_id }) => attempt_id),
      seals: growth.leaves.map(({ seal }) => seal),
      hashes: growth.leaves.map(({ leaf_hash }) => Buffer.from(leaf_hash).toString('hex')),
    });
    await run(client, SIGN, { ...growth.signed, made_at: growth.made_at });
  });
}

// The text of the leaf as the seal's row gives it; null without a row. A moment has milliseconds, never less.
const TEXT = `
       '{"attempt_id":"' || seals.attempt_id || '","entries":' || length(leaf_hashes) / 32 || ',"previous_root":"'
       || coalesce(encode(previous_root, 'hex'), '') || '","root":"' || encode(root, 'hex') || '","seal_seq":' || seals.seal_seq
       || ',"sealed_at":"' || to_char(sealed_at AT TIME ZONE 'UTC', :moment)
       || '","source_invocation_id":"' || coalesce(source_invocation_id::text, '') || '","world_slug":'
       || to_json(seals.world_slug::text)::text || '}'`;

const FAULTY = prepare(
  'list_faulty_leaves',
  `SELECT log_leaves.world_slug, seal_seq, attempt_id, coalesce(seal, '') AS seal, seals.world_slug IS NULL AS is_gone
   FROM log_leaves LEFT JOIN seals USING (world_slug, seal_seq, attempt_id)
   WHERE (:world_slug::text IS NULL OR log_leaves.world_slug = :world_slug::text)
     AND (leaf_hash IS DISTINCT FROM sha256('\\x00'::bytea || convert_to(seal, 'UTF8')) OR seal IS DISTINCT FROM ${TEXT})
   ORDER BY log_index`,
);

export interface FaultyLeaf extends InAttempt {
  readonly seal_seq: number;
  readonly seal: string;
  readonly is_gone: boolean;
}

/** Leaves that do not say what the seal's row says, or whose hash is not that of their text. @param world_slug of all without it */
export function listFaultyLeaves(runner: Runner, world_slug: string | null = null): Promise<readonly FaultyLeaf[]> {
  return run<FaultyLeaf>(runner, FAULTY, { world_slug, moment: 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' });
}

const LOGGED = prepare(
  'list_logged_seals',
  `SELECT log_index, coalesce(seal, '') AS seal, attempt_id, seal_seq, source_invocation_id,
     CASE WHEN seals.world_slug IS NOT NULL THEN coalesce(leaf_hashes, '') END AS leaf_hashes
   FROM log_leaves LEFT JOIN seals USING (world_slug, seal_seq, attempt_id)
   WHERE log_leaves.world_slug = :world_slug AND (attempt_id = :attempt_id::uuid OR :attempt_id::uuid IS NULL)
   ORDER BY log_index`,
);

/** A leaf of the log; its seal's own columns are null where its world was removed. */
export interface LoggedSeal {
  readonly log_index: number;
  readonly seal: string;
  readonly attempt_id: string;
  readonly seal_seq: number;
  readonly source_invocation_id: string | null;
  readonly leaf_hashes: Uint8Array | null;
}

/** The leaves of a world, or of one attempt of it. */
export function listLoggedSeals(
  runner: Runner,
  { world_slug, attempt_id = null }: InWorld & { readonly attempt_id?: string | null },
): Promise<readonly LoggedSeal[]> {
  return run<LoggedSeal>(runner, LOGGED, { world_slug, attempt_id });
}

const PATCHES = prepare(
  'patches_of_attempt',
  `SELECT narration, touched_entities::text[], effects, origins FROM world_patches
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY patch_seq`,
);

/** The patches of an attempt, as their hashes were made. */
export async function listPatchTexts(
  runner: Runner,
  { world_slug, attempt_id }: InAttempt,
): Promise<readonly string[]> {
  const patches = await run<TakenPatch>(runner, PATCHES, { world_slug, attempt_id });
  return patches.map((patch) => canonicalText(toHashed(patch)));
}
