import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Problem, problem } from '../contract/problem.js';

/** Where plugins are found; absolute paths. */
export interface PluginPlaces {
  /** Folders that hold plugin folders. One that cannot be read is a problem. */
  readonly folders: readonly string[];
  /** The source folder of one of `folders`, where it is there: compiled files in it are skipped. */
  readonly sources_folder?: string;
  /** `node_modules` folders: packages in them whose name begins with `chukwa-plugin-` are plugin folders. */
  readonly package_folders?: readonly string[];
  /** The folder that the program was started in: its `plugins` and `node_modules` may have been downloaded with it. */
  readonly working_folder?: string;
}

/** Plugin folders, each once however many ways lead to it. */
interface PlacedPlugins {
  readonly folders: readonly string[];
  /** Those of them that only the working folder holds: their code runs once a person has confirmed it. */
  readonly of_working_folder: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/** The prefix of the names of installed plugin packages. */
const PACKAGE_PREFIX = 'chukwa-plugin-';

/** Lists the plugin folders of all places. Reads no manifest and runs no code. */
export async function listPluginFolders(places: PluginPlaces): Promise<PlacedPlugins> {
  const named = await Promise.all(places.folders.map(listNamed));
  const first = named.flatMap(({ folders }) => folders);
  const compiled = new Set(first.map((folder) => basename(folder)));
  const sources = places.sources_folder === undefined ? [] : await listWithManifest(places.sources_folder);
  const packages = await Promise.all((places.package_folders ?? []).map(listPackages));
  const uncompiled = sources.filter((folder) => !compiled.has(basename(folder)));
  const chosen = [...first, ...uncompiled, ...packages.flat()];
  const working = places.working_folder === undefined ? [] : await listWorking(places.working_folder);
  return {
    folders: await listOnce([...chosen, ...working]),
    of_working_folder: new Set(working.filter((folder) => !chosen.includes(folder))),
    problems: named.flatMap(({ problems }) => problems),
  };
}

async function listWorking(folder: string): Promise<readonly string[]> {
  const [own, packages] = await Promise.all([
    listWithManifest(join(folder, 'plugins')),
    listPackages(join(folder, 'node_modules')),
  ]);
  return [...own, ...packages];
}

async function listNamed(folder: string): Promise<Omit<PlacedPlugins, 'of_working_folder'>> {
  try {
    await readdir(folder);
    return { folders: await listWithManifest(folder), problems: [] };
  } catch (error) {
    const facts = { folder, reason: (error as Error).message };
    return { folders: [], problems: [problem('PLUGIN_FOLDER_UNREADABLE', facts, { details: { folder } })] };
  }
}

async function listWithManifest(folder: string): Promise<readonly string[]> {
  const inside = (await listNames(folder)).map((name) => join(folder, name));
  const files = await Promise.all(inside.map(listNames));
  return inside.filter((_, index) => files[index]?.includes('plugin.json'));
}

/** A package of that name says that it is a plugin: without a manifest it is a broken one, and none that is passed by. */
async function listPackages(folder: string): Promise<readonly string[]> {
  const names = await listNames(folder);
  return names.filter((name) => name.startsWith(PACKAGE_PREFIX)).map((name) => join(folder, name));
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch((): string[] => [])).toSorted();
}

async function listOnce(folders: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return folders.filter((_, index) => real.indexOf(real[index] ?? '') === index);
}
