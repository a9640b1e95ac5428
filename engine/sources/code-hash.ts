import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../core/content/sha256.js';

/** Files that a module can import. */
const MODULE = /\.([cm]?[jt]s|json|wasm|node)$/;

/** The most that all modules of a plugin may have together. */
const CODE_BYTES_MAX = 67_108_864;

/**
 * Hashes the code of a plugin without running it: every module file of its folder by path and content, but for installed
 * packages. Links to folders are not followed.
 * @returns as `hash` 64 hex digits, the same wherever the folder is; as `reason` why the code is no plugin's: a file
 * that cannot be read or is no regular one, or more code than a plugin may have
 */
export async function hashCode(folder: string): Promise<CodeHash> {
  try {
    const files = (await listModules(folder, '')).toSorted();
    await demandBounded(folder, files);
    const hashes = files.map(async (path) => `${sha256(await readFile(join(folder, path)))} ${path}\n`);
    return { hash: sha256((await Promise.all(hashes)).join('')) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

type CodeHash = { readonly hash: string } | { readonly reason: string };

/** What a link leads to may be a device that never ends. */
async function demandBounded(folder: string, files: readonly string[]): Promise<void> {
  let bytes = 0;
  for (const path of files) {
    const facts = await stat(join(folder, path));
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
      return (entry.isFile() || entry.isSymbolicLink()) && MODULE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}
