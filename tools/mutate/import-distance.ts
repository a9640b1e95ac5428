import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { listFiles } from './list-files.js';

/** The compiled modules of a folder that import each of its modules themselves. */
export type Importers = ReadonlyMap<string, readonly string[]>;

/** Reads what the compiled modules below some folders import. */
export function readImporters(folders: readonly string[]): Importers {
  const importers = new Map<string, string[]>();
  for (const path of folders.flatMap((folder) => listFiles(folder, '.js'))) {
    for (const imported of listImports(path)) importers.set(imported, [...(importers.get(imported) ?? []), path]);
  }
  return importers;
}

/** Counts the imports that lead from each module to one: 1 where it imports it itself. Where none lead there, it is left out. */
export function distancesTo(importers: Importers, path: string): ReadonlyMap<string, number> {
  const distances = new Map([[path, 0]]);
  // A map gives what is added while it is gone through.
  for (const [module, distance] of distances) {
    for (const importer of importers.get(module) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  return distances;
}

/** The modules of the checkout that a compiled module imports. */
function listImports(path: string): readonly string[] {
  const specifiers = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g);
  return [...specifiers].map(([, specifier]) => resolve(dirname(path), specifier ?? '')).filter(existsSync);
}
