import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE_ROOT } from './cruise.js';

/** The plugin that came last, and needed nothing there but the contract: what knew it by name would be no seam. */
const NAME = /\bmcp_tool\b/;

for (const folder of ['engine', 'schemas', 'migrations']) {
  test(`nothing in ${folder} knows the plugin that came last`, async () => {
    const entries = await readdir(join(PACKAGE_ROOT, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
    assert.ok(texts.length > 0);
    const knowing = texts.filter(({ text }) => NAME.test(text)).map(({ file }) => file);
    assert.deepEqual(knowing, []);
  });
}

test('its name would be found', async () => {
  assert.match(await readFile(join(PACKAGE_ROOT, 'plugins/mcp_tool/plugin.json'), 'utf8'), NAME);
});
