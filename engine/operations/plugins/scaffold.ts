import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

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
