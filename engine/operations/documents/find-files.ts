import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { nearestName } from '../../core/content/nearest-name.js';
import { isWithin } from '../../core/workflow/link/resolve-path.js';
import { leavesRoot, realPathOf } from './read-file.js';

/** The most files of one command. */
export const FILES_MAX = 10_000;

/** Where a command stands and how far it may look. */
export interface Place {
  readonly working_folder: string;
  /** As `--root` names it. */
  readonly root?: string;
}

/** What a path that a person gave leads to. */
export interface FoundFiles {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Absolute paths of the folders that were looked through. */
  readonly folders: readonly string[];
  /** Absolute folder below which everything must lie. */
  readonly root: string;
  readonly problems: readonly { readonly path: string; readonly problem: Problem }[];
}

/**
 * Finds the JSON files that a given path means: itself, or all below it. Hidden folders and `node_modules` are passed by.
 */
export async function findFiles(given: string, place: Place): Promise<FoundFiles> {
  const path = resolve(place.working_folder, given);
  const facts = await stat(path).catch(() => undefined);
  const isFolder = facts?.isDirectory() ?? false;
  const root = rootOf(path, isFolder, place);
  const refuse = (problem: Problem): FoundFiles => ({ files: [], folders: [], root, problems: [{ path, problem }] });
  if (!facts) return refuse(await pathMissing(path, given));
  if (path !== root && !isWithin(root, path))
    return refuse({ ...leavesRoot(), code: 'PATH_LEAVES_ROOT', message: 'this lies outside of the root' });
  if (!isFolder) return { files: [path], folders: [], root, problems: [] };
  const found = await walk(path, (await realPathOf(root)) ?? root);
  if (found.files.length + found.problems.length === 0) return refuse(noDocuments());
  if (found.files.length <= FILES_MAX) return { ...found, root };
  return refuse({ code: 'TOO_MANY_FILES', message: `there are more than ${FILES_MAX} JSON files here`, pointer: '' });
}

/** The names of the JSON files in a folder, as paths; none where it cannot be read. */
export async function listJsonFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

async function pathMissing(path: string, given: string): Promise<Problem> {
  const names = await readdir(dirname(path)).catch((): string[] => []);
  const nearest = nearestName(
    basename(path),
    names.filter((name) => !name.startsWith('.')),
  );
  return {
    code: 'FILE_MISSING',
    message: 'there is no such file or folder',
    pointer: '',
    repair: nearest === undefined ? 'Correct the path.' : `Did you mean ${join(dirname(given), nearest)}?`,
  };
}

function noDocuments(): Problem {
  return {
    code: 'NO_DOCUMENTS',
    message: 'there is no JSON document here, so nothing was checked',
    pointer: '',
    repair: 'Documents are files that end in .json; hidden folders and node_modules are passed by.',
  };
}

function rootOf(path: string, isFolder: boolean, place: Place): string {
  if (place.root !== undefined) return resolve(place.working_folder, place.root);
  if (isFolder) return path;
  return isWithin(place.working_folder, path) ? place.working_folder : dirname(path);
}

async function walk(top: string, realRoot: string): Promise<Omit<FoundFiles, 'root'>> {
  const files: string[] = [];
  const problems: { readonly path: string; readonly problem: Problem }[] = [];
  const folders = [top];
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) {
      if (name.startsWith('.') || name === 'node_modules' || files.length > FILES_MAX) continue;
      const path = join(folder, name);
      const found = await lstat(path);
      if (found.isDirectory()) folders.push(path);
      else if (found.isSymbolicLink() && !(await leadsWithin(path, realRoot)))
        problems.push({ path, problem: leavesRoot() });
      else if (name.endsWith('.json') && !(await isLinkedFolder(path))) files.push(path);
    }
  }
  return { files: files.sort(), folders, problems };
}

async function leadsWithin(path: string, realRoot: string): Promise<boolean> {
  const real = await realPathOf(path);
  return real !== undefined && (real === realRoot || isWithin(realRoot, real));
}

/** What a link to a folder within the root holds is found where it lies. */
async function isLinkedFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
