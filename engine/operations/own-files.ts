import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';

/** Others than their owner may read or write it. */
const FOR_OTHERS = 0o077;
/** Others than its owner may put files into it. */
const WRITTEN_BY_OTHERS = 0o022;

/** Why a file is not one that this user alone has written and may read. */
export type Foreign = 'not_a_file' | 'of_another' | 'open_to_others';

/**
 * Whether a file is this user's alone; links are not followed. Where the platform has no owners, every file is.
 * @returns why it is not; undefined where it is
 * @throws what the file system throws where it is not there
 */
export async function findForeign(file: string): Promise<Foreign | undefined> {
  const facts = await lstat(file);
  if (!facts.isFile()) return 'not_a_file';
  if (!isOwn(facts)) return 'of_another';
  return hasModes() && (facts.mode & FOR_OTHERS) !== 0 ? 'open_to_others' : undefined;
}

/** Whether a folder is this user's, and nobody else may put files into it. */
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
