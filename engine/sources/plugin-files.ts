import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../contract/json.js';
import { describeTextFault, parseJson } from '../core/content/parse-json.js';
import { sha256 } from '../core/content/sha256.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';

/** A folder with a valid manifest; none of its code has run. */
export interface FoundPlugin {
  readonly folder: string;
  readonly manifest: PluginManifest;
  /** Only the working folder holds it, and that may have been downloaded. */
  readonly is_of_working_folder?: boolean;
}

/** The largest file of a plugin that is read; documents have the same bound. */
const FILE_BYTES_MAX = 1_048_576;

/** The content of a file, or the reason why that is not JSON. */
type JsonFile =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string; readonly is_missing?: true };

/** Reads a JSON file of a plugin: a regular file of bounded size, through links as well. */
export async function readJsonFile(file: string): Promise<JsonFile> {
  try {
    const refusal = await findRefusal(file);
    if (refusal !== undefined) return { ok: false, reason: refusal };
    const text = await readBounded(file);
    if (text === undefined) return { ok: false, reason: `it is larger than ${FILE_BYTES_MAX} bytes` };
    const parsed = parseJson(text);
    return parsed.ok ? parsed : { ok: false, reason: describeTextFault(parsed.fault) };
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

/** Files that a module can import; a package of CommonJS imports those without an extension, too. */
const MODULE = /(^|\/)[^.]+$|\.([cm]?[jt]s|json|wasm|node)$/;

/** The most that all modules of a plugin may have together. */
const CODE_BYTES_MAX = 67_108_864;

/**
 * Hashes the code of a plugin without running it: every module file of its folder by path and content, but for installed
 * packages.
 * @returns as `hash` 64 hex digits, the same wherever the folder is; as `reason` why the code is no plugin's: a file
 * that cannot be read or is no regular one, a link to a folder, or more code than a plugin may have
 */
export async function hashCode(folder: string): Promise<{ readonly hash: string } | { readonly reason: string }> {
  try {
    const files = (await listModules(folder, '')).toSorted();
    await demandBounded(folder, files);
    const hashes = files.map(async (path) => `${sha256(await readFile(join(folder, path)))} ${path}\n`);
    return { hash: sha256((await Promise.all(hashes)).join('')) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** A link may lead to a device that never ends. */
async function demandBounded(folder: string, files: readonly string[]): Promise<void> {
  let bytes = 0;
  for (const path of files) {
    const facts = await stat(join(folder, path));
    if (facts.isDirectory()) throw new Error(`${path} is a link to a folder`);
    if (!facts.isFile()) throw new Error(`${path} is not a regular file`);
    bytes += facts.size;
    if (bytes > CODE_BYTES_MAX) throw new Error(`its modules have more than ${CODE_BYTES_MAX} bytes, by ${path}`);
  }
}

async function listModules(root: string, inside: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listModules(root, path);
      return entry.isSymbolicLink() || MODULE.test(path) ? [path] : [];
    }),
  );
  return found.flat();
}
