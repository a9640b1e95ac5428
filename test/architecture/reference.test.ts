import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateReference } from '../../tools/generate-reference.js';
import { PACKAGE_ROOT } from './cruise.js';

test('the reference has a row for every field of a workflow, with type and meaning', async () => {
  const page = (await generateReference(PACKAGE_ROOT)).find(({ name }) => name === 'workflow.md')?.text ?? '';
  assert.match(page, /^\| `apply\.from` \| string, `[^`]*` \| &lt;node id>\.final \|$/m);
  assert.match(page, /^\| `max_speculative\?` \| integer, 1 to 100 \|/m);
  assert.match(page, /^\| `messages\[\]\.content\.path` \| string/m);
  for (const part of ['llm_tool_loop', 'llm_json', 'source_call', 'ambient_source', 'available_tool'])
    assert.match(page, new RegExp(`^## ${part}$`, 'm'));
});

test('the reference shows each form of an answer in a table of its own, which names no field twice', async () => {
  const pages = await generateReference(PACKAGE_ROOT);
  const answers = pages.find(({ name }) => name === 'answers.md')?.text ?? '';
  for (const form of ['JsonAnswer', 'TextAnswer', 'RefusalAnswer', 'StatusAnswer', 'FaultAnswer', 'FailureAnswer'])
    assert.match(answers, new RegExp(`^### ${form}$`, 'm'));
  for (const { name, text } of pages.filter((page) =>
    ['answers.md', 'plugin-manifest.md', 'workflow-test.md'].includes(page.name),
  ))
    for (const table of text.split(/\n\n/).filter((block) => block.startsWith('| field |'))) {
      const fields = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, field]) => field);
      assert.deepEqual(fields, [...new Set(fields)], `${name}: ${fields.join(', ')}`);
    }
});

test('the reference shows an example of a shared part with the part, and not with each field', async () => {
  const page = (await generateReference(PACKAGE_ROOT)).find(({ name }) => name === 'workflow.md')?.text ?? '';
  assert.match(page, /^## effect_class\n\n[^\n]* Example: `"read_only"`$/m);
  assert.doesNotMatch(page, /^\| `effect` .*Example:/m);
});
