import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatCheckpoint } from '../../engine/core/evidence/checkpoint.js';
import { leafHash } from '../../engine/core/evidence/merkle.js';
import { signNote } from '../../engine/core/evidence/signed-note.js';
import { findAnchored } from '../../engine/operations/evidence/anchor.js';
import { makeSigningKey } from '../support/evidence-files.js';

test('of the checkpoints in the file of an anchor, the largest that the key has signed counts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-anchor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [key, namesake] = [makeSigningKey('chukwa/test'), makeSigningKey('chukwa/test')];
  const noteOf = (size: number, signer = key) =>
    signNote(formatCheckpoint({ origin: key.name, size, root: leafHash(String(size)) }), signer);
  const file = join(folder, 'anchor.txt');
  const notes = [noteOf(3), noteOf(10), noteOf(11).slice(0, -4), noteOf(12, namesake), noteOf(2)];
  writeFileSync(file, notes.join('\n\n'));
  const found = await findAnchored({ kind: 'file', file }, key);
  assert.ok(found.ok);
  assert.equal(found.value?.note, noteOf(10));
});
