import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateAnswers } from './generate-answers.js';
import { generateCatalogue } from './generate-catalogue.js';
import { problemsPage } from './generate-problems.js';
import { generateReference } from './generate-reference.js';
import { generateSchema } from './generate-schema.js';
import { generateTypes } from './generate-types.js';

/** A file that is made of others, with its expected content. */
export interface GeneratedFile {
  /** Relative to the package's folder. */
  readonly path: string;
  readonly text: string;
}

/** Makes files, as what they are made of now asks for them. @param root the package's folder */
export type Generator = (root: string) => Promise<readonly GeneratedFile[]>;

/** Folders in which every file is generated. */
const WHOLE_FOLDERS = ['engine/generated', 'docs/reference'];

/** Everything that is generated. Later files are made of earlier ones too. */
export const GENERATORS: readonly Generator[] = [
  generateSchema,
  generateTypes,
  generateCatalogue,
  async (root) => [generateAnswers(root)],
  async () => [{ path: 'docs/problems.md', text: problemsPage() }],
  async (root) => (await generateReference(root)).map(({ name, text }) => ({ path: `docs/reference/${name}`, text })),
];

/** Paths of generated files that are missing, out of date, or left over from something that is gone. */
export async function findStale(root: string, generators = GENERATORS): Promise<readonly string[]> {
  const wanted = (await Promise.all(generators.map((generate) => generate(root)))).flat();
  const stale: string[] = [];
  for (const { path, text } of wanted)
    if ((await readFile(join(root, path), 'utf8').catch(() => undefined)) !== text) stale.push(path);
  return [...stale, ...(await findLeftOver(root, wanted))];
}

/** Files of the generated folders that nothing asks for any more. */
export async function findLeftOver(root: string, wanted: readonly GeneratedFile[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of WHOLE_FOLDERS)
    found.push(...(await readdir(join(root, folder)).catch(() => [])).map((name) => `${folder}/${name}`));
  return found.filter((path) => !wanted.some((file) => file.path === path));
}
