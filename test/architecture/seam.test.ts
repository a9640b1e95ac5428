import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { EFFECT_OPERATIONS } from '../../engine/core/world/patch-operations.js';
import { PACKAGE_ROOT } from './cruise.js';

/** The last plugin, which needed only the contract there: an engine that knew it by name would be no seam. */
const NAME = /\bmcp_tool\b/;

for (const folder of ['engine', 'schemas', 'migrations']) {
  test(`nothing in ${folder} knows the plugin that came last`, async () => {
    assert.deepEqual(await filesNaming(folder, NAME), []);
  });
}

test('its name would be found', async () => {
  assert.match(await readFile(join(PACKAGE_ROOT, 'plugins/mcp_tool/plugin.json'), 'utf8'), NAME);
});

test('in the engine, beside generated files, one file alone names the operations of patches', async () => {
  const naming = await filesNaming('engine', new RegExp(EFFECT_OPERATIONS.join('|')));
  assert.deepEqual(
    naming.filter((file) => !file.startsWith('engine/generated/')),
    ['engine/core/world/patch-operations.ts', 'engine/store/tables.ts'],
  );
});

async function filesNaming(folder: string, name: RegExp): Promise<readonly string[]> {
  const entries = await readdir(join(PACKAGE_ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
  assert.ok(texts.length > 0);
  const naming = texts.filter(({ text }) => name.test(text));
  return naming.map(({ file }) => relative(PACKAGE_ROOT, file)).toSorted();
}
