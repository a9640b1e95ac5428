import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../core/content/sha256.js';

/** Files that a module can import. */
const MODULE = /\.([cm]?[jt]s|json|wasm|node)$/;

/**
 * Hashes the code of a plugin without running it: every module file of its folder by path and content, but for installed
 * packages. Links to folders are not followed.
 * @returns 64 hex digits, the same wherever the folder stands
 * @throws where a file cannot be read
 */
export async function hashCode(folder: string): Promise<string> {
  const files = (await listModules(folder, '')).toSorted();
  const lines = await Promise.all(files.map(async (path) => `${sha256(await readFile(join(folder, path)))} ${path}\n`));
  return sha256(lines.join(''));
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
