import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import type { PluginPlaces } from '../../engine/sources/plugin-places.js';
import { findPlugins, describePlugins } from '../../engine/sources/registry.js';
import { loadManifestCheck, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

async function find(
  places: PluginPlaces,
): Promise<{ readonly names: readonly string[]; readonly codes: readonly string[] }> {
  const found = await findPlugins(places, await loadManifestCheck());
  const loaded = await describePlugins(found.plugins, createCompileSchema());
  return {
    names: loaded.plugins.map(({ name }) => name).sort(),
    codes: [...found.problems, ...loaded.problems].map(({ code }) => code),
  };
}

async function writePackage(modules: string, name: string, plugin: string): Promise<void> {
  await writePlugin(modules, plugin, GOOD);
  await rename(join(modules, plugin), join(modules, name));
}

test('installed packages named chukwa-plugin-* are plugins, and no others are', async (t) => {
  const modules = await makeFolder(t);
  await writePackage(modules, 'chukwa-plugin-tides', 'tides');
  await writePackage(modules, 'other-package', 'other');
  assert.deepEqual(await find({ folders: [], package_folders: [modules] }), { names: ['tides'], codes: [] });
});

test('an installed package that says that it is a plugin and has no manifest is a problem', async (t) => {
  const modules = await makeFolder(t);
  await mkdir(join(modules, 'chukwa-plugin-empty'));
  await writePackage(modules, 'chukwa-plugin-tides', 'tides');
  assert.deepEqual(await find({ folders: [], package_folders: [modules] }), {
    names: ['tides'],
    codes: ['PLUGIN_MANIFEST_INVALID'],
  });
});

test('a folder that need not be there is no problem where it is not', async (t) => {
  const nowhere = join(await makeFolder(t), 'nowhere');
  const places = { folders: [], working_folder: nowhere, package_folders: [nowhere], sources_folder: nowhere };
  assert.deepEqual(await find(places), { names: [], codes: [] });
});

test('a plugin to which several ways lead is one plugin', async (t) => {
  const [folder, modules] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(join(folder, 'plugins'), 'tides', GOOD);
  await symlink(join(folder, 'plugins', 'tides'), join(modules, 'chukwa-plugin-tides'));
  const plugins = join(folder, 'plugins');
  const places = { folders: [plugins, `${plugins}/`], working_folder: folder, package_folders: [modules] };
  assert.deepEqual(await find(places), { names: ['tides'], codes: [] });
});

test('an installed plugin and one of the working folder that share a name are both refused', async (t) => {
  const [folder, modules] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(join(folder, 'plugins'), 'tides', GOOD);
  await writePlugin(join(folder, 'plugins'), 'winds', GOOD);
  await writePackage(modules, 'chukwa-plugin-tides', 'tides');
  assert.deepEqual(await find({ folders: [], working_folder: folder, package_folders: [modules] }), {
    names: ['winds'],
    codes: ['PLUGIN_NAME_TAKEN'],
  });
});

test('compiled files are used as compiled, and plain JavaScript beside its source', async (t) => {
  const [compiled, sources] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(compiled, 'tides', GOOD);
  await writePlugin(sources, 'tides', GOOD);
  await rm(join(sources, 'tides', 'index.js'));
  await writeFile(join(sources, 'tides', 'index.ts'), GOOD);
  await writePlugin(sources, 'winds', GOOD);
  const found = await findPlugins({ folders: [compiled], sources_folder: sources }, await loadManifestCheck());
  assert.deepEqual(found.problems, []);
  assert.deepEqual(
    found.plugins.map(({ folder }) => [basename(folder), folder.startsWith(compiled)]),
    [
      ['tides', true],
      ['winds', false],
    ],
  );
});

test('the shipped places do not hide a plugin of the working folder that has a name of theirs', async (t: TestContext) => {
  const [shipped, working] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(shipped, 'tides', GOOD);
  await writePlugin(join(working, 'plugins'), 'tides', GOOD);
  assert.deepEqual(await find({ folders: [shipped], working_folder: working }), {
    names: [],
    codes: ['PLUGIN_NAME_TAKEN'],
  });
});
