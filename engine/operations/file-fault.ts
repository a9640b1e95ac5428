import { type Refused, refuse } from './engine.js';

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

/** Refuses to write a file or a folder. @param shown the path as it was given */
export function unwritable(shown: string, { code, message }: FileFault): Refused {
  return refuse({
    code: 'FILE_UNWRITABLE',
    message: `${shown} cannot be written: ${message}.`,
    repair: FAULTS[code]?.[1] ?? OTHER_PLACE,
  });
}

const ROOM = 'Free space there, or name a place on another disk.';
const PERMITTED = 'Name a place that you may write.';
const OTHER_PLACE = 'Name a place in an existing folder.';

const FAULTS: Readonly<Record<string, readonly [reason: string, repair: string]>> = {
  not_a_file: ['it is not a regular file', OTHER_PLACE],
  line_too_long: ['a line of it is longer than any row of a world', OTHER_PLACE],
  ENOENT: ['its folder does not exist', OTHER_PLACE],
  ENOTDIR: ['a file is in the place of a folder', OTHER_PLACE],
  EISDIR: ['it is a folder', OTHER_PLACE],
  EACCES: ['permission is missing', PERMITTED],
  EPERM: ['permission is missing', PERMITTED],
  EROFS: ['the file system is read-only', PERMITTED],
  ENOSPC: ['the disk is full', ROOM],
  EDQUOT: ['the disk quota of this user is used up', ROOM],
  EFBIG: [
    'it would exceed the largest size of a file here',
    'Allow larger files, such as by ulimit -f unlimited, or name a place on another disk.',
  ],
};
