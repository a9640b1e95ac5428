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

/** Runs the program over many files in one process: most of its time it starts. */
const RUN_ALL = `
import json, runpy, sys
program = runpy.run_path(sys.argv[1])
for words in json.load(sys.stdin):
    print("", program["main"](words), sep="\\0", end="\\0")
`;

/** What the second verifier says of files, with the key where one is given. */
function verifyAll(files: readonly { readonly text: string; readonly key?: string }[]) {
  const words = files.map(({ text, key }, index) => {
    const file = join(folder, `${index}`);
    writeFileSync(file, text);
    return key === undefined ? [file] : [file, '--key', key];
  });
  const input = JSON.stringify(words);
  const { stdout, stderr } = spawnSync('python3', ['-I', '-c', RUN_ALL, PROGRAM], { encoding: 'utf8', input });
  assert.equal(stderr, '');
  const parts = stdout.split('\0');
  return files.map((_, index) => ({ said: parts[2 * index] ?? '', status: Number(parts[2 * index + 1]) }));
}

function verify(text: string, key?: string) {
  return verifyAll([{ text, ...(key === undefined ? {} : { key }) }])[0];
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
  assert.match(verify(JSON.stringify(hidden))?.said ?? '', /shows 0 texts, and has of 3 the hash alone/);
  const removed = makeEvidence({ is_removed: true }).bundle;
  assert.match(verify(JSON.stringify(removed))?.said ?? '', /The world was removed: of 3 seals/);
  const proved = verify(claim, key);
  assert.equal(proved?.status, 0);
  assert.match(proved.said, /^It holds: turn 3 of world park gave crumb this state, by patch 1, of ant:\n {2}eaten\n/);
});

test('the second verifier refuses what the first refuses, for the same reason', NEEDS_PYTHON, () => {
  const files = falsify(evidence);
  const found = verifyAll(files);
  for (const [index, { name, code, pointer }] of files.entries()) {
    const { status, said = '' } = found[index] ?? {};
    assert.equal(status, 1, name);
    // No place is compared within what is no JSON.
    const place = code === 'EVIDENCE_MALFORMED' ? '' : ` at ${pointer || 'the whole file'}:`;
    assert.ok(said.startsWith(`${code}${place}`), `${name}: ${said}`);
  }
  assert.equal(
    spawnSync('python3', ['-I', PROGRAM, join(folder, '0'), '--key']).status,
    2,
    'an option without its value',
  );
  assert.match(verify(evidence.claim, 'chukwa/test')?.said ?? '', /^EVIDENCE_KEY_INVALID/);
});
