import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyBundle } from '../../engine/core/evidence/bundle.js';
import { isLogProof } from '../../engine/core/evidence/checkpoint.js';
import { verifyClaim } from '../../engine/core/evidence/claim.js';
import { hideMessages } from '../../engine/core/evidence/material.js';
import { parseVerifierKey } from '../../engine/core/evidence/signed-note.js';
import { falsify, makeEvidence } from '../support/evidence-files.js';

const evidence = makeEvidence();
const key = parseVerifierKey(evidence.key);

test('a bundle proves its world, with the key of its maker and without', () => {
  for (const wanted of [key, undefined]) {
    const verified = verifyBundle(JSON.stringify(evidence.bundle), wanted);
    assert.ok(verified.ok);
    const { checkpoint, ...said } = verified.value;
    assert.deepEqual(said, {
      world_slug: 'park',
      key: evidence.key,
      seals: 3,
      entries: 15,
      removed: 0,
      revealed: 3,
      hidden: 0,
    });
    assert.equal(checkpoint.size, 4);
  }
});

test('a bundle without its texts, and one of a removed world, prove what is left', () => {
  const { bundle } = evidence;
  const hidden = { ...bundle, prompts: bundle.prompts.map(hideMessages), texts: [] };
  const verified = verifyBundle(JSON.stringify(hidden), key);
  assert.ok(verified.ok);
  assert.deepEqual([verified.value.revealed, verified.value.hidden], [0, 3]);
  const removed = verifyBundle(JSON.stringify(makeEvidence({ is_removed: true }).bundle));
  assert.ok(removed.ok);
  assert.deepEqual([removed.value.removed, removed.value.entries], [3, 0]);
});

test('a proof of a claim proves the state, the patch and the prompt', () => {
  const verified = verifyClaim(evidence.claim, key);
  assert.ok(verified.ok);
  const { patch_hash: _patch, prompt_hash: _prompt, ...claim } = verified.value.claim;
  assert.deepEqual(claim, {
    world_slug: 'park',
    turn: 3,
    entity_id: 'crumb',
    state: 'eaten',
    subject_id: 'ant',
    patch_seq: 1,
    model: 'scripted',
  });
});

for (const { name, text, code, pointer, key: wanted } of falsify(evidence))
  test(`refused: ${name}`, () => {
    const named = wanted === undefined ? undefined : parseVerifierKey(wanted);
    const verified = isLogProof(text) ? verifyClaim(text, named) : verifyBundle(text, named);
    assert.ok(!verified.ok);
    assert.deepEqual([verified.problems[0]?.code, verified.problems[0]?.pointer], [code, pointer]);
  });
