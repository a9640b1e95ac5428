import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../contract/problem.js';
/**
 * How commands write files: whole or not at all. A draft is filled in the folder of the place, flushed to the disk, and
 * moved to the place. After a failure nothing of it stays, so the command can be repeated.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, copyFile, link, lstat, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { FileFault, onFile, unwritable } from './file-fault.js';

interface NewFile {
  readonly path: string;
  /** The path as it was given. */
  readonly shown?: string;
  /** Permission bits. */
  readonly mode?: number;
}

export interface TextFile {
  /** Relative to the written folder, with `/` between names. */
  readonly path: string;
  readonly text: string;
}

type Fill<Value> = (write: (text: string) => Promise<void>) => Promise<Outcome<Value>>;

/** Refuses, before any work is done, a path that could not be written afterwards. */
export async function checkNewFile({ path, shown = path }: NewFile): Promise<Outcome<undefined>> {
  if (await isTaken(path)) return fileExists(shown);
  try {
    // A path through something that is no folder fails with the dot.
    await onFile(access(`${dirname(path)}${sep}.`, constants.W_OK | constants.X_OK));
    return succeed(undefined);
  } catch (error) {
    return toRefused(shown, error);
  }
}

/**
 * Writes a file that does not exist yet, into an existing folder.
 * @param fill writes the text in pieces; where it refuses, no file comes into being
 */
export async function writeNewFile<Value>(file: NewFile, fill: Fill<Value>): Promise<Outcome<Value>> {
  const { path, shown = path, mode } = file;
  const free = await checkNewFile(file);
  if (!free.ok) return free;
  return withDraft({ folder: dirname(path), shown }, async (draft) => {
    const filled = await fillFile(draft, fill, mode);
    if (filled.ok) await moveOnce(draft, path);
    return filled;
  });
}

/** The same with a text. */
export function writeNewText(file: NewFile, text: string): Promise<Outcome<undefined>> {
  return writeNewFile(file, fillWith(text));
}

/** Writes a file that only this user may read, and makes its folder likewise. */
export async function writeOwnFile(
  path: string,
  text: string,
  { replaces }: { readonly replaces: boolean },
): Promise<Outcome<undefined>> {
  if (!replaces && (await isTaken(path))) return fileExists(path);
  return withDraft({ folder: dirname(path), shown: path, mode: 0o700 }, async (draft) => {
    const filled = await fillFile(draft, fillWith(text), 0o600);
    await (replaces ? onFile(rename(draft, path)) : moveOnce(draft, path));
    return filled;
  });
}

/** Writes a folder that does not exist yet, and makes those around it. @param taken the refusal of an existing one */
export async function writeNewFolder(
  folder: string,
  files: readonly TextFile[],
  taken: Problem,
): Promise<Outcome<undefined>> {
  if (await isTaken(folder)) return refuse(taken);
  return withDraft({ folder: dirname(folder), shown: folder }, async (draft) => {
    await fillFolder(draft, files);
    await onFile(rename(draft, folder));
    return succeed(undefined);
  });
}

/** Writes files into a folder, which is made if need be. Existing files of these names are replaced. */
export function replaceFiles(folder: string, files: readonly TextFile[]): Promise<Outcome<undefined>> {
  return withDraft({ folder, shown: folder }, async (draft) => {
    await fillFolder(draft, files);
    for (const { path } of files) await onFile(rename(join(draft, path), join(folder, path)));
    return succeed(undefined);
  });
}

/** A link that leads nowhere takes its place, too. */
async function isTaken(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function fileExists(path: string): Refused {
  return refuse(problem('FILE_EXISTS', { path }));
}

function toRefused(shown: string, error: unknown): Refused {
  if (!(error instanceof FileFault)) throw error;
  return error.code === 'EEXIST' ? fileExists(shown) : unwritable(shown, error);
}

interface Place {
  /** It is made if need be. */
  readonly folder: string;
  /** The permission bits of a folder that is made. */
  readonly mode?: number;
  readonly shown: string;
}

/** Makes a path for a draft in a folder. What `use` leaves there is removed. */
async function withDraft<Value>(
  { folder, mode, shown }: Place,
  use: (draft: string) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const draft = join(folder, `.chukwa-${randomUUID()}.part`);
  const made: string[] = [];
  try {
    await makeFolder(folder, made, mode);
    return await use(draft);
  } catch (error) {
    return toRefused(shown, error);
  } finally {
    // Nothing is there to remove where its folder cannot be used.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    // Only empty ones can be removed, so they stay after a success.
    for (const empty of made.toReversed()) await rmdir(empty).catch(() => {});
  }
}

/**
 * One level at a time: Node's recursive mkdir never ends where a file system says that a new folder is not there.
 * @param made grows by each folder that is made
 */
async function makeFolder(path: string, made: string[], mode?: number): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent, made, mode);
  try {
    await onFile(mkdir(path, mode));
    made.push(path);
  } catch (error) {
    if (await isFolder(path)) return;
    throw error instanceof FileFault && error.code === 'EEXIST' ? new FileFault('ENOTDIR') : error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function fillFolder(folder: string, files: readonly TextFile[]): Promise<void> {
  await onFile(mkdir(folder));
  for (const { path, text } of files) {
    const file = join(folder, path);
    await onFile(mkdir(dirname(file), { recursive: true }));
    await fillFile(file, fillWith(text));
  }
}

function fillWith(text: string): Fill<undefined> {
  return async (write) => {
    await write(text);
    return succeed(undefined);
  };
}

async function fillFile<Value>(path: string, fill: Fill<Value>, mode?: number): Promise<Outcome<Value>> {
  const handle = await onFile(open(path, 'wx', mode));
  try {
    const filled = await fill((text) => onFile(handle.writeFile(text)));
    await onFile(handle.sync());
    return filled;
  } finally {
    await handle.close();
  }
}

/** Never over an existing file. A file system without hard links copies, and takes a broken copy away. */
async function moveOnce(draft: string, path: string): Promise<void> {
  try {
    await onFile(link(draft, path));
  } catch (error) {
    if (error instanceof FileFault && error.code === 'EEXIST') throw error;
    await onFile(copyFile(draft, path, constants.COPYFILE_EXCL));
  }
}
