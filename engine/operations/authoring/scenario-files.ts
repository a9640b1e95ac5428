import { present } from '../../contract/present.js';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SHIPPED_PREFIX } from '../../core/workflow/link/resolve-path.js';
import type { LinkedDocument } from '../../core/workflow/link.js';
import type { ScenarioFiles } from '../../ports/worlds.js';
import type { Place } from '../documents/index.js';

/** The files of a scenario that was read from a path, with their digests. */
export async function digestFiles(
  path: string,
  { working_folder, root }: Place,
  components: readonly LinkedDocument[],
  scenarioHash: string,
): Promise<ScenarioFiles> {
  const wanted = new Set([scenarioHash]);
  // Each document is after its references.
  for (const { hash, refers_to } of components.toReversed())
    if (wanted.has(hash)) for (const reference of refers_to) wanted.add(reference.hash);
  const paths = components.filter(({ hash, path: file }) => wanted.has(hash) && !file.startsWith(SHIPPED_PREFIX));
  const digests = await Promise.all(paths.map(async ({ path: file }) => [file, (await digestOf(file)) ?? ''] as const));
  return {
    path: resolve(working_folder, path),
    ...present({ root: root === undefined ? undefined : resolve(working_folder, root) }),
    digests: Object.fromEntries(digests),
  };
}

/** SHA-256 of a file's bytes; undefined where it cannot be read. */
export async function digestOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}
