import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/json.js';

/** Reads the schemas that ship, by file name. @throws Error where the folder is missing: the package is broken */
export async function loadShippedSchemas(folder: string): Promise<ReadonlyMap<string, JsonObject>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.schema.json')).sort();
  const schemas = names.map(
    async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8')) as JsonObject] as const,
  );
  return new Map(await Promise.all(schemas));
}
