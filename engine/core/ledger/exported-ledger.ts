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

/** The lines of an export's three files. */
export interface ExportedLines {
  readonly HO2: readonly string[];
  readonly HO1: readonly string[];
  readonly seals: readonly string[];
}

/** Writes entries and their seals as lines. */
export function toLines(entries: readonly LedgerEntry[], seals: readonly ExportedSeal[]): ExportedLines {
  const linesOf = (tier: LedgerEntry['tier']) => entries.filter((entry) => entry.tier === tier).map(entryText);
  return { HO2: linesOf('HO2'), HO1: linesOf('HO1'), seals: seals.map((seal) => JSON.stringify(seal)) };
}

/** What is wrong with an export, at the first place. */
export interface ExportFault {
  readonly file: keyof ExportedLines;
  /** 1-based. */
  readonly line: number;
  readonly why: Breach['kind'] | 'unreadable' | 'chain_broken' | 'root_wrong';
}

/** The first fault of an export, and what it holds. */
export interface CheckedExport {
  readonly entries: number;
  readonly seals: number;
  readonly root: string | null;
  readonly fault?: ExportFault;
}

/**
 * Checks an export by itself: each seal follows the one before it, and each line is the one that was sealed, in its
 * order.
 */
export function checkExport(lines: ExportedLines): CheckedExport {
  const seals: ExportedSeal[] = [];
  for (const [index, line] of lines.seals.entries()) {
    const seal = toSeal(line);
    const place = { file: 'seals', line: index + 1 } as const;
    if (seal === undefined) return { ...tally(lines, seals), fault: { ...place, why: 'unreadable' } };
    const leaves = seal.leaf_hashes.map(fromHex);
    if (toHex(rootOf(leaves)) !== seal.root) return { ...tally(lines, seals), fault: { ...place, why: 'root_wrong' } };
    const before = seals.at(-1);
    if (before !== undefined && (seal.previous_root !== before.root || seal.seal_seq !== before.seal_seq + 1))
      return { ...tally(lines, seals), fault: { ...place, why: 'chain_broken' } };
    seals.push(seal);
  }
  const fault = findFault(lines, seals);
  return { ...tally(lines, seals), ...(fault === undefined ? {} : { fault }) };
}

function tally({ HO1, HO2 }: ExportedLines, seals: readonly ExportedSeal[]): Omit<CheckedExport, 'fault'> {
  return { entries: HO1.length + HO2.length, seals: seals.length, root: seals.at(-1)?.root ?? null };
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

/** @returns undefined for a line that is no seal */
function toSeal(line: string): ExportedSeal | undefined {
  const parsed = parseJson(line);
  const value = parsed.ok ? parsed.value : null;
  const { seal_seq, root, previous_root, leaf_hashes, tiers } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as JsonObject;
  const isSound =
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
