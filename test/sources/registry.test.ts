import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import type { LoadSurroundings } from '../../engine/sources/import-entry.js';
import { findPlugins, loadPlugins } from '../../engine/sources/registry.js';
import { loadManifestCheck, makeFolder, SHIPPED_PLUGINS, writePlugin } from './harness.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

async function load(
  folders: readonly string[],
  surroundings: LoadSurroundings = {},
): Promise<{ names: readonly string[]; problems: readonly string[]; messages: string }> {
  const found = await findPlugins({ folders }, await loadManifestCheck());
  const loaded = await loadPlugins(found.plugins, createCompileSchema(), surroundings);
  const problems = [...found.problems, ...loaded.problems];
  return {
    names: loaded.plugins.map(({ name }) => name),
    problems: problems.map(({ code }) => code),
    messages: problems.map(({ message }) => message).join('\n'),
  };
}

test('the shipped plugins load, and say what an interface lacks', async () => {
  const found = await findPlugins({ folders: [SHIPPED_PLUGINS] }, await loadManifestCheck());
  const { plugins } = await loadPlugins(found.plugins, createCompileSchema());
  const httpJson = plugins.find(({ name }) => name === 'http_json');
  assert.equal(httpJson?.speaks, 'json');
  assert.match(httpJson?.version ?? '', /^1-[0-9a-f]{12}$/);
  assert.match(
    JSON.stringify(httpJson?.validateInterface({ name: 'http_json', method: 'POST', path: '/x' })),
    /url_env/,
  );
  assert.equal(plugins.find(({ name }) => name === 'llm_chat')?.speaks, 'chat');
});

test('finding plugins runs none of their code', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'loud', 'globalThis.ranPluginCode = true; export default { open() {} };');
  const found = await findPlugins({ folders: [folder] }, await loadManifestCheck());
  assert.equal(found.plugins.length, 1);
  assert.equal('ranPluginCode' in globalThis, false);
});

test('a broken plugin is left out with its reason, and the others stay', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'good', GOOD);
  await writePlugin(folder, 'throws', 'throw new Error("cannot begin");');
  await writePlugin(folder, 'no_open', 'export default {};');
  await writePlugin(folder, 'no_field', GOOD, { origin: { interface_field: 'url_env' } });
  await writePlugin(folder, 'outside', GOOD, { entry: './../good/index.js' });
  await writePlugin(folder, 'wrong_manifest', GOOD, { speaks: 'xml' });
  await mkdir(join(folder, 'not_json'));
  await writeFile(join(folder, 'not_json', 'plugin.json'), '{');
  await mkdir(join(folder, 'no_plugin'));
  const { names, problems, messages } = await load([folder]);
  assert.deepEqual(names, ['good']);
  assert.deepEqual([...problems].sort(), [
    'PLUGIN_ENTRY_FAILED',
    'PLUGIN_ENTRY_FAILED',
    'PLUGIN_ENTRY_FAILED',
    'PLUGIN_INTERFACE_SCHEMA_INVALID',
    'PLUGIN_MANIFEST_INVALID',
    'PLUGIN_MANIFEST_INVALID',
  ]);
  for (const reason of [/cannot begin/, /no function open/, /url_env/, /outside/, /speaks/])
    assert.match(messages, reason);
});

test('a module that cannot be parsed is left out, and its author is told how to find the place', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'half', 'export default { open() {');
  const found = await findPlugins({ folders: [folder] }, await loadManifestCheck());
  const { problems } = await loadPlugins(found.plugins, createCompileSchema());
  assert.deepEqual(
    problems.map(({ code, details, repair }) => [code, details?.['name'], repair]),
    [['PLUGIN_ENTRY_FAILED', 'half', `\`node --check ${join(folder, 'half', 'index.js')}\` shows the place.`]],
  );
});

test('an interface schema that cannot be compiled is a problem of its plugin', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'odd', GOOD);
  await writeFile(join(folder, 'odd', 'interface.schema.json'), JSON.stringify({ type: 'nothing' }));
  const { names, problems } = await load([folder]);
  assert.deepEqual(names, []);
  assert.deepEqual(problems, ['PLUGIN_INTERFACE_SCHEMA_INVALID']);
});

test('of two plugins with one name neither is used, and both are named', async (t) => {
  const [one, other] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(one, 'twin', GOOD);
  await writePlugin(other, 'twin', GOOD);
  await writePlugin(other, 'single', GOOD);
  const { names, problems, messages } = await load([one, other]);
  assert.deepEqual(names, ['single']);
  assert.deepEqual(problems, ['PLUGIN_NAME_TAKEN']);
  for (const folder of [one, other]) assert.ok(messages.includes(join(folder, 'twin')));
});

test('a folder that is not there is a problem', async (t) => {
  const folder = await makeFolder(t);
  assert.deepEqual((await load([join(folder, 'nowhere')])).problems, ['PLUGIN_FOLDER_UNREADABLE']);
});

test('a plugin whose modules never come to an end is left out at the deadline, and the others stay', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'good', GOOD);
  await writePlugin(folder, 'hangs', `globalThis.ringsNow?.(); await new Promise(() => {}); ${GOOD}`);
  const rings: (() => void)[] = [];
  const alarm = (_: number, ring: () => void): (() => void) => {
    rings.push(ring);
    return () => {};
  };
  Object.assign(globalThis, { ringsNow: () => rings.at(-1)?.() });
  t.after(() => Reflect.deleteProperty(globalThis, 'ringsNow'));
  const { names, problems, messages } = await load([folder], { alarm });
  assert.deepEqual([names, problems], [['good'], ['PLUGIN_ENTRY_FAILED']]);
  assert.match(messages, /hangs.*still awaits/);
});

test('what a plugin throws at import shows no value of the environment, and its own path stays legible', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'tells', 'throw new Error("the key is oven-4711 in " + import.meta.url);');
  const { messages } = await load([folder], { variables: { OVEN_KEY: 'oven-4711', HOME: folder, LEVEL: 'the' } });
  assert.match(messages, /the key is \[secret:OVEN_KEY\] in file:/);
  assert.ok(messages.includes(join(folder, 'tells', 'index.js')));
});

test('words that every environment holds are no secrets in what a plugin throws at import', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(
    folder,
    'tells',
    'throw new Error("production needs /usr/bin/oven, not oven-4711, in de_DE.UTF-8");',
  );
  const variables = { NODE_ENV: 'production', PATH: '/usr/bin', LC_ALL: 'de_DE.UTF-8', OVEN_KEY: 'oven-4711' };
  const { messages } = await load([folder], { variables });
  assert.match(messages, /production needs \/usr\/bin\/oven, not \[secret:OVEN_KEY\], in de_DE\.UTF-8/);
});

test('a plugin of which only the source is there says that it is not compiled, and what to do', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'raw', GOOD, { entry: './entry.js' });
  await writeFile(join(folder, 'raw', 'entry.ts'), 'const half: = ;');
  const found = await findPlugins({ folders: [folder] }, await loadManifestCheck());
  const { problems } = await loadPlugins(found.plugins, createCompileSchema());
  assert.match(problems[0]?.message ?? '', /raw\/entry\.js is not there, only its TypeScript is/);
  assert.match(problems[0]?.repair ?? '', /npm run build.*dist\/plugins\/NAME/);
});

test('a plugin that gives back the process has not changed it', async (t) => {
  const folder = await makeFolder(t);
  const { exit } = process;
  await writePlugin(folder, 'exits', 'try { process.exit(0); } catch {} export default { open() {} };');
  const { names, messages } = await load([folder]);
  assert.deepEqual(names, []);
  assert.match(messages, /it called process\.exit\(0\)/);
  assert.equal(process.exit, exit);
});

const CHANGES = {
  'Array.prototype.map': 'Array.prototype.map = () => [];',
  'JSON.parse': 'JSON.parse = () => ({});',
  'Object.prototype.evil': 'Object.prototype.evil = 1;',
  'Object.prototype.get': 'Object.prototype.get = () => 1; Array.prototype.map = () => [];',
  'a symbol of Array.prototype': 'Array.prototype[Symbol.iterator] = function* () {};',
  'Promise.prototype.then':
    'const own = Promise.prototype.then; Promise.prototype.then = function (...all) { return own.apply(this, all); };',
  'String.prototype.trim':
    "Object.defineProperty(String.prototype, 'trim', { get: () => () => 'x' }); throw new Error('as well');",
};

for (const [what, does] of Object.entries(CHANGES))
  test(`a plugin that changes ${what} is left out, and what it changed is as it was`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(folder, 'changer', `${does}\nexport default { open() {} };`);
    await writePlugin(folder, 'sound', 'export default { open() {} };');
    const { names, messages } = await load([folder]);
    assert.deepEqual(names, ['sound']);
    assert.match(messages, /the plugin changer cannot be loaded/);
    if (!does.includes('throw')) assert.ok(messages.includes(`its import changes ${what}`), messages);
    assert.deepEqual([1].map(String), ['1']);
    assert.deepEqual(JSON.parse('[" x "]'), [' x ']);
    assert.equal(' x '.trim(), 'x');
    const [one] = [1];
    assert.equal(one, 1);
    assert.equal('evil' in {} || 'get' in {}, false);
  });

test('a plugin may add what is missing', async (t) => {
  const folder = await makeFolder(t);
  const adds = "Object.defineProperty(Array.prototype, 'chukwaTestOnly', { value: () => 1, configurable: true });";
  t.after(() => Reflect.deleteProperty(Array.prototype, 'chukwaTestOnly'));
  await writePlugin(folder, 'adds', `${adds}\nexport default { open() {} };`);
  assert.deepEqual((await load([folder])).names, ['adds']);
});

for (const way of ['reallyExit(0)', 'abort()'])
  test(`a plugin that calls process.${way} at import is left out`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(folder, 'leaves', `process.${way};\nexport default { open() {} };`);
    const { names, messages } = await load([folder]);
    assert.deepEqual(names, []);
    assert.ok(messages.includes(`it called process.${way}`), messages);
  });

test('files of a plugin that are no regular ones, or too large, are problems and are not read', async (t) => {
  const folder = await makeFolder(t);
  for (const [name, file] of [
    ['zero_manifest', 'plugin.json'],
    ['zero_schema', 'interface.schema.json'],
    ['zero_entry', 'index.js'],
  ] as const) {
    await writePlugin(folder, name, GOOD);
    await rm(join(folder, name, file));
    await symlink('/dev/zero', join(folder, name, file));
  }
  await writePlugin(folder, 'large', GOOD);
  await writeFile(join(folder, 'large', 'plugin.json'), ' '.repeat(1_048_577));
  const { names, messages } = await load([folder]);
  assert.deepEqual(names, []);
  assert.equal(messages.match(/not a regular file/g)?.length, 3);
  assert.match(messages, /larger than 1048576 bytes/);
});
