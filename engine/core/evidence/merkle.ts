import { sha256Bytes } from '../content/sha256.js';

/** The Merkle tree of RFC 6962 and RFC 9162 with SHA-256. A hash is 32 bytes. */
export type Hash = Uint8Array;

const NODE = new Uint8Array([1]);

/** The hash of an entry, which is a text: SHA-256(0x00 || its UTF-8). */
export function leafHash(entry: string): Hash {
  return sha256Bytes(`\0${entry}`);
}

/** The hash of two neighbours: SHA-256(0x01 || left || right). */
export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256Bytes(Buffer.concat([NODE, left, right]));
}

/** The root over leaf hashes, in their order. The root over none is SHA-256 of nothing. */
export function rootOf(leaves: readonly Hash[]): Hash {
  return leaves.length === 0 ? sha256Bytes(new Uint8Array()) : rootBetween(leaves, 0, leaves.length);
}

function rootBetween(leaves: readonly Hash[], from: number, until: number): Hash {
  if (until - from === 1) return leaves[from] as Hash;
  const middle = from + splitPoint(until - from);
  return nodeHash(rootBetween(leaves, from, middle), rootBetween(leaves, middle, until));
}

/**
 * The hashes that lead from one leaf to the root, the leaf's sibling first.
 * @throws RangeError where the tree has no leaf of this index (the first is 0)
 */
export function proveInclusion(leaves: readonly Hash[], index: number): readonly Hash[] {
  if (leaves[index] === undefined) throw new RangeError(`no leaf ${index} among ${leaves.length}`);
  const proof: Hash[] = [];
  let [from, until] = [0, leaves.length];
  while (until - from > 1) {
    const middle = from + splitPoint(until - from);
    if (index < middle) {
      proof.unshift(rootBetween(leaves, middle, until));
      until = middle;
    } else {
      proof.unshift(rootBetween(leaves, from, middle));
      from = middle;
    }
  }
  return proof;
}

/** One leaf in a tree, and the hashes that lead to the root. */
interface Inclusion {
  readonly leaf: Hash;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Hash[];
}

/** The root to which an inclusion leads; undefined where index, size and length of the proof do not fit together. */
export function rootOfInclusion({ leaf, index, size, proof }: Inclusion): Hash | undefined {
  if (!isCount(index) || !isCount(size) || index >= size || !proof.every(isHash) || !isHash(leaf)) return undefined;
  if (size === 1) return proof.length === 0 ? leaf : undefined;
  const sibling = proof.at(-1);
  if (sibling === undefined) return undefined;
  const middle = splitPoint(size);
  const isLeft = index < middle;
  const child = rootOfInclusion({
    leaf,
    index: isLeft ? index : index - middle,
    size: isLeft ? middle : size - middle,
    proof: proof.slice(0, -1),
  });
  if (child === undefined) return undefined;
  return isLeft ? nodeHash(child, sibling) : nodeHash(sibling, child);
}

/** Whether the leaf stands at this index in the tree with this root. */
export function isIncluded(inclusion: Inclusion, root: Hash): boolean {
  const found = rootOfInclusion(inclusion);
  return found !== undefined && sameHash(found, root);
}

/** A hash as 64 hex digits. */
export function toHex(hash: Hash): string {
  return Buffer.from(hash).toString('hex');
}

/** Hashes that are stored one behind the other. */
export function splitHashes(bytes: Uint8Array): readonly Hash[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) => bytes.subarray(index * 32, index * 32 + 32));
}

export function sameHash(one: Hash, other: Hash): boolean {
  return Buffer.compare(one, other) === 0;
}

/** The largest power of two that is smaller than the size: the leaves of the left half. */
function splitPoint(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
const isHash = (value: Hash) => value.length === 32;
