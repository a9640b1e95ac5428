import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../engine/core/facts/fact.js';
import { rootOf, leafHash, toHex } from '../../engine/core/evidence/merkle.js';
import { sealRoot } from '../../engine/core/evidence/seal-text.js';
import { checkExport, toLines } from '../../engine/core/ledger/exported-ledger.js';
import { entryText, writeLedger } from '../../engine/core/ledger/write-ledger.js';
import { smallPark } from '../support/park-documents.js';

const ATTEMPT = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const OTHER = '01a2015a-0bd6-7667-b4f2-ff813afe9e28';
const AT = '2026-05-01T09:00:00.000Z';

/** An export with one sealed attempt, in which no call was made. @param said the attempt and the world that its first entry names */
function exportOf(said: { readonly attempt_id: string; readonly world_slug: string }) {
  const began: Fact = {
    kind: 'attempt_began',
    at: AT,
    world_slug: 'small-park',
    attempt_id: ATTEMPT,
    attempted_turn: 1,
    scenario_hash: '0'.repeat(64),
    renderer_version: '1',
    plugin_versions: {},
  };
  const [first, ...rest] = writeLedger(smallPark({}).orders, [began]);
  assert.ok(first);
  const entries = [{ ...first, details: { ...first.details, ...said } }, ...rest];
  const hashes = entries.map((entry) => leafHash(entryText(entry)));
  const seal = { world_slug: 'small-park', seal_seq: 1, attempt_id: ATTEMPT, sealed_at: AT };
  const header = { ...seal, source_invocation_id: '', entries: entries.length, previous_root: '' };
  return toLines({ world_slug: 'small-park', attempt_id: null }, entries, [
    {
      ...seal,
      source_invocation_id: null,
      previous_root: null,
      root: toHex(sealRoot(header, rootOf(hashes))),
      leaf_hashes: hashes.map(toHex),
      tiers: entries.map(({ tier }) => tier),
    },
  ]);
}

test('an export whose entries belong to their seals is sound', () => {
  const { fault, entries } = checkExport(exportOf({ attempt_id: ATTEMPT, world_slug: 'small-park' }));
  assert.deepEqual([fault, entries], [undefined, 1]);
});

for (const [what, said] of [
  ['attempt', { attempt_id: OTHER, world_slug: 'small-park' }],
  ['world', { attempt_id: ATTEMPT, world_slug: 'large-park' }],
] as const)
  test(`an entry that names another ${what} than its seal is foreign, though its hash is the sealed one`, () => {
    assert.deepEqual(checkExport(exportOf(said)).fault, { file: 'HO2', line: 1, why: 'foreign' });
  });
