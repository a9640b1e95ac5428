import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Example } from '../../../generated/plugin-conformance.js';
import type { PluginManifest } from '../../../generated/plugin-manifest.js';

/** Runs a task with a folder that has the files of an example, and with the variables that name it. */
export async function withFolder<Value>(
  { folder: named }: PluginManifest,
  { interface: definition, files = {} }: Example,
  task: (variables: Readonly<Record<string, string>>, folder: string) => Promise<Value>,
): Promise<Value> {
  const variable = named && definition[named.interface_field];
  if (typeof variable !== 'string') return task({}, '');
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-conformance-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await task({ [variable]: folder }, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a task with examples whose files are in folders of their own. */
export async function withFolders<Value>(
  manifest: PluginManifest,
  [example, ...others]: readonly Example[],
  task: (examples: readonly Example[]) => Promise<Value>,
): Promise<Value> {
  if (example === undefined) return task([]);
  return withFolder(manifest, example, (variables) =>
    withFolders(manifest, others, (rest) =>
      task([{ ...example, variables: { ...example.variables, ...variables } }, ...rest]),
    ),
  );
}
