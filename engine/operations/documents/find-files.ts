import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Problem, problem } from '../../contract/problem.js';
import { nearestName } from '../../core/content/nearest-name.js';
import { isPromptFile } from '../../core/workflow/link/document-kind.js';
import { isWithin } from '../../core/workflow/link/resolve-path.js';
import { realPathOf, unreadable } from './read-file.js';

const FILES_MAX = 10_000;

/** The working folder of a command, and the root below which it may read. */
export interface Place {
  readonly working_folder: string;
  /** As `--root` names it. */
  readonly root?: string;
  /** Files and folders that are not looked for. */
  readonly exclude?: readonly string[];
}

interface FoundFiles {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Whether the files were found below a folder. */
  readonly is_folder: boolean;
  /** Absolute folder that every file must be below. */
  readonly root: string;
  readonly problems: readonly { readonly path: string; readonly problem: Problem }[];
}

/**
 * Finds the files of a given path: the file itself, or all JSON files below the folder. Hidden folders, what package
 * managers keep and what is excluded are skipped, and so are prompts: they are read where a workflow names them.
 */
export async function findFiles(given: string, place: Place): Promise<FoundFiles> {
  const path = resolve(place.working_folder, given);
  // A path that ends with a slash can only name a folder.
  const facts = await stat(/[\\/]$/.test(given) ? `${path}${sep}` : path).catch((error: unknown) => ({ error }));
  const isFolder = 'error' in facts ? false : facts.isDirectory();
  const root = rootOf(path, isFolder, place);
  const excluded = (place.exclude ?? []).map((one) => resolve(place.working_folder, one));
  const isExcluded = (file: string): boolean => excluded.some((one) => one === file || isWithin(one, file));
  const refuse = (problem: Problem): FoundFiles => ({ ...NONE, root, problems: [{ path, problem }] });
  if ('error' in facts) return refuse(await pathFault(path, given, facts.error));
  if (path !== root && !isWithin(root, path)) return refuse(problem('PATH_LEAVES_ROOT', {}));
  if (!isFolder) return { ...NONE, files: [path], root, problems: [] };
  const found = await walk(path, { root: (await realPathOf(root)) ?? root, isExcluded });
  if (found.files.length + found.problems.length === 0) return refuse(problem('NO_DOCUMENTS'));
  if (found.files.length <= FILES_MAX) return { ...found, is_folder: true, root };
  return refuse(problem('TOO_MANY_FILES', { files_max: FILES_MAX }));
}

/** The names of the JSON files and prompts in a folder, as paths; none where it cannot be read. */
export async function listDocumentFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
  return names.filter((name) => name.endsWith('.json') || isPromptFile(name)).map((name) => join(folder, name));
}

const NONE = { files: [], folders: [], is_folder: false };

/** What package managers and compilers keep, with comments or without. */
const OF_PACKAGES =
  /^(node_modules|(package|package-lock|npm-shrinkwrap|deno|composer)\.json|[jt]sconfig(\..+)?\.json)$/;

async function pathFault(path: string, given: string, error: unknown): Promise<Problem> {
  if (hasCode(error, 'ELOOP')) return LINK_LOOP;
  return hasCode(error, 'ENOENT', 'ENOTDIR') ? pathMissing(path, given) : unreadable('path');
}

async function pathMissing(path: string, given: string): Promise<Problem> {
  const names = await readdir(dirname(path)).catch((): string[] => []);
  const nearest = nearestName(
    basename(path),
    names.filter((name) => !name.startsWith('.')),
  );
  return problem('FILE_MISSING', { given, nearest: nearest && join(dirname(given), nearest) });
}

function rootOf(path: string, isFolder: boolean, place: Place): string {
  if (place.root !== undefined) return resolve(place.working_folder, place.root);
  if (isFolder) return path;
  return isWithin(place.working_folder, path) ? place.working_folder : dirname(path);
}

interface Bounds {
  /** By its real path. */
  readonly root: string;
  readonly isExcluded: (path: string) => boolean;
}

async function walk(top: string, { root, isExcluded }: Bounds): Promise<Omit<FoundFiles, 'root' | 'is_folder'>> {
  const files: string[] = [];
  const problems: { readonly path: string; readonly problem: Problem }[] = [];
  const folders = [top];
  for (const folder of folders) {
    const names = await readdir(folder).catch((): undefined => undefined);
    if (!names) problems.push({ path: folder, problem: unreadable('folder') });
    for (const name of (names ?? []).sort()) {
      if (name.startsWith('.') || OF_PACKAGES.test(name) || files.length > FILES_MAX) continue;
      const path = join(folder, name);
      const found = isExcluded(path) ? 'skipped' : await lookAt(path, root);
      if (found === 'folder') folders.push(path);
      else if (found === 'file') files.push(path);
      else if (found !== 'skipped') problems.push({ path, problem: found });
    }
  }
  return { files: files.sort(), folders, problems };
}

async function lookAt(path: string, realRoot: string): Promise<'folder' | 'file' | 'skipped' | Problem> {
  const found = await lstat(path).catch((): undefined => undefined);
  // A name that is not UTF-8 was read with U+FFFD in it, and no such file exists.
  if (!found) return unreadable(path.includes('\uFFFD') ? 'name' : 'deleted');
  if (found.isDirectory()) return 'folder';
  const isDocument = path.endsWith('.json');
  if (!found.isSymbolicLink()) return isDocument ? 'file' : 'skipped';
  const target = await followLink(path, realRoot);
  if (typeof target === 'object') return target;
  // A linked folder within the root is read at its own place.
  return isDocument && target === 'file' ? 'file' : 'skipped';
}

async function followLink(path: string, realRoot: string): Promise<'folder' | 'file' | Problem> {
  try {
    const real = await realpath(path);
    if (real !== realRoot && !isWithin(realRoot, real)) return problem('LINK_LEAVES_ROOT');
    if (!(await stat(real)).isDirectory()) return 'file';
    // A link to a folder that contains the link is a cycle; it is not followed.
    return isWithin(real, join(await realpath(dirname(path)), basename(path))) ? LEADS_AROUND : 'folder';
  } catch (error) {
    return hasCode(error, 'ELOOP') ? LINK_LOOP : unreadable('link');
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.some((code) => (error as NodeJS.ErrnoException).code === code);
}

const LINK_LOOP = problem('LINK_LOOP', { is_around: false });

const LEADS_AROUND = problem('LINK_LOOP', { is_around: true }, { severity: 'note' });
