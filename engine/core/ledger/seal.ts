import { type Hash, leafHash, rootOf, sameHash } from '../evidence/merkle.js';
import { entryText } from './write-ledger.js';
import type { LedgerEntry } from './ledger-entry.js';

/** What makes entries tamper-evident: the hash of each, in their order, and the root over them. */
export interface Seal {
  /** 32 bytes for each entry: SHA-256(0x00 || its canonical JSON), as in RFC 6962. */
  readonly leaf_hashes: readonly Hash[];
  readonly root: Hash;
}

/** Seals entries. */
export function sealEntries(entries: readonly LedgerEntry[]): Seal {
  const leaf_hashes = entries.map((entry) => leafHash(Buffer.from(entryText(entry))));
  return { leaf_hashes, root: rootOf(leaf_hashes) };
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
  const { leaf_hashes: found } = sealEntries(entries);
  const length = Math.max(sealed.length, found.length);
  const position = Array.from({ length }, (_, index) => index).find((index) => !isSame(sealed[index], found[index]));
  if (position === undefined) return undefined;
  const entry = entries[position];
  const after = entries[position - 1];
  return {
    kind: kindOfBreach(sealed, found, position),
    position,
    ...(entry === undefined ? {} : { entry }),
    ...(after === undefined ? {} : { after }),
  };
}

/** One that is missing changes the entries that count it, too: the number of entries tells what happened. */
function kindOfBreach(sealed: readonly Hash[], found: readonly Hash[], position: number): Breach['kind'] {
  if (position === found.length) return 'cut_off';
  if (found.length < sealed.length) return 'removed';
  if (found.length > sealed.length) return 'inserted';
  const left = sealed.slice(position).map(toHex).toSorted();
  const right = found.slice(position).map(toHex).toSorted();
  return left.every((hash, index) => hash === right[index]) ? 'reordered' : 'altered';
}

function isSame(left: Hash | undefined, right: Hash | undefined): boolean {
  return left !== undefined && right !== undefined && sameHash(left, right);
}

function toHex(hash: Hash): string {
  return Buffer.from(hash).toString('hex');
}
