import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files below a folder whose names end so, in the order of their names. */
export function listFiles(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .toSorted();
}
