import { open, stat } from 'node:fs/promises';
import type { Json } from '../contract/json.js';
import { describeTextFault, parseJson } from '../core/content/parse-json.js';

/** The largest file of a plugin that is read; documents have the same bound. */
const FILE_BYTES_MAX = 1_048_576;

/** What a file holds, or why that is not JSON. */
export type JsonFile =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string; readonly is_missing?: true };

/** Reads a JSON file of a plugin: a regular file of bounded size, whatever link leads to it. */
export async function readJsonFile(file: string): Promise<JsonFile> {
  try {
    const refusal = await findRefusal(file);
    if (refusal !== undefined) return { ok: false, reason: refusal };
    const text = await readBounded(file);
    return text === undefined ? { ok: false, reason: TOO_LARGE } : toJson(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return { ok: false, reason: (error as Error).message };
    return { ok: false, reason: 'there is no such file', is_missing: true };
  }
}

/** Why nothing is read from a path: opening a pipe would wait for a writer, and some devices never end. @throws where nothing is there */
export async function findRefusal(file: string): Promise<string | undefined> {
  const facts = await stat(file);
  return facts.isFile() ? undefined : 'it is not a regular file';
}

const TOO_LARGE = `it is larger than ${FILE_BYTES_MAX} bytes`;

/** A file can grow between its size and its reading: one byte more than allowed is enough to know. */
async function readBounded(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(FILE_BYTES_MAX + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > FILE_BYTES_MAX) return undefined;
      if (bytesRead === 0) return buffer.toString('utf8', 0, length);
    }
  } finally {
    await file.close();
  }
}

function toJson(text: string): JsonFile {
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, reason: describeTextFault(parsed.fault) };
}
