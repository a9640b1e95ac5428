import { open, realpath, stat } from 'node:fs/promises';
import type { Outcome, Problem } from '../../contract/problem.js';
import type { ProblemCode } from '../../contract/problems/index.js';
import { placeAt } from '../../core/content/source-tree.js';
import { isWithin } from '../../core/workflow/link/resolve-path.js';

/** The largest file that is read: room for the scenario of a hundred thousand entities. */
export const FILE_BYTES_MAX = 16 * 1_048_576;

/**
 * Reads one text file that lies, links followed, below one of the roots.
 * @returns its text, a problem, or undefined where no file stands at the path
 */
export async function readTextFile(
  { path, name }: { readonly path: string; readonly name: string },
  realRoots: readonly string[],
): Promise<Outcome<string> | undefined> {
  const real = await realPathOf(path);
  if (real === undefined) return undefined;
  if (!realRoots.some((root) => isWithin(root, real))) return refuse(leavesRoot());
  const facts = await stat(real).catch((): undefined => undefined);
  if (!facts) return refuse(unreadable('this file may not be read'));
  // A folder holds documents and is none: whoever refers to it refers to no file.
  if (facts.isDirectory()) return undefined;
  // Opening a pipe would wait for somebody to write into it.
  if (!facts.isFile()) return refuse(simple('NOT_A_FILE', 'this is not a regular file', 'Name a file.'));
  if (facts.size > FILE_BYTES_MAX) return refuse(tooLarge(facts.size));
  const bytes = await readBytes(real);
  if (bytes === undefined) return refuse(unreadable('this file may not be read'));
  return bytes.length > FILE_BYTES_MAX ? refuse(tooLarge(bytes.length)) : decode(name, bytes);
}

/** A path with its links followed. @returns undefined where it leads nowhere */
export async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}

/** A link that leads where no document may be read. */
export function leavesRoot(): Problem {
  return simple(
    'LINK_LEAVES_ROOT',
    'this link leaves the folder that may be read',
    'Copy the file, or name a folder that holds both with --root.',
  );
}

/** Something that stands there and cannot be looked into. */
export function unreadable(message: string): Problem {
  return simple('FILE_UNREADABLE', message, 'Check name and permissions, or take it out.');
}

/** A file can grow between its size and its reading: one byte more than allowed is enough to know. */
async function readBytes(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const buffer = new Uint8Array(FILE_BYTES_MAX + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function decode(name: string, bytes: Uint8Array): Outcome<string> {
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const place = findFirstBadByte(bytes);
    const problem = simple('NOT_UTF8', `byte ${place + 1} is not UTF-8`, 'Save the file as UTF-8.');
    const before = new TextDecoder().decode(bytes.subarray(0, place));
    return refuse({ ...problem, location: placeAt({ file: name, text: before }, before.length) });
  }
}

/** What a lenient decoder replaced no longer encodes to the same bytes. */
function findFirstBadByte(bytes: Uint8Array): number {
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const index = bytes.findIndex((byte, at) => byte !== again[at]);
  return index === -1 ? bytes.length : index;
}

function tooLarge(size: number): Problem {
  return simple('FILE_TOO_LARGE', `this file has ${size} bytes, and ${FILE_BYTES_MAX} are read at most`, 'Split it.');
}

function simple(code: ProblemCode, message: string, repair: string): Problem {
  return { code, message, pointer: '', repair };
}

function refuse(problem: Problem): Outcome<never> {
  return { ok: false, problems: [problem] };
}
