import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hideMessages } from '../../engine/core/evidence/material.js';
import { falsify, makeEvidence } from '../support/evidence-files.js';

const PROGRAM = fileURLToPath(new URL('../../docs/verify.py', import.meta.url));
const NEEDS_PYTHON = { skip: spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3' };

const folder = mkdtempSync(join(tmpdir(), 'chukwa-verify-'));
after(() => rmSync(folder, { recursive: true }));

/** What the second verifier says of a file. */
function verify(text: string, key?: string) {
  const file = join(folder, 'evidence');
  writeFileSync(file, text);
  const words = key === undefined ? [file] : [file, '--key', key];
  const { status, stdout, stderr } = spawnSync('python3', ['-I', PROGRAM, ...words], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return { status, said: stdout };
}

const evidence = makeEvidence();

test('the second verifier finds the same in a bundle, a hidden one, and a proof', NEEDS_PYTHON, () => {
  const { bundle, claim, key } = evidence;
  assert.deepEqual(verify(JSON.stringify(bundle), key), {
    status: 0,
    said: `It holds: world park, with 3 seals over 15 entries.
It shows 3 texts, and has of 0 the hash alone.
Signed by the key that was given.
`,
  });
  const hidden = { ...bundle, prompts: bundle.prompts.map(hideMessages), texts: [] };
  assert.match(verify(JSON.stringify(hidden)).said, /shows 0 texts, and has of 3 the hash alone/);
  const removed = {
    ...hidden,
    prompts: [],
    seals: bundle.seals.map(({ seal, index, proof }) => ({ seal, index, proof })),
  };
  assert.match(verify(JSON.stringify(removed)).said, /The world was removed: of 3 seals/);
  const proved = verify(claim, key);
  assert.equal(proved.status, 0);
  assert.match(proved.said, /^It holds: turn 3 of world park gave crumb this state, by patch 1, of ant:\n {2}eaten\n/);
});

test('the second verifier refuses what the first refuses, for the same reason', NEEDS_PYTHON, () => {
  for (const { name, text, code, pointer, key } of falsify(evidence)) {
    const { status, said } = verify(text, key);
    assert.equal(status, 1, name);
    // No place is compared within what is no JSON.
    const place = code === 'EVIDENCE_MALFORMED' ? '' : ` at ${pointer || 'the whole file'}:`;
    assert.ok(said.startsWith(`${code}${place}`), `${name}: ${said}`);
  }
  assert.match(verify(evidence.claim, 'chukwa/test').said, /^EVIDENCE_KEY_INVALID/);
});
