import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { writePlugin } from '../sources/harness.js';
import { emptyDatabase } from '../support/databases.js';
import { loadScript } from '../support/park-stage.js';
import { askHere, runHere, startChukwa, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { script, writeOwnReading } from './readings.js';

const ENTRY = `import { value } from './inner/value.js';
export default { open: () => ({ invoke: async () => ({ value }) }) };
`;

/** Kills a run after its reading, edits a file below the plugins, and runs again. */
async function runAfterEdit(context: TestContext, edited: string): Promise<RunReport['turns'][number]> {
  const folder = await makeFolder(context);
  const plugins = join(folder, 'plugins');
  for (const name of ['own_reading', 'other']) {
    await writePlugin(plugins, name, ENTRY);
    await mkdir(join(plugins, name, 'inner'));
    await writeFile(join(plugins, name, 'inner', 'value.js'), 'export const value = 1;\n');
  }
  const model = await startScriptedModel(script({ 'bob/act/round-1/try-1': { fault: 'hang', text: '{' } }));
  context.after(() => model.close());
  const variables = {
    ...(await emptyDatabase(context)),
    CHUKWA_PLUGIN_PATH: plugins,
    CHUKWA_LLM_BASE_URL: model.url,
  };
  const created = ['world', 'create', 'brief', '--scenario', await writeOwnReading(folder), '--root', folder];
  const { code, stderr } = await runHere(created, variables);
  assert.equal(code, 0, stderr);
  const asked = new Promise<void>((resolve) => model.onRequest(async () => resolve()));
  const running = startChukwa(['run', 'brief'], variables);
  await whileRunning(running, asked);
  running.kill('SIGKILL');
  await running.ended;
  await appendFile(join(plugins, edited), '// edited\n');
  model.setScript(await loadScript('simple'));
  const ended = await runHere(['run', 'brief', '--json'], variables);
  const [turn] = (JSON.parse(ended.stdout) as RunReport).turns;
  assert.ok(turn, ended.stderr);
  return turn;
}

for (const edited of ['own_reading/index.js', 'own_reading/inner/value.js'])
  test(`an attempt does not go on with another code than it began with: ${edited} was edited`, async (t) => {
    const turn = await runAfterEdit(t, edited);
    assert.deepEqual([turn.status, turn.failure_class], ['failed', 'record_mismatch']);
  });

test('an attempt goes on when the code of a plugin was edited that its scenario does not name', async (t) => {
  assert.equal((await runAfterEdit(t, 'other/index.js')).status, 'committed');
});

test('a version of a plugin does not depend on the place of its folder', async (t) => {
  const [one, other] = [await makeFolder(t), await makeFolder(t)];
  interface List {
    readonly plugins: readonly { readonly name: string; readonly version: string }[];
  }
  const versionIn = async (folder: string) => {
    await writePlugin(folder, 'own_reading', ENTRY);
    const { plugins } = await askHere<List>(['plugin', 'list'], { CHUKWA_PLUGIN_PATH: folder });
    return plugins.find(({ name }) => name === 'own_reading')?.version;
  };
  const version = await versionIn(one);
  assert.match(version ?? '', /^1-[0-9a-f]{12}$/);
  assert.equal(await versionIn(other), version);
});
