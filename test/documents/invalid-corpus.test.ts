import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { validateDocuments } from '../../engine/operations/documents/index.js';
import { documentParts, inShort, PACKAGE_ROOT } from './document-parts.js';

const corpus = join(PACKAGE_ROOT, 'fixtures/invalid');
const cases = (await readdir(corpus, { withFileTypes: true })).filter((entry) => entry.isDirectory());

test('the corpus of broken documents is there', () => {
  assert.ok(cases.length >= 25, `${cases.length} cases`);
});

for (const { name } of cases) {
  test(`broken documents: ${name.replaceAll('-', ' ')}`, async () => {
    const folder = join(corpus, name);
    const expected = (await readFile(join(folder, 'expected.txt'), 'utf8')).trimEnd().split('\n');
    const { findings, ok } = await validateDocuments(await documentParts(folder), ['.']);
    assert.deepEqual(findings.map(inShort), expected);
    assert.equal(
      ok,
      expected.every((line) => line.includes(' (note) ')),
    );
    for (const { message } of findings) assert.match(message, /\S+ \S+/);
  });
}
