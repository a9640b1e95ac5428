import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';

/** Permission bits by which others may read or write a file. */
const FOR_OTHERS = 0o077;
/** Permission bits by which others may create files in a folder. */
const WRITTEN_BY_OTHERS = 0o022;

/** Why a file is not private to this user. */
type Foreign = 'not_a_file' | 'of_another' | 'open_to_others';

/**
 * Whether a file is private to this user; links are not followed. Where the platform has no owners, every file is.
 * @returns why it is not; undefined where it is
 * @throws the file system's error where it does not exist
 */
export async function findForeign(file: string): Promise<Foreign | undefined> {
  const facts = await lstat(file);
  if (!facts.isFile()) return 'not_a_file';
  if (!isOwn(facts)) return 'of_another';
  return hasModes() && (facts.mode & FOR_OTHERS) !== 0 ? 'open_to_others' : undefined;
}

/** Whether a folder belongs to this user, and no other user may create files in it. */
export async function isOwnFolder(folder: string): Promise<boolean> {
  const facts = await stat(folder);
  return facts.isDirectory() && isOwn(facts) && !(hasModes() && (facts.mode & WRITTEN_BY_OTHERS) !== 0);
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function hasModes(): boolean {
  return process.platform !== 'win32';
}
