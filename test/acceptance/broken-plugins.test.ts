import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writePlugin } from '../sources/harness.js';
import { askChukwa, runChukwa } from './command.js';
import { makeFolder } from '../support/folder.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

interface Report {
  readonly checks: readonly { readonly rule: string; readonly status: string }[];
}

async function plant(context: TestContext, plugins: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder(context);
  for (const [name, does] of Object.entries(plugins)) await writePlugin(folder, name, `${does}\n${GOOD}`);
  return folder;
}

test('a plugin that prints by its console writes to standard error, and the report on standard output stays one document', async (t) => {
  const does = "console.log('l-o-g'); console.info('i-n-f-o'); console.table([1]); console.dir({ d: 'd-i-r' });";
  const folder = await plant(t, { talks: does });
  const { code, stdout, stderr } = await runChukwa(['plugin', 'test', join(folder, 'talks'), '--json'], {});
  assert.equal(code, 1);
  assert.equal((JSON.parse(stdout) as Report).checks.find(({ rule }) => rule === 'entry')?.status, 'passed');
  for (const said of ['l-o-g', 'i-n-f-o', '(index)', 'd-i-r']) assert.ok(stderr.includes(said), stderr);
});

test('a plugin that leaves something open at import breaks the rule entry, and the test of it ends all the same', async (t) => {
  const does = "import { createServer } from 'node:net'; createServer().listen(0); setInterval(() => {}, 1_000);";
  const folder = await plant(t, { stays: does });
  const { checks } = await askChukwa<Report>(['plugin', 'test', join(folder, 'stays')], {}, 1);
  assert.equal(checks.find(({ rule }) => rule === 'entry')?.status, 'failed');
});

test('a plugin is tested without the code of any other', async (t) => {
  const folder = await plant(t, { busy: 'for (;;);', quiet: '' });
  const variables = { CHUKWA_PLUGIN_PATH: folder };
  const { checks } = await askChukwa<Report>(['plugin', 'test', join(folder, 'quiet')], variables, 1);
  assert.equal(checks.find(({ rule }) => rule === 'entry')?.status, 'passed');
});
