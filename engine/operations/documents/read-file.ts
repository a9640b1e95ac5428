import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { type Outcome, problem, type Problem, refuse } from '../../contract/problem.js';
import type { Unreadable } from '../../contract/problems/files.js';
import { toPlacer } from '../../core/content/source-places.js';
import { isWithin } from '../../core/workflow/link/resolve-path.js';

/** The largest file that is read: room for the scenario of a hundred thousand entities. */
export const FILE_BYTES_MAX = 16 * 1_048_576;

/**
 * Reads one text file that is, links followed, below one of the roots.
 * @returns its text, a problem, or undefined where there is no file
 */
export async function readTextFile(
  { path, name }: { readonly path: string; readonly name: string },
  realRoots: readonly string[],
): Promise<Outcome<string> | undefined> {
  const real = await realPathOf(path);
  if (real === undefined) return undefined;
  if (!realRoots.some((root) => isWithin(root, real))) return refuse(problem('LINK_LEAVES_ROOT'));
  const file = await readRegularFile(real, FILE_BYTES_MAX);
  switch (file.kind) {
    case 'text':
      return { ok: true, value: file.text };
    case 'unreadable':
      return refuse(unreadable('file'));
    case 'folder':
      // A folder is no document: a reference to it refers to no file.
      return undefined;
    case 'no_file':
      return refuse(problem('NOT_A_FILE', {}));
    case 'too_large':
      return refuse(problem('FILE_TOO_LARGE', { bytes: file.size, bytes_max: FILE_BYTES_MAX }));
    case 'not_utf8':
      return refuse(notUtf8(name, file.bytes));
  }
}

export type ReadFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable' | 'folder' | 'no_file' }
  | { readonly kind: 'too_large'; readonly size: number }
  | { readonly kind: 'not_utf8'; readonly bytes: Uint8Array };

/** Reads a regular file, whole, within a limit of bytes. A pipe or a device may never end: it is refused. */
export async function readRegularFile(path: string, bytes_max: number): Promise<ReadFile> {
  const facts = await stat(path).catch((): undefined => undefined);
  if (!facts) return { kind: 'unreadable' };
  if (!facts.isFile()) return { kind: facts.isDirectory() ? 'folder' : 'no_file' };
  if (facts.size > bytes_max) return { kind: 'too_large', size: facts.size };
  const bytes = await readBytes(path, bytes_max);
  if (bytes === undefined) return { kind: 'unreadable' };
  if (bytes.length > bytes_max) return { kind: 'too_large', size: bytes.length };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'not_utf8', bytes };
  }
}

/** A path with its links followed. @returns undefined where it does not exist */
export async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}

/** The problem of a file or folder that cannot be read. */
export function unreadable(found: Extract<Unreadable, { found: unknown }>['found']): Problem {
  return problem('FILE_UNREADABLE', { found });
}

/** A file can grow after its size was read: one byte more than allowed is enough to know. */
async function readBytes(path: string, bytes_max: number): Promise<Uint8Array | undefined> {
  // Opening does not block, if it has become a pipe without a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const pieces: Buffer[] = [];
    for await (const piece of file.createReadStream({ end: bytes_max, autoClose: false })) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function notUtf8(name: string, bytes: Uint8Array): Problem {
  const place = findFirstBadByte(bytes);
  const before = new TextDecoder().decode(bytes.subarray(0, place));
  const location = toPlacer({ file: name, text: before })(before.length);
  return problem('NOT_UTF8', { byte: place + 1 }, { location });
}

/** Bytes that a lenient decoder replaced do not encode to themselves. */
function findFirstBadByte(bytes: Uint8Array): number {
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const index = bytes.findIndex((byte, at) => byte !== again[at]);
  return index === -1 ? bytes.length : index;
}
