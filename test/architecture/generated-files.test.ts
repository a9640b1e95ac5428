import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findStale } from '../../tools/generated-files.js';
import { generateTypes } from '../../tools/generate-types.js';
import { PACKAGE_ROOT } from './cruise.js';
import { makeFolder } from '../support/folder.js';

test('what is generated is up to date, and nothing else is in its folders: else run `npm run generate`', async () => {
  assert.deepEqual(await findStale(PACKAGE_ROOT), []);
});

test('a schema that changed, and a file without a schema, are found stale', async (t) => {
  const root = await makeFolder(t);
  for (const folder of ['schemas', 'engine/generated', 'plugins'])
    await cp(join(PACKAGE_ROOT, folder), join(root, folder), { recursive: true });
  await rm(join(root, 'engine/generated/answer-schemas.ts'));
  assert.deepEqual(await findStale(root, [generateTypes]), []);
  const schema = join(root, 'schemas/world-patch.schema.json');
  await writeFile(schema, (await readFile(schema, 'utf8')).replaceAll('"narration"', '"story"'));
  await writeFile(join(root, 'engine/generated/gone.ts'), '');
  const expected = ['engine/generated/world-patch.ts', 'engine/generated/gone.ts'];
  assert.deepEqual(await findStale(root, [generateTypes]), expected);
});
