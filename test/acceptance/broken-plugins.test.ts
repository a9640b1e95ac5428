import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writePlugin } from '../sources/harness.js';
import { ROOT } from '../support/park-stage.js';
import { askChukwa, makeFolder, runChukwa } from './command.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

interface PluginList {
  readonly plugins: readonly { readonly name: string }[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/** Plugins of which one does at import what is given. */
async function plant(context: TestContext, name: string, does: string): Promise<Readonly<Record<string, string>>> {
  const folder = await makeFolder(context);
  await writePlugin(folder, 'aa_before', GOOD);
  await writePlugin(folder, name, `${does}\n${GOOD}`);
  await writePlugin(folder, 'zz_behind', `await new Promise((resolve) => setTimeout(resolve, 50));\n${GOOD}`);
  return { CHUKWA_PLUGIN_PATH: folder, CHUKWA_DATA_DIR: join(folder, 'data') };
}

const BROKEN: Readonly<Record<string, readonly [does: string, said: RegExp]>> = {
  exits: ['process.exit(0);', /it called process\.exit\(0\)/],
  exits_unseen: ['try { process.exit(0); } catch {}', /it called process\.exit\(0\)/],
  exits_later: ['setTimeout(() => process.exit(0), 10);', /it called process\.exit\(0\)/],
  rejects: ['Promise.reject(new Error("too late"));', /it left a promise to fail: too late/],
  rejects_with_nothing: ['Promise.reject();', /it left a promise to fail: undefined/],
  throws_later: ['setTimeout(() => { throw new Error("too late"); }, 10);', /it threw at nobody: too late/],
};

for (const [name, [does, said]] of Object.entries(BROKEN)) {
  test(`a plugin that ${name.replaceAll('_', ' ')} at import is left out, the others stay, and the command does its work`, async (t) => {
    const variables = await plant(t, name, does);
    const { plugins, problems } = await askChukwa<PluginList>(['plugin', 'list'], variables);
    const names = plugins.map((plugin) => plugin.name);
    assert.ok(names.includes('aa_before') && names.includes('zz_behind') && !names.includes(name), names.join());
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['PLUGIN_ENTRY_FAILED'],
    );
    assert.match(problems[0]?.message ?? '', said);
    const broken = join(variables['CHUKWA_DATA_DIR'] ?? '', '..', 'broken.json');
    await writeFile(broken, '{');
    assert.equal((await runChukwa(['validate', broken], variables)).code, 1);
  });
}

test('what a plugin leaves open at import does not keep a command that is done', async (t) => {
  const variables = await plant(
    t,
    'stays',
    "import { createServer } from 'node:net'; createServer().listen(0); setInterval(() => {}, 1_000);",
  );
  const { plugins } = await askChukwa<PluginList>(['plugin', 'list'], variables);
  assert.ok(plugins.some(({ name }) => name === 'stays'));
  const broken = join(variables['CHUKWA_DATA_DIR'] ?? '', '..', 'broken.json');
  await writeFile(broken, '{');
  assert.equal((await runChukwa(['validate', broken], variables)).code, 1);
});

test('what a plugin prints by its console stands on standard error, and the one document stays one', async (t) => {
  const does = "console.log('l-o-g'); console.info('i-n-f-o'); console.table([1]); console.dir({ d: 'd-i-r' });";
  const { code, stdout, stderr } = await runChukwa(['plugin', 'list', '--json'], await plant(t, 'talks', does));
  assert.equal(code, 0);
  assert.ok((JSON.parse(stdout) as PluginList).plugins.some(({ name }) => name === 'talks'));
  for (const said of ['l-o-g', 'i-n-f-o', '(index)', 'd-i-r']) assert.ok(stderr.includes(said), stderr);
});

test('a promise that a plugin leaves to fail and hears of later is told as its fault, and by nobody else', async (t) => {
  const does = 'const late = Promise.reject(new Error("too late")); setTimeout(() => late.catch(() => {}), 10);';
  const { stdout, stderr } = await runChukwa(['plugin', 'list', '--json'], await plant(t, 'dawdles', does));
  assert.match((JSON.parse(stdout) as PluginList).problems[0]?.message ?? '', /it left a promise to fail: too late/);
  assert.doesNotMatch(stderr, /Warning|node:/);
});

test('a plugin is tested without the code of any other', async (t) => {
  const variables = await plant(t, 'busy', 'for (;;);');
  const folder = join(variables['CHUKWA_PLUGIN_PATH'] ?? '', 'aa_before');
  const { stdout, code } = await runChukwa(['plugin', 'test', folder, '--json'], variables);
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly rule: string; readonly status: string }[];
  };
  assert.equal(checks.find(({ rule }) => rule === 'entry')?.status, 'passed');
  assert.equal(code, 1);
});

test('a command that waits for what never comes says so, and ends as a fault of the environment', async (t) => {
  const variables = await plant(t, 'steals', 'globalThis.setImmediate = () => {};');
  const { code, stderr } = await runChukwa(['plugin', 'list'], variables);
  assert.equal(code, 4);
  assert.match(stderr, /waits for something that never comes[^]*what to do/);
});

/** What keeps the main thread busy, or asleep. */
const BUSY: Readonly<Record<string, string>> = {
  'computes for ever': 'for (;;);',
  'sleeps for ever': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
  'matches for ever': '/(a+)+$/.test("a".repeat(64) + "b");',
};

for (const [name, text] of Object.entries(BUSY)) {
  test(`a process whose main thread ${name} at an import says which plugin it loads, and ends with 4`, () => {
    const program = join(ROOT, 'dist/engine/sources/load-watch-thread.js');
    const watch = pathToFileURL(join(ROOT, 'dist/engine/sources/load-watch.js')).href;
    const settings = JSON.stringify({ tick_ms: 50, note_ticks: 1, end_ticks: 4 });
    const script = `import { startLoadWatch } from ${JSON.stringify(watch)};
      startLoadWatch(${JSON.stringify(program)}, ${settings}).loading({ name: 'busy', folder: '/plugins/busy' });
      ${text}`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    assert.equal(status, 4);
    assert.match(stderr.toString(), /^chukwa: the plugin busy is still being loaded/);
    assert.match(
      stderr.toString(),
      /error: the plugin busy keeps[^]*what to do: .*"\/plugins\/busy"\n  details: PLUGIN_ENTRY_FAILED\n$/,
    );
  });
}
