import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { platform } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { ReadFile, SourceFailure } from '../contract/source.js';
import { findCallBounds } from './call-bounds.js';
import { errorCodes, findSourceFailure, makeSourceFailure, refuseRequest } from './source-failure.js';

/** A folder of the operator's, from which a source reads files. */
export interface Folder {
  /** The variable that names it; for messages. */
  readonly variable: string;
  /** Absolute. */
  readonly path: string;
}

/** One name in a folder: not hidden, and no way to another folder. */
const NAME = /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u;

/** Opening a pipe does not wait, and a link at the end of the path is not followed. Windows has neither flag: undefined adds none. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The only door to files: it reads regular files below a folder, within the limits of the call. A link anywhere below the
 * folder is refused, wherever it leads.
 * @param own_folder the engine's own: a folder that is it, holds it or lies in it is refused
 */
export function bindFolder({ variable, path: root }: Folder, own_folder?: string): ReadFile {
  return async (path, call) => {
    const bounds = findCallBounds(call);
    if (!bounds) throw makeSourceFailure('unavailable', 'a source may read files only while it is being asked');
    const names = path.replace(/^\//, '').split('/');
    if (!names.every((name) => NAME.test(name)))
      throw refuseRequest('a file is named by names between single slashes, none of which begins with a dot');
    await bounds.durable;
    bounds.signal.throwIfAborted();
    const folder = await realpath(root).catch((error: unknown) => {
      throw makeSourceFailure('unavailable', unreadable('the folder', errorCodes(error), variable));
    });
    if (own_folder !== undefined && (await overlaps(folder, own_folder)))
      throw makeSourceFailure(
        'unavailable',
        `the folder that ${variable} names is the folder of the engine's own data, holds it or lies in it: name one apart from it`,
      );
    try {
      return await readBelow(join(folder, ...names), bounds.max_response_bytes);
    } catch (error) {
      throw findSourceFailure(error) ?? toFailure(errorCodes(error), variable);
    }
  };
}

async function overlaps(folder: string, own_folder: string): Promise<boolean> {
  // Before its first use it is not there.
  const own = await realpath(own_folder).catch(() => own_folder);
  return [relative(folder, own), relative(own, folder)].some((way) => way.split(sep)[0] !== '..' && !isAbsolute(way));
}

async function readBelow(file: string, bytes_max: number): Promise<Uint8Array> {
  // Opening a device may already have an effect.
  if (!(await lstat(file)).isFile()) throw notPlain();
  const handle = await open(file, READING);
  try {
    if (!(await handle.stat()).isFile() || (await placeOf(handle, file)) !== file) throw notPlain();
    return await readBounded(handle, bytes_max);
  } finally {
    await handle.close();
  }
}

/** Where an open file is. Linux knows it of the handle, so that a folder cannot be exchanged for a link meanwhile. */
function placeOf(handle: FileHandle, file: string): Promise<string> {
  return realpath(platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : file);
}

/** A file can grow while it is read: one byte more than allowed is enough to know. */
async function readBounded(handle: FileHandle, bytes_max: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of handle.createReadStream({ end: bytes_max })) {
    pieces.push(piece as Uint8Array);
    length += (piece as Uint8Array).byteLength;
  }
  if (length > bytes_max)
    throw makeSourceFailure('result_too_large', `the file has more than ${bytes_max} bytes, which is the limit`);
  return Buffer.concat(pieces);
}

function notPlain(): Error {
  return refuseRequest('it names a link or a folder, or something else that is no file') as unknown as Error;
}

/** A file that is not there is an answer, which a model may be shown; a folder that cannot be read is the operator's. */
function toFailure(codes: readonly string[], variable: string): SourceFailure {
  if (codes.includes('ENOENT') || codes.includes('ENOTDIR'))
    return makeSourceFailure('tool_error', `there is no such file in the folder that ${variable} names`);
  if (codes.includes('ENAMETOOLONG'))
    return makeSourceFailure('tool_error', `a name is too long for the folder that ${variable} names`);
  return makeSourceFailure('unavailable', unreadable('the file in the folder', codes, variable));
}

function unreadable(what: string, codes: readonly string[], variable: string): string {
  return `${what} that ${variable} names cannot be read${codes[0] === undefined ? '' : `: ${codes[0]}`}`;
}
