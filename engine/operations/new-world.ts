import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Problem } from '../contract/problem.js';
import { type Done, refuse, succeed } from './engine.js';
import { findSlugProblem } from './worlds.js';

/** The shapes of a new world; each is a folder of `fixtures/templates/`. */
export const WORLD_SHAPES = ['agent', 'place', 'village'] as const;

export type WorldShape = (typeof WORLD_SHAPES)[number];

interface WantedWorld {
  /** The name of the folder, and of the world that is made from it. */
  readonly name: string;
  readonly shape: WorldShape;
  /** Absolute; the world's folder is made in it. */
  readonly into: string;
  readonly package_root: string;
}

export interface NewWorld {
  readonly name: string;
  readonly shape: WorldShape;
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
}

/** The path by which templates name the shipped schemas. */
const SCHEMAS_OF_TEMPLATES = '../../schemas/';

/**
 * Writes the files of a small complete world, whose scenario is labelled by its name. Nothing is written where the name
 * is bad, or the folder exists.
 */
export async function writeNewWorld({ name, shape, into, package_root }: WantedWorld): Promise<Done<NewWorld>> {
  const invalid = findSlugProblem(name);
  if (invalid !== undefined) return refuse(invalid);
  const folder = join(into, name);
  // Not recursive: Node.js 20 loops forever where a file system such as /proc refuses it.
  await mkdir(into).catch(() => {});
  const made = await mkdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (made !== undefined) return refuse(unmade(folder, made.code));
  const template = join(package_root, 'fixtures', 'templates', shape);
  const installed = (await findInstalled(into, package_root)) ?? package_root;
  const schemas = `${relative(folder, join(installed, 'schemas')).split(sep).join('/')}/`;
  const files = (await readdir(template)).sort();
  for (const file of files) {
    const text = (await readFile(join(template, file), 'utf8')).replace(SCHEMAS_OF_TEMPLATES, () => schemas);
    const named = file === 'scenario.json' ? text.replace(/"label": "[^"]*"/, () => `"label": "${name}"`) : text;
    await writeFile(join(folder, file), named, { flag: 'wx' });
  }
  return succeed({ name, shape, folder, files });
}

/**
 * The package as the project above a folder has installed it. Npm installs a folder as a link; the path through the link
 * is right on every machine, and that of its target is not.
 */
async function findInstalled(folder: string, package_root: string): Promise<string | undefined> {
  const installed = join(folder, 'node_modules', 'chukwa');
  const real = await realpath(installed).catch(() => undefined);
  if (real === (await realpath(package_root))) return installed;
  const above = dirname(folder);
  return above === folder ? undefined : findInstalled(above, package_root);
}

function unmade(folder: string, reason: string | undefined): Problem {
  if (reason === 'EEXIST')
    return {
      code: 'WORLD_FOLDER_EXISTS',
      message: `${folder} already exists, and is not overwritten.`,
      repair: 'Choose another name, or another folder with --into.',
    };
  return {
    code: 'FILE_UNWRITABLE',
    message: `The folder ${folder} cannot be made (${reason ?? 'no reason is known'}).`,
    repair: 'Name an existing folder that you may write, with --into.',
  };
}
