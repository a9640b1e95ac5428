import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Counts the imports that lead from a compiled module to another: 1 where it imports it itself, and `Infinity` where
 * nothing that it imports leads there.
 */
export function importDistance(from: string, to: string): number {
  const seen = new Set<string>();
  let paths: readonly string[] = [from];
  for (let distance = 0; paths.length > 0; distance += 1) {
    if (paths.includes(to)) return distance;
    for (const path of paths) seen.add(path);
    paths = [...new Set(paths.flatMap(listImports))].filter((path) => !seen.has(path));
  }
  return Infinity;
}

/** The modules of the checkout that a compiled module imports. */
function listImports(path: string): readonly string[] {
  const specifiers = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g);
  return [...specifiers].map(([, specifier]) => resolve(dirname(path), specifier ?? '')).filter(existsSync);
}
