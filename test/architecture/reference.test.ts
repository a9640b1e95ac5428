import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateReference } from '../../tools/generate-reference.js';
import { PACKAGE_ROOT } from './cruise.js';

const FOLDER = join(PACKAGE_ROOT, 'docs/reference');

test('the pages of docs/reference are those that the schemas make, and no others', async () => {
  const pages = await generateReference(PACKAGE_ROOT);
  assert.deepEqual((await readdir(FOLDER)).toSorted(), pages.map(({ name }) => name).toSorted());
  for (const { name, text } of pages) assert.equal(await readFile(join(FOLDER, name), 'utf8'), text, name);
});

test('the reference has a row for every field of a workflow, with type and meaning', async () => {
  const page = (await generateReference(PACKAGE_ROOT)).find(({ name }) => name === 'workflow.md')?.text ?? '';
  assert.match(
    page,
    /^\| `apply\.from` \| string, pattern [^\n]* \| required \| &lt;node id>\.final \| `"act\.final"` \|$/m,
  );
  assert.match(page, /^\| `messages\[\]\.content\.path` \| string/m);
  for (const part of ['llm_tool_loop', 'llm_json', 'source_call', 'ambient_source', 'available_tool'])
    assert.match(page, new RegExp(`^## ${part}$`, 'm'));
});
