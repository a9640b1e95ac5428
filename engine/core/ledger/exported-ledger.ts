import type { Json, JsonObject } from '../../contract/json.js';
import { parseJson } from '../content/parse-json.js';
import { leafHash, rootOf, toHex } from '../evidence/merkle.js';
import type { Tier } from '../orders/work-order.js';
import type { LedgerEntry } from './ledger-entry.js';
import { type Breach, findDifference } from './seal.js';
import { entryText } from './write-ledger.js';

/** A seal as a line of an export: hashes are hexadecimal. */
export interface ExportedSeal {
  readonly world_slug: string;
  readonly seal_seq: number;
  readonly attempt_id: string;
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
  const scope: ExportScope = { format: EXPORT_FORMAT, ...of, seals: seals.length, first_root, root };
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
      : (findFaultOfSeals(scope, seals) ?? findMissing(scope, sound) ?? findFault(lines, sound));
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
    if (toHex(rootOf(seal.leaf_hashes.map(fromHex))) !== seal.root) return { ...place, why: 'root_wrong' };
    if (seal.world_slug !== world_slug || (attempt_id !== null && seal.attempt_id !== attempt_id))
      return { ...place, why: 'foreign' };
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

/** The seals are as many as the export says, from the first to the last. A world begins with a seal that follows none. */
function findMissing(scope: ExportScope, seals: readonly ExportedSeal[]): ExportFault | undefined {
  const [first, last] = [seals[0], seals.at(-1)];
  const isGenesis = first === undefined || (first.seal_seq === 1 && first.previous_root === null);
  if ((first?.root ?? null) !== scope.first_root || (scope.attempt_id === null && !isGenesis))
    return { file: 'seals', line: 1, why: 'beginning_missing' };
  if ((last?.root ?? null) !== scope.root) return { file: 'seals', line: seals.length + 1, why: 'end_missing' };
  return seals.length === scope.seals ? undefined : { file: 'seals', line: seals.length, why: 'seals_missing' };
}

function findFault(lines: ExportedLines, seals: readonly ExportedSeal[]): ExportFault | undefined {
  const sealed: Readonly<Record<Tier, string[]>> = { HO1: [], HO2: [] };
  for (const { leaf_hashes, tiers } of seals)
    for (const [index, hash] of leaf_hashes.entries()) sealed[tiers[index] ?? 'HO2'].push(hash);
  return findFaultOf('HO2', lines.HO2, sealed.HO2) ?? findFaultOf('HO1', lines.HO1, sealed.HO1);
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
  const { format, world_slug, attempt_id, seals, first_root, root } = value;
  const isRoot = (hash: Json | undefined) => hash === null || isHex(hash);
  const isSound =
    rest.length === 0 &&
    format === EXPORT_FORMAT &&
    typeof world_slug === 'string' &&
    (attempt_id === null || typeof attempt_id === 'string') &&
    typeof seals === 'number' &&
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
  const { world_slug, attempt_id, seal_seq, root, previous_root, leaf_hashes, tiers } = value;
  const isSound =
    typeof world_slug === 'string' &&
    typeof attempt_id === 'string' &&
    typeof seal_seq === 'number' &&
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

function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex');
}
