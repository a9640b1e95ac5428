/** Makes the list of all resources from the files that declare them, and that of all actions. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedFile } from './generated-files.js';

interface Wanted {
  readonly folder: string;
  readonly list: string;
  readonly type: string;
  /** Where the type is declared. */
  readonly from: string;
  readonly says: string;
  /** Follows the list, where its items have inputs of their own. */
  readonly cast?: string;
}

const LISTS: readonly Wanted[] = [
  {
    folder: 'resources',
    list: 'RESOURCES',
    type: 'Resource',
    from: 'resource',
    says: 'Everything that a person or a program can look at. Commands, pages, JSON, tools and links follow from it.',
  },
  {
    folder: 'actions',
    list: 'ACTIONS',
    type: 'Action',
    from: 'action',
    says: 'Everything that a person or a program can do to what is recorded. Routes, forms and tools follow from it.',
    cast: ' as readonly Action[]',
  },
];

const CATALOGUE = 'engine/catalogue';
/** One declaration, or a list of them, which has a name in capitals. */
const DECLARED = /^export const (\w+)(?: = (?:resource|listResource|countedList|action)\(|: readonly Resource\[\])/gm;

export function generateCatalogue(root: string): Promise<readonly GeneratedFile[]> {
  return Promise.all(LISTS.map((wanted) => toList(join(root, CATALOGUE, wanted.folder), wanted)));
}

async function toList(folder: string, { list, type, from, says, cast, ...wanted }: Wanted): Promise<GeneratedFile> {
  const imports: string[] = [];
  const names: string[] = [];
  for (const file of (await readdir(folder)).toSorted()) {
    const source = await readFile(join(folder, file), 'utf8');
    const found = [...source.matchAll(DECLARED)].flatMap(([, name]) => name ?? []);
    const path = `./${wanted.folder}/${file.replace(/\.ts$/, '.js')}`;
    if (found.length > 0) imports.push(toImport(found, path));
    names.push(...found.map((name) => (name === name.toUpperCase() ? `...${name}` : name)));
  }
  const text = [
    '// Made by tools/generate-catalogue.ts from the declarations: do not edit, run `npm run generate`.',
    `import type { ${type} } from './${from}.js';`,
    ...imports,
    `\n/** ${says} */`,
    `export const ${list}${cast === undefined ? `: readonly ${type}[]` : ''} = [`,
    ...names.map((name) => `  ${name},`),
    `]${cast ?? ''};\n`,
  ].join('\n');
  return { path: join(CATALOGUE, `${wanted.folder}.ts`), text };
}

const WIDTH = 120;

function toImport(names: readonly string[], path: string): string {
  const whole = `import { ${names.join(', ')} } from '${path}';`;
  return whole.length <= WIDTH ? whole : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${path}';`;
}
