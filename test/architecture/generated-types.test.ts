import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateCatalogue } from '../../tools/generate-catalogue.js';
import { ANSWERS_FILE, generateAnswers } from '../../tools/generate-answers.js';
import { findStale, generateTypes } from '../../tools/generate-types.js';
import { PACKAGE_ROOT } from './cruise.js';

test('the generated types are those of the schemas', async () => {
  assert.deepEqual(await findStale(PACKAGE_ROOT), []);
  assert.ok((await generateTypes(PACKAGE_ROOT)).length >= 11);
});

test('the lists of the catalogue have what is declared', async () => {
  for (const { path, text } of await generateCatalogue(PACKAGE_ROOT))
    assert.equal(await readFile(join(PACKAGE_ROOT, path), 'utf8'), text);
});

test('the generated schemas of answers are those of their types, descriptions included', async () => {
  assert.equal(await readFile(join(PACKAGE_ROOT, ANSWERS_FILE), 'utf8'), generateAnswers(PACKAGE_ROOT));
});

test('a schema that changed, and a file without a schema, are found stale', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'chukwa-types-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const folder of ['schemas', 'engine/generated', 'plugins'])
    await cp(join(PACKAGE_ROOT, folder), join(root, folder), { recursive: true });
  assert.deepEqual(await findStale(root), []);
  const schema = join(root, 'schemas/world-patch.schema.json');
  await writeFile(schema, (await readFile(schema, 'utf8')).replaceAll('"narration"', '"story"'));
  await writeFile(join(root, 'engine/generated/gone.ts'), '');
  assert.deepEqual(await findStale(root), ['engine/generated/world-patch.ts', 'engine/generated/gone.ts']);
});
