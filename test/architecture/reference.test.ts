import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateReference } from '../../tools/generate-reference.js';
import { PACKAGE_ROOT } from './cruise.js';

const FOLDER = join(PACKAGE_ROOT, 'docs/reference');

test('the pages of docs/reference are those that the schemas and the program make, and no others', async () => {
  const pages = await generateReference(PACKAGE_ROOT);
  assert.deepEqual((await readdir(FOLDER)).toSorted(), pages.map(({ name }) => name).toSorted());
  for (const { name, text } of pages) assert.equal(await readFile(join(FOLDER, name), 'utf8'), text, name);
});

test('the reference has a line for every field of a workflow, with type and meaning', async () => {
  const page = (await generateReference(PACKAGE_ROOT)).find(({ name }) => name === 'workflow.md')?.text ?? '';
  assert.match(page, /^- `apply\?`: [^\n]*\n {2}- `from`: &lt;node id>\.final$/m);
  assert.match(page, /^- `max_speculative\?`: integer \(1 to 100\)\. /m);
  assert.match(page, /^ {4}- `path`: A path relative/m);
  for (const part of ['llm_tool_loop', 'llm_json', 'source_call', 'ambient_source', 'available_tool'])
    assert.match(page, new RegExp(`^## ${part}$`, 'm'));
});

test('the reference shows each form of an answer in a list of its own, which names no field twice', async () => {
  const pages = await generateReference(PACKAGE_ROOT);
  const answers = pages.find(({ name }) => name === 'answers.md')?.text ?? '';
  for (const form of ['JsonAnswer', 'TextAnswer', 'RefusalAnswer', 'StatusAnswer', 'FaultAnswer', 'FailureAnswer'])
    assert.match(answers, new RegExp(`^### ${form}$`, 'm'));
  for (const { name, text } of pages.filter((page) =>
    ['answers.md', 'plugin-manifest.md', 'workflow-test.md'].includes(page.name),
  ))
    for (const list of text.split(/\n\n/).filter((block) => block.startsWith('- `'))) {
      const fields = [...list.matchAll(/^- `([^`]+)`/gm)].map(([, field]) => field);
      assert.deepEqual(fields, [...new Set(fields)], `${name}: ${fields.join(', ')}`);
    }
});

test('the reference explains a shared value with the first field that has it, and not with each', async () => {
  const page = (await generateReference(PACKAGE_ROOT)).find(({ name }) => name === 'workflow.md')?.text ?? '';
  assert.equal([...page.matchAll(/^- `effect`: .*Example: `"read_only"`$/gm)].length, 1);
  assert.ok([...page.matchAll(/^- .*`effect`.*: as above$/gm)].length > 0);
});
