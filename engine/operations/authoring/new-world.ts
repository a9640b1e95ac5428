import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { findSlugProblem } from '../worlds/worlds.js';
import { writeNewFolder } from '../write-files.js';

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
export async function writeNewWorld({ name, shape, into, package_root }: WantedWorld): Promise<Outcome<NewWorld>> {
  const invalid = findSlugProblem(name);
  if (invalid !== undefined) return refuse(invalid);
  const folder = join(into, name);
  const installed = (await findInstalled(into, package_root)) ?? package_root;
  const schemas = `${relative(folder, join(installed, 'schemas')).split(sep).join('/')}/`;
  const files = await readTemplate(package_root, shape, { name, schemas });
  const written = await writeNewFolder(folder, files, problem('WORLD_FOLDER_EXISTS', { folder }));
  return written.ok ? succeed({ name, shape, folder, files: files.map(({ path }) => path) }) : written;
}

/**
 * The files of a shape, by name.
 * @param schemas the path of the shipped schemas as the documents name it
 */
export async function readTemplate(
  package_root: string,
  shape: WorldShape,
  { name, schemas }: { readonly name?: string; readonly schemas: string },
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const template = join(package_root, 'fixtures', 'templates', shape);
  return Promise.all(
    (await readdir(template)).sort().map(async (path) => {
      const text = (await readFile(join(template, path), 'utf8')).replace(SCHEMAS_OF_TEMPLATES, () => schemas);
      const isNamed = path === 'scenario.json' && name !== undefined;
      return { path, text: isNamed ? text.replace(/"label": "[^"]*"/, () => `"label": "${name}"`) : text };
    }),
  );
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
