import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type Done, refuse, succeed } from '../engine.js';

const NAME_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;

interface WantedPlugin {
  readonly name: string;
  readonly into: string;
  readonly taken: readonly string[];
  readonly package_root: string;
}

export interface CreatedPlugin {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** Writes a small complete plugin. Nothing is written where the name is bad or taken, or the folder exists. */
export async function createPlugin({ name, into, taken, package_root }: WantedPlugin): Promise<Done<CreatedPlugin>> {
  if (!NAME_PATTERN.test(name)) {
    return refuse({
      code: 'PLUGIN_NAME_INVALID',
      message: `${JSON.stringify(name)} cannot be a plugin's name.`,
      repair: 'Use lower-case letters, digits and underscores, at most 64, with a letter first.',
    });
  }
  if (taken.includes(name)) {
    return refuse({
      code: 'PLUGIN_NAME_TAKEN',
      message: `The plugin ${name} already exists.`,
      repair: 'Choose another name; chukwa plugin list shows the existing ones.',
    });
  }
  const folder = resolve(into, name);
  if (await stat(folder).catch(() => undefined)) {
    return refuse({
      code: 'PLUGIN_FOLDER_EXISTS',
      message: `${folder} already exists, and is not overwritten.`,
      repair: 'Choose another name, or another folder with --into.',
    });
  }
  const files = await scaffold(package_root, name);
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
  return succeed({ name, folder, files: files.map(({ path }) => path) });
}

interface ScaffoldFile {
  /** Relative to the plugin's folder, with `/` between names. */
  readonly path: string;
  readonly text: string;
}

/**
 * Every file of a small working plugin of that name: a service with GET and JSON.
 * @param packageRoot of the template `fixtures/templates/plugin`, a plugin `plugin_name`
 */
export async function scaffold(packageRoot: string, name: string): Promise<readonly ScaffoldFile[]> {
  const folder = join(packageRoot, 'fixtures', 'templates', 'plugin');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const named = nameIn(name);
  return Promise.all(
    files.sort().map(async (file) => ({
      path: named(file.slice(folder.length + 1).replaceAll(sep, '/')),
      text: named(await readFile(file, 'utf8')),
    })),
  );
}

function nameIn(name: string): (text: string) => string {
  const words = name.split('_').filter((word) => word !== '');
  const spellings = {
    plugin_name: name,
    PluginName: words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join(''),
    PLUGIN_NAME: name.toUpperCase(),
    'plugin-plugin-name': `plugin-${words.join('-')}`,
  };
  return (text) =>
    Object.entries(spellings).reduce((named, [template, spelling]) => named.replaceAll(template, () => spelling), text);
}
