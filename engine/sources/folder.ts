import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
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
 * The only door to files: it reads regular files below a folder, within the limits of the call. A link is followed to a
 * place that is below the folder too, as those of a volume of Kubernetes, and refused where it leads elsewhere.
 * @param own_folders the engine's own: a folder that is one, holds one or lies in one is refused
 */
export function bindFolder({ variable, path: root }: Folder, own_folders: readonly string[] = []): ReadFile {
  return async (path, call) => {
    const bounds = findCallBounds(call);
    if (!bounds) throw makeSourceFailure('unavailable', 'a source may read files only while it is being asked');
    const names = path.replace(/^\//, '').split('/');
    if (!names.every((name) => NAME.test(name)))
      throw refuseRequest('a file is named by names between single slashes, none of which begins with a dot');
    await bounds.durable;
    bounds.signal.throwIfAborted();
    call?.signal.throwIfAborted();
    const folder = await realpath(root).catch((error: unknown) => {
      throw makeSourceFailure('unavailable', unreadable('the folder', errorCodes(error), variable));
    });
    const overlapping = await Promise.all(own_folders.map((own) => overlaps(folder, own)));
    if (overlapping.includes(true))
      throw makeSourceFailure(
        'unavailable',
        `the folder that ${variable} names is a folder of the engine's own data, holds one or lies in one: name one apart from them`,
      );
    const file = join(folder, ...names);
    const read = (): Promise<Uint8Array> => readBelow(folder, file, bounds.max_response_bytes);
    try {
      // A volume exchanges all of its files at once: the old ones may go between a look and the next.
      return await read().catch((error: unknown) =>
        errorCodes(error).includes('ENOENT') ? read() : Promise.reject(error),
      );
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

async function readBelow(folder: string, named: string, bytes_max: number): Promise<Uint8Array> {
  const file = await realpath(named);
  // Opening a device may already have an effect.
  if (!isBelow(folder, file) || !(await stat(file)).isFile()) throw notPlain();
  const handle = await open(file, READING);
  try {
    if (!(await handle.stat()).isFile() || (await placeOf(handle, file)) !== file) throw notPlain();
    return await readBounded(handle, bytes_max);
  } finally {
    await handle.close();
  }
}

/** Whether a real place is below a folder, and not hidden. Volumes of Kubernetes hold folders such as `..2026_11_27`. */
function isBelow(folder: string, file: string): boolean {
  const names = relative(folder, file).split(sep);
  return names[0] !== '..' && !isAbsolute(names.join(sep)) && !names.some((name) => /^\.(?!\.)/.test(name));
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
  return refuseRequest(
    'it names a folder, a link out of the folder, or something else that is no file',
  ) as unknown as Error;
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
