import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Done, refuse, type Refused, succeed } from './engine.js';

/** Refuses, before any work is done, a path that could not be written afterwards. */
export async function checkNewFile(path: string, shown = path): Promise<Done<undefined>> {
  if (existsSync(path)) return fileExists(shown);
  const folder = await stat(dirname(path)).catch(() => undefined);
  return folder?.isDirectory() === true ? succeed(undefined) : fileUnwritable(shown, 'its folder does not exist');
}

/** Writes a file that does not exist yet; an existing one is never overwritten. @param shown the path as it was given */
export async function writeNewFile(path: string, text: string, shown = path): Promise<Done<string>> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return succeed(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'EEXIST' ? fileExists(shown) : fileUnwritable(shown, message);
  }
}

export function fileExists(shown: string): Refused {
  return refuse({
    code: 'FILE_EXISTS',
    message: `${shown} already exists, and is not overwritten.`,
    repair: 'Name another file, or remove this one.',
  });
}

function fileUnwritable(shown: string, reason: string): Refused {
  return refuse({
    code: 'FILE_UNWRITABLE',
    message: `${shown} cannot be written: ${reason}.`,
    repair: 'Name a file in an existing folder.',
  });
}
