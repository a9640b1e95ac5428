import { type Hash, leafHash, rootOf, sameHash, toHex } from '../evidence/merkle.js';
import { entryText } from './write-ledger.js';
import type { LedgerEntry } from './ledger-entry.js';

/** What makes entries tamper-evident: the hash of each, in their order, and the root of the tree over them. */
export interface Seal {
  /** 32 bytes for each entry: SHA-256(0x00 || its canonical JSON), as in RFC 6962. */
  readonly leaf_hashes: readonly Hash[];
  /** The root of the seal covers it, and the seal's header. */
  readonly tree_root: Hash;
}

export function sealEntries(entries: readonly LedgerEntry[]): Seal {
  const leaf_hashes = entries.map((entry) => leafHash(entryText(entry)));
  return { leaf_hashes, tree_root: rootOf(leaf_hashes) };
}

/** The first place where entries are not those that were sealed. */
export interface Breach {
  readonly kind: 'altered' | 'removed' | 'inserted' | 'reordered' | 'cut_off';
  /** 0-based, among the sealed entries. */
  readonly position: number;
  /** The entry that stands there now; absent where none does. */
  readonly entry?: LedgerEntry;
  /** The sound entry before it; absent at the beginning. */
  readonly after?: LedgerEntry;
}

/**
 * Compares the entries that the record yields now with those that were sealed.
 * @param sealed the leaf hashes of the seal
 * @returns undefined where they are the same
 */
export function findBreach(sealed: readonly Hash[], entries: readonly LedgerEntry[]): Breach | undefined {
  const found = entries.map((entry) => leafHash(entryText(entry)));
  if (sameHash(Buffer.concat(found), Buffer.concat(sealed))) return undefined;
  const difference = findDifference(sealed.map(toHex), found.map(toHex));
  if (difference === undefined) return undefined;
  const entry = entries[difference.position];
  const after = entries[difference.position - 1];
  return {
    ...difference,
    ...(entry === undefined ? {} : { entry }),
    ...(after === undefined ? {} : { after }),
  };
}

/**
 * The first place where hashes differ from the sealed ones, both as hex digits. One entry that is missing changes those
 * that count it, too: the number of entries tells what happened.
 */
export function findDifference(
  sealed: readonly string[],
  found: readonly string[],
): Pick<Breach, 'kind' | 'position'> | undefined {
  const length = Math.max(sealed.length, found.length);
  const position = Array.from({ length }, (_, index) => index).find((index) => sealed[index] !== found[index]);
  if (position === undefined) return undefined;
  if (position === found.length) return { kind: 'cut_off', position };
  if (found.length < sealed.length) return { kind: 'removed', position };
  if (found.length > sealed.length) return { kind: 'inserted', position };
  const wanted = sealed.toSorted();
  return { kind: found.toSorted().every((hash, at) => hash === wanted[at]) ? 'reordered' : 'altered', position };
}
