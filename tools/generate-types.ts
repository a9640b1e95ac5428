/**
 * Makes the enums of failure classes in `schemas/*.schema.json`, and the TypeScript types of every document: of
 * `schemas/*.schema.json` to `engine/generated/`, of each plugin's `interface.schema.json` to its `interface.ts`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import generator from 'json-schema-to-typescript';
import { listFailureEnums } from '../engine/contract/failure-class.js';
import type { GeneratedFile } from './generated-files.js';

type Schema = { readonly [member: string]: unknown };

/** Every generated file, as the schemas now ask for it. @throws Error on a schema without a title */
export async function generateTypes(root: string): Promise<readonly GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const schema of await listFiles(join(root, 'schemas'), '.schema.json')) {
    const path = join('engine/generated', `${basename(schema, '.schema.json')}.ts`);
    const text = writeFailureEnums(await readFile(schema, 'utf8'));
    files.push({ path: relative(root, schema), text });
    files.push({ path, text: await typesOf(relative(root, schema), text, '../contract/json.js') });
  }
  for (const schema of await listInterfaces(join(root, 'plugins'))) {
    const path = join(relative(root, dirname(schema)), 'interface.ts');
    files.push({ path, text: await typesOf(relative(root, schema), await readFile(schema, 'utf8'), 'chukwa/plugin') });
  }
  return files;
}

/** Each definition with the name of such an enum, with the classes that it has to hold. */
function writeFailureEnums(schema: string): string {
  return Object.entries(listFailureEnums()).reduce((text, [name, classes]) => {
    const listed = classes.map((failure_class) => `\n        "${failure_class}"`).join(',');
    return text.replace(new RegExp(`("${name}": \\{\\s*"enum": \\[)[^\\]]*\\]`), `$1${listed}\n      ]`);
  }, schema);
}

/** @param file relative to the package's folder */
async function typesOf(file: string, text: string, jsonModule: string): Promise<string> {
  const schema = JSON.parse(text) as Schema;
  if (typeof schema['title'] !== 'string') throw new Error(`${file} has no title to name its type`);
  const generated = await generator.compile(withJsonTypes(schema), schema['title'], {
    additionalProperties: false,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    bannerComment: '',
    style: { singleQuote: true, printWidth: 120 },
  });
  const types = asReadonly(withoutOriginRemarks(generated)).trim();
  const names = ['Json', 'JsonObject'].filter((name) => new RegExp(`\\b${name}\\b`).test(types));
  const imported = names.length === 0 ? [] : [`import type { ${names.join(', ')} } from '${jsonModule}';`, ''];
  const banner = `// Made by tools/generate-types.ts from ${file}: do not edit, run \`npm run generate\`.`;
  return [banner, ...imported, types, ''].join('\n');
}

/** Open values are `Json`, not `unknown`. Examples are dropped: beside a reference they hide its type. */
function withJsonTypes(schema: Schema): Schema {
  const said = Object.entries(schema).filter(([keyword]) => keyword !== 'examples');
  return Object.fromEntries(said.map(([keyword, inner]) => [keyword, withJsonTypesIn(keyword, inner)]));
}

function withJsonTypesIn(keyword: string, inner: unknown): unknown {
  if (keyword === 'properties' || keyword === '$defs') {
    return Object.fromEntries(Object.entries(inner as Schema).map(([name, schema]) => [name, typed(schema as Schema)]));
  }
  if (Array.isArray(inner) && /^(one|any|all)Of$/.test(keyword)) return inner.map((branch) => typed(branch as Schema));
  if (keyword === 'items' || (keyword === 'additionalProperties' && typeof inner === 'object'))
    return typed(inner as Schema);
  return inner;
}

function typed(schema: Schema): Schema {
  const says = (keyword: string) => Object.hasOwn(schema, keyword);
  if (!['type', '$ref', 'const', 'enum', 'oneOf', 'anyOf', 'allOf'].some(says)) return { ...schema, tsType: 'Json' };
  if (schema['type'] !== 'object' || says('additionalProperties')) return withJsonTypes(schema);
  const known = Object.keys((schema['properties'] ?? {}) as Schema).map((name) => `${name}: string`);
  return { ...schema, tsType: known.length === 0 ? 'JsonObject' : `JsonObject & { ${known.join('; ')} }` };
}

/** Removes the generator's remarks on where a type was referenced. */
function withoutOriginRemarks(text: string): string {
  return text
    .replaceAll(/( \*\n)? \* This interface was referenced by [^\n]*\n \* via the `definition` [^\n]*\n/g, '')
    .replaceAll(/(^ *\*\n)?^ *\* @(min|max)Items \d+\n/gm, '')
    .replaceAll(/^ *\/\*\*\n *\*\/\n/gm, '')
    .replaceAll(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\/\n/gm, '$1/** $2 */\n');
}

/** The generator has no option for it. */
function asReadonly(text: string): string {
  if (text.includes('[][]')) throw new Error('lists of lists are not made read-only yet');
  return text
    .replaceAll(/^( +)((?:[$\w]+|'[^']+'|\[k: string\])\??: )/gm, '$1readonly $2')
    .replaceAll(/(\([^()]*\)|\b\w+)\[\]/g, 'readonly $1[]')
    .replaceAll(
      /JsonObject & \{ *([^}]*?) *\}/g,
      (_, members: string) => `JsonObject & { ${members.replaceAll(/\b(\w+):/g, 'readonly $1:')} }`,
    );
}

/** Interfaces of plugins in TypeScript: those in plain JavaScript have no use for types. */
async function listInterfaces(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const found = await Promise.all(
    entries.map(async ({ name }) => {
      const sources = await listFiles(join(folder, name), '.ts');
      return sources.length === 0 ? [] : listFiles(join(folder, name), 'interface.schema.json');
    }),
  );
  return found.flat().toSorted();
}

async function listFiles(folder: string, ending: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
  return names.toSorted().map((name) => join(folder, name));
}
