/** Makes the list of all resources from the files that declare them, and that of all actions. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedFile } from './generated-files.js';

const CATALOGUE = 'engine/catalogue';
/** A folder of declarations, each a list in a file of that name, and what the list says of itself. */
const LISTS = {
  resources:
    'Everything that a person or a program can look at. Commands, pages, JSON, tools and links follow from it.',
  actions: 'Everything that a person or a program can do to what is recorded. Routes, forms and tools follow from it.',
} as const;
/** One declaration, or a list of them, which has a name in capitals. */
const DECLARED = /^export const (\w+)(?: = (?:resource|listResource|countedList|action)\(|: readonly Resource\[\])/gm;

export async function generateCatalogue(root: string): Promise<readonly GeneratedFile[]> {
  return [await toList(root, 'resources', 'Resource'), await toList(root, 'actions', 'Action')];
}

async function toList(root: string, folder: keyof typeof LISTS, type: string): Promise<GeneratedFile> {
  const imports: string[] = [];
  const names: string[] = [];
  const place = join(root, CATALOGUE, folder);
  for (const file of (await readdir(place)).toSorted()) {
    const source = await readFile(join(place, file), 'utf8');
    const found = [...source.matchAll(DECLARED)].flatMap(([, name]) => name ?? []);
    if (found.length > 0) imports.push(toImport(found, `./${folder}/${file.replace(/\.ts$/, '.js')}`));
    names.push(...found.map((name) => (name === name.toUpperCase() ? `...${name}` : name)));
  }
  const list = `export const ${folder.toUpperCase()}`;
  const items = ['[', ...names.map((name) => `  ${name},`), ']'].join('\n');
  const text = [
    '// Made by tools/generate-catalogue.ts from the declarations: do not edit, run `npm run generate`.',
    `import type { ${type} } from './${type.toLowerCase()}.js';`,
    ...imports,
    `\n/** ${LISTS[folder]} */`,
    // Actions have inputs of their own.
    type === 'Action' ? `${list} = ${items} as readonly Action[];\n` : `${list}: readonly ${type}[] = ${items};\n`,
  ].join('\n');
  return { path: join(CATALOGUE, `${folder}.ts`), text };
}

const WIDTH = 120;

function toImport(names: readonly string[], path: string): string {
  const whole = `import { ${names.join(', ')} } from '${path}';`;
  return whole.length <= WIDTH ? whole : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${path}';`;
}
