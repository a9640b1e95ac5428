import { readdir, readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { type TextFile, writeNewFolder } from '../write-files.js';

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
export async function createPlugin({ name, into, taken, package_root }: WantedPlugin): Promise<Outcome<CreatedPlugin>> {
  if (!NAME_PATTERN.test(name)) {
    return refuse(problem('PLUGIN_NAME_INVALID', { name }));
  }
  if (taken.includes(name)) {
    return refuse(problem('PLUGIN_NAME_TAKEN', { name }));
  }
  const folder = resolve(into, name);
  const files = await scaffold(package_root, name);
  const written = await writeNewFolder(folder, files, problem('PLUGIN_FOLDER_EXISTS', { folder }));
  return written.ok ? succeed({ name, folder, files: files.map(({ path }) => path) }) : written;
}

/**
 * Every file of a small working plugin of that name: a service with GET and JSON.
 * @param packageRoot of the template `fixtures/templates/plugin`, a plugin `plugin_name`
 */
export async function scaffold(packageRoot: string, name: string): Promise<readonly TextFile[]> {
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
