import type { Json, JsonObject } from '../../contract/json.js';
import { parseJson } from '../content/parse-json.js';
import { leafHash, rootOf, toHex } from '../evidence/merkle.js';
import { sealRoot } from '../evidence/seal-text.js';
import { sessionIdOf } from '../orders/fold-orders.js';
import type { Tier } from '../orders/work-order.js';
import type { LedgerEntry } from './ledger-entry.js';
import { type Breach, findDifference } from './seal.js';
import { entryText } from './write-ledger.js';

/** A seal as a line of an export: hashes are hexadecimal. */
export interface ExportedSeal {
  readonly world_slug: string;
  readonly seal_seq: number;
  readonly attempt_id: string;
  /** Of a settlement, the call that it settles. */
  readonly source_invocation_id: string | null;
  readonly sealed_at: string;
  readonly root: string;
  readonly previous_root: string | null;
  readonly leaf_hashes: readonly string[];
  /** The ledger of each hash's entry. */
  readonly tiers: readonly Tier[];
}

export const EXPORT_FORMAT = 'chukwa ledger 1';

/** What an export says that it holds: all seals of a world from its first on, or those of one attempt. */
export interface ExportScope {
  readonly format: typeof EXPORT_FORMAT;
  readonly world_slug: string;
  /** Null of a whole world. */
  readonly attempt_id: string | null;
  readonly seals: number;
  readonly entries: number;
  /** The root of the first seal, and of the last; null where nothing was sealed. */
  readonly first_root: string | null;
  readonly root: string | null;
}

/** The lines of an export's files; `scope` has one. */
export interface ExportedLines {
  readonly scope: readonly string[];
  readonly HO2: readonly string[];
  readonly HO1: readonly string[];
  readonly seals: readonly string[];
}

/** Writes entries and their seals as lines. @param of whose they are */
export function toLines(
  of: Pick<ExportScope, 'world_slug' | 'attempt_id'>,
  entries: readonly LedgerEntry[],
  seals: readonly ExportedSeal[],
): ExportedLines {
  const [first_root, root] = [seals[0]?.root ?? null, seals.at(-1)?.root ?? null];
  const scope: ExportScope = {
    format: EXPORT_FORMAT,
    ...of,
    seals: seals.length,
    entries: entries.length,
    first_root,
    root,
  };
  const linesOf = (tier: LedgerEntry['tier']) => entries.filter((entry) => entry.tier === tier).map(entryText);
  return {
    scope: [JSON.stringify(scope)],
    HO2: linesOf('HO2'),
    HO1: linesOf('HO1'),
    seals: seals.map((seal) => JSON.stringify(seal)),
  };
}

/** What is wrong with an export, at the first place. */
interface ExportFault {
  readonly file: keyof ExportedLines;
  /** 1-based. */
  readonly line: number;
  readonly why:
    | Breach['kind']
    | 'unreadable'
    | 'foreign'
    | 'miscounted'
    | 'chain_broken'
    | 'root_wrong'
    | 'beginning_missing'
    | 'end_missing'
    | 'seals_missing';
}

/** The first fault of an export, and what it holds. */
export interface CheckedExport {
  /** Whose it is; null where the export does not say it. */
  readonly world_slug: string | null;
  /** Null of a whole world. */
  readonly attempt_id: string | null;
  readonly entries: number;
  readonly seals: number;
  readonly root: string | null;
  readonly fault?: ExportFault;
}

/**
 * Checks an export by itself: it has the seals that it says, each follows the one before it, and each line is the one
 * that was sealed, in its order.
 */
export function checkExport(lines: ExportedLines): CheckedExport {
  const scope = toScope(lines.scope);
  const seals = lines.seals.map(toSeal);
  const sound = seals.filter((seal) => seal !== undefined);
  const unreadable = { file: 'scope', line: 1, why: 'unreadable' } as const;
  const fault =
    scope === undefined
      ? unreadable
      : (findFaultOfSeals(scope, seals) ??
        findMissing(scope, sound) ??
        findFault(lines, sound) ??
        findMisplaced(lines, sound));
  return {
    world_slug: scope?.world_slug ?? null,
    attempt_id: scope?.attempt_id ?? null,
    entries: lines.HO1.length + lines.HO2.length,
    seals: lines.seals.length,
    root: sound.at(-1)?.root ?? null,
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Between the seals of one attempt there may be others. */
function findFaultOfSeals(
  { world_slug, attempt_id }: ExportScope,
  seals: readonly (ExportedSeal | undefined)[],
): ExportFault | undefined {
  for (const [index, seal] of seals.entries()) {
    const place = { file: 'seals', line: index + 1 } as const;
    if (seal === undefined) return { ...place, why: 'unreadable' };
    if (toHex(rootOfSeal(seal)) !== seal.root) return { ...place, why: 'root_wrong' };
    if (seal.world_slug !== world_slug || (attempt_id !== null && seal.attempt_id !== attempt_id))
      return { ...place, why: 'foreign' };
    if ((seal.seal_seq === 1) !== (seal.previous_root === null)) return { ...place, why: 'chain_broken' };
    const before = seals[index - 1];
    if (before === undefined) continue;
    const isNext = seal.seal_seq === before.seal_seq + 1;
    const follows = isNext
      ? seal.previous_root === before.root
      : attempt_id !== null && seal.seal_seq > before.seal_seq;
    if (!follows) return { ...place, why: 'chain_broken' };
  }
  return undefined;
}

function rootOfSeal(seal: ExportedSeal): Uint8Array {
  const { leaf_hashes, world_slug, seal_seq, attempt_id, source_invocation_id, previous_root, sealed_at } = seal;
  const header = {
    world_slug,
    seal_seq,
    attempt_id,
    source_invocation_id: source_invocation_id ?? '',
    entries: leaf_hashes.length,
    previous_root: previous_root ?? '',
    sealed_at,
  };
  return sealRoot(header, rootOf(leaf_hashes.map((hash) => Buffer.from(hash, 'hex'))));
}

/** The seals are as many as the export says, from the first to the last. A world begins with a seal that follows none. */
function findMissing(scope: ExportScope, seals: readonly ExportedSeal[]): ExportFault | undefined {
  const [first, last] = [seals[0], seals.at(-1)];
  const isGenesis = first === undefined || (first.seal_seq === 1 && first.previous_root === null);
  if ((first?.root ?? null) !== scope.first_root || (scope.attempt_id === null && !isGenesis))
    return { file: 'seals', line: 1, why: 'beginning_missing' };
  if ((last?.root ?? null) !== scope.root) return { file: 'seals', line: seals.length + 1, why: 'end_missing' };
  if (seals.length !== scope.seals) return { file: 'seals', line: seals.length, why: 'seals_missing' };
  const entries = seals.reduce((sum, { leaf_hashes }) => sum + leaf_hashes.length, 0);
  return entries === scope.entries ? undefined : { file: 'scope', line: 1, why: 'miscounted' };
}

function findFault(lines: ExportedLines, seals: readonly ExportedSeal[]): ExportFault | undefined {
  const sealed: Readonly<Record<Tier, string[]>> = { HO1: [], HO2: [] };
  for (const { leaf_hashes, tiers } of seals)
    for (const [index, hash] of leaf_hashes.entries()) sealed[tiers[index] ?? 'HO2'].push(hash);
  return findFaultOf('HO2', lines.HO2, sealed.HO2) ?? findFaultOf('HO1', lines.HO1, sealed.HO1);
}

/** The first line that itself says another ledger, session, attempt or world than that of the seal in which it stands. */
function findMisplaced(lines: ExportedLines, seals: readonly ExportedSeal[]): ExportFault | undefined {
  const read: Record<Tier, number> = { HO1: 0, HO2: 0 };
  for (const { world_slug, attempt_id, source_invocation_id, tiers } of seals) {
    for (const file of tiers) {
      const { tier, session_id, event_type, details } = readObject(lines[file][read[file]] ?? '');
      read[file] += 1;
      const said = details as JsonObject | undefined;
      const isOfSeal =
        source_invocation_id === null
          ? event_type !== 'SESSION_BEGAN' || (said?.['attempt_id'] === attempt_id && said['world_slug'] === world_slug)
          : said?.['source_invocation_id'] === source_invocation_id;
      if (tier !== file || session_id !== sessionIdOf(attempt_id) || !isOfSeal)
        return { file, line: read[file], why: 'foreign' };
    }
  }
  return undefined;
}

/** The first line of a file that is not the one that was sealed there. */
function findFaultOf(file: Tier, lines: readonly string[], sealed: readonly string[]): ExportFault | undefined {
  const found = lines.map((line) => toHex(leafHash(line)));
  const difference = findDifference(sealed, found);
  return difference && { file, line: difference.position + 1, why: difference.kind };
}

/** @returns undefined for what does not say of what an export is */
function toScope([line = '', ...rest]: readonly string[]): ExportScope | undefined {
  const value = readObject(line);
  const { format, world_slug, attempt_id, seals, entries, first_root, root } = value;
  const isRoot = (hash: Json | undefined) => hash === null || isHex(hash);
  const isSound =
    rest.length === 0 &&
    format === EXPORT_FORMAT &&
    typeof world_slug === 'string' &&
    (attempt_id === null || typeof attempt_id === 'string') &&
    typeof seals === 'number' &&
    typeof entries === 'number' &&
    isRoot(first_root) &&
    isRoot(root);
  return isSound ? (value as unknown as ExportScope) : undefined;
}

function readObject(line: string): JsonObject {
  const parsed = parseJson(line);
  return (parsed.ok && typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : {}) as JsonObject;
}

/** @returns undefined for a line that is no seal */
function toSeal(line: string): ExportedSeal | undefined {
  const value = readObject(line);
  const { world_slug, attempt_id, source_invocation_id, seal_seq, sealed_at, root, previous_root, leaf_hashes, tiers } =
    value;
  const isSound =
    typeof world_slug === 'string' &&
    typeof attempt_id === 'string' &&
    (source_invocation_id === null || typeof source_invocation_id === 'string') &&
    Number.isSafeInteger(seal_seq) &&
    Number(seal_seq) > 0 &&
    typeof sealed_at === 'string' &&
    isHex(root) &&
    (previous_root === null || isHex(previous_root)) &&
    Array.isArray(leaf_hashes) &&
    leaf_hashes.every(isHex) &&
    Array.isArray(tiers) &&
    tiers.length === leaf_hashes.length &&
    tiers.every((tier) => tier === 'HO1' || tier === 'HO2');
  return isSound ? (value as unknown as ExportedSeal) : undefined;
}

function isHex(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
