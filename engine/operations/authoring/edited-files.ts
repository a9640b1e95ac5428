import { present } from '../../contract/present.js';
import { dirname } from 'node:path';
import { readScenario } from './author.js';
import type { WorldScenario } from '../../ports/worlds.js';
import type { Authoring, Archive } from '../engine.js';
import { digestOf } from './scenario-files.js';

/** A world's scenario whose files have changed since the world adopted it. Paths are absolute. */
export interface EditedScenario {
  readonly files: readonly string[];
  /** The scenario's own file, for adopting the edited files. */
  readonly scenario: string;
  readonly root?: string;
}

/**
 * Compares the files of a world's scenario with its documents. An imported world, and one of a stored scenario, has no
 * files; neither has one whose scenario file was moved, since nothing could be adopted from there.
 * @param current the world's current scenario
 * @returns undefined where the documents are equal, as after changes of white space
 */
export async function findEdited(
  { store, authoring }: Archive & { readonly authoring: Authoring },
  current: WorldScenario | undefined,
): Promise<EditedScenario | undefined> {
  if (current?.files === undefined) return undefined;
  const { path, root, digests } = current.files;
  if ((await digestOf(path)) === undefined) return undefined;
  const files: string[] = [];
  for (const [file, digest] of Object.entries(digests)) if ((await digestOf(file)) !== digest) files.push(file);
  if (files.length === 0) return undefined;
  const within = present({ root });
  const read = await readScenario({ store, authoring }, path, { working_folder: dirname(path), ...within });
  return read.ok && read.value.hash === current.scenario_hash ? undefined : { files, scenario: path, ...within };
}
