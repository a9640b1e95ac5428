import { dirname } from 'node:path';
import { readScenario } from './author.js';
import type { WorldScenario } from '../ports/records.js';
import type { Authoring, Archive } from './engine.js';
import { digestOf } from './scenario-files.js';

/**
 * The files of a world's scenario that say something else than its documents do. A world that came from elsewhere, and
 * one of a stored scenario, has no files.
 * @param current the one that the world goes on by
 * @returns absolute paths; none where only white space has changed
 */
export async function listEditedFiles(
  { store, authoring }: Archive & { readonly authoring: Authoring },
  current: WorldScenario | undefined,
): Promise<readonly string[]> {
  if (current?.files === undefined) return [];
  const { path, root, digests } = current.files;
  const edited: string[] = [];
  for (const [file, digest] of Object.entries(digests)) if ((await digestOf(file)) !== digest) edited.push(file);
  if (edited.length === 0) return [];
  const place = { working_folder: dirname(path), ...(root === undefined ? {} : { root }) };
  const read = await readScenario({ store, authoring }, path, place);
  return read.ok && read.value.hash === current.scenario_hash ? [] : edited;
}
