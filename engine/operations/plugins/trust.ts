import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pick } from '../../contract/pick.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { PluginCatalogue, PluginDescription } from '../../ports/sources.js';
import { findForeign } from '../authoring/own-files.js';
import { writeOwnFile } from '../write-files.js';

// A working folder may have been downloaded, with plugins in it. What a person has confirmed of them is in the folder of
// this user, by path and digest, so that no download brings its own confirmation along.

type Confirmed = Readonly<Record<string, string>>;

const fileIn = (user_folder: string): string => join(user_folder, 'plugins.json');

/** The digest that a person has confirmed of the plugin in a folder; undefined where nobody has. */
export async function findConfirmed(user_folder: string | undefined, folder: string): Promise<string | undefined> {
  const place = await realpath(folder).catch(() => folder);
  const confirmed = await readConfirmed(user_folder);
  return Object.hasOwn(confirmed, place) ? confirmed[place] : undefined;
}

export type TrustedPlugin = Pick<PluginDescription, 'name' | 'folder' | 'digest'>;

/** Confirms a plugin as it is now: its code may run from this folder, until a file of it changes. */
export async function trustPlugin(
  { plugins }: PluginCatalogue,
  asked: { readonly name: string; readonly path: string },
  user_folder: string | undefined,
): Promise<Outcome<TrustedPlugin>> {
  const place = await realpath(asked.path).catch(() => asked.path);
  const places = await Promise.all(plugins.map(({ folder }) => realpath(folder).catch(() => folder)));
  const plugin = plugins[places.indexOf(place)] ?? plugins.find(({ name }) => name === asked.name);
  if (plugin === undefined) return refuse(problem('PLUGIN_UNKNOWN', { kind: 'trusted', name: asked.name }));
  if (user_folder === undefined) return refuse(problem('PLUGIN_UNCONFIRMED', { kind: 'no_place' }));
  const confirmed = { ...(await readConfirmed(user_folder)), [await realpath(plugin.folder)]: plugin.digest };
  const written = await writeOwnFile(fileIn(user_folder), `${JSON.stringify(confirmed, null, 2)}\n`, {
    replaces: true,
  });
  return written.ok ? succeed(pick(plugin, ['name', 'folder', 'digest'])) : written;
}

async function readConfirmed(user_folder: string | undefined): Promise<Confirmed> {
  if (user_folder === undefined) return {};
  try {
    const file = fileIn(user_folder);
    if ((await findForeign(file)) !== undefined) return {};
    return JSON.parse(await readFile(file, 'utf8')) as Confirmed;
  } catch {
    return {};
  }
}
