import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Hash, isIncluded, leafHash, proveInclusion, rootOf } from '../../engine/core/evidence/merkle.js';

const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
const bytes = (text: string) => Buffer.from(text, 'hex');

// The entries, roots and proofs that the implementations of Certificate Transparency publish and test with.
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const NODES = {
  leaf1: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  leaf4: 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  leaves23: '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  leaves67: 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  leaves4567: '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
};
const leaves = ENTRIES.map((entry) => leafHash(bytes(entry).toString('ascii')));
const leavesOf = (size: number) => leaves.slice(0, size);

test('a tree has the published roots', () => {
  assert.deepEqual(
    ROOTS.map((_, at) => hex(rootOf(leavesOf(at + 1)))),
    ROOTS,
  );
  assert.equal(hex(rootOf([])), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

test('an inclusion has the published proof', () => {
  const published: readonly [index: number, size: number, proof: readonly string[]][] = [
    [0, 1, []],
    [0, 8, [NODES.leaf1, NODES.leaves23, NODES.leaves4567]],
    [5, 8, [NODES.leaf4, NODES.leaves67, ROOTS[3] as string]],
    [2, 3, [ROOTS[1] as string]],
    [1, 5, [ROOTS[0] as string, NODES.leaves23, NODES.leaf4]],
  ];
  for (const [index, size, proof] of published) {
    assert.deepEqual(proveInclusion(leavesOf(size), index).map(hex), proof);
    const inclusion = { leaf: leaves[index] as Hash, index, size, proof: proof.map(bytes) };
    assert.ok(isIncluded(inclusion, bytes(ROOTS[size - 1] as string)));
  }
});

const entries = fc.array(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 40 });
const place = fc.nat(1_000_000);

/** The proof, altered in one of the ways in which proofs are wrong. */
function alteredProofs(proof: readonly Hash[]): readonly (readonly Hash[])[] {
  const other = leafHash('other');
  return [
    [...proof, other],
    [other, ...proof],
    ...proof.map((_, at) => proof.toSpliced(at, 1)),
    ...proof.map((_, at) => proof.with(at, other)),
    ...proof.map((hash, at) => proof.with(at, hash.slice(1))),
  ];
}

test('each leaf of a tree is proved, and no other leaf, index, size, root or proof', () => {
  const property = fc.property(entries, place, (all, somewhere) => {
    const hashes = all.map(leafHash);
    const index = somewhere % hashes.length;
    const inclusion = { leaf: hashes[index] as Hash, index, size: hashes.length, proof: proveInclusion(hashes, index) };
    const root = rootOf(hashes);
    assert.ok(isIncluded(inclusion, root));
    const other = leafHash('other');
    assert.ok(!isIncluded({ ...inclusion, leaf: other }, root));
    assert.ok(!isIncluded(inclusion, other));
    for (const wrong of [-1, 0.5, Number.NaN, hashes.length, 2 ** 60])
      assert.ok(!isIncluded({ ...inclusion, index: wrong }, root));
    for (const size of [0, -1, index]) assert.ok(!isIncluded({ ...inclusion, size }, root));
    for (const proof of alteredProofs(inclusion.proof)) assert.ok(!isIncluded({ ...inclusion, proof }, root));
  });
  fc.assert(property, { seed: 34, numRuns: 100 });
});
