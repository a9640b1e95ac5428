import { problem, refuse, type Refused } from '../contract/problem.js';
import type { UnwritableFile } from '../contract/problems/recordings.js';

/** A failure of a file. Database errors have the same codes, and are handled elsewhere. */
export class FileFault extends Error {
  readonly code: string;
  constructor(code: string) {
    super(FAULTS[code]?.[0] ?? code);
    this.code = code;
  }
}

/** Waits for work on a file. @throws FileFault */
export async function onFile<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new FileFault(String(error.code)) : error;
  }
}

/** Refuses to write a file or a folder. @param path as it was given */
export function unwritable(path: string, { code, message: reason }: FileFault): Refused {
  return refuse(problem('FILE_UNWRITABLE', { path, reason, lacks: FAULTS[code]?.[1] ?? 'place' }));
}

const FAULTS: Readonly<Record<string, readonly [reason: string, lacks: UnwritableFile['lacks']]>> = {
  not_a_file: ['it is not a regular file', 'place'],
  line_too_long: ['a line of it is longer than any row of a world', 'place'],
  ENOENT: ['its folder does not exist', 'place'],
  ENOTDIR: ['a file is in the place of a folder', 'place'],
  EISDIR: ['it is a folder', 'place'],
  EACCES: ['permission is missing', 'permission'],
  EPERM: ['permission is missing', 'permission'],
  EROFS: ['the file system is read-only', 'permission'],
  ENOSPC: ['the disk is full', 'room'],
  EDQUOT: ['the disk quota of this user is used up', 'room'],
  EFBIG: ['it would exceed the largest size of a file here', 'size'],
};
