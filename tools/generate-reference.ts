/** Writes a page of docs/reference for every kind of document, and for the interface of every plugin that ships. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Schema = { readonly [member: string]: unknown };

/** A page with its expected content. */
interface ReferencePage {
  /** Within docs/reference. */
  readonly name: string;
  readonly text: string;
}

/** Every page, as the schemas now ask for it. */
export async function generateReference(root: string): Promise<readonly ReferencePage[]> {
  const documents = (await readdir(join(root, 'schemas'))).filter((name) => name.endsWith('.schema.json'));
  const plugins = (await readdir(join(root, 'plugins'), { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const files = [
    ...documents.map((name) => ({ name: basename(name, '.schema.json'), path: `schemas/${name}` })),
    ...plugins.map(({ name }) => ({ name: `interface-${name}`, path: `plugins/${name}/interface.schema.json` })),
  ].sort((left, right) => (left.name < right.name ? -1 : 1));
  const pages = await Promise.all(
    files.map(async ({ name, path }) => {
      const schema = JSON.parse(await readFile(join(root, path), 'utf8')) as Schema;
      return { name: `${name}.md`, title: name, text: pageOf(name, path, schema), says: says(schema['description']) };
    }),
  );
  const index = [
    '# Reference',
    '',
    'Every field of every document, from the schemas by which they are checked.',
    '',
    '| page | of |',
    '| --- | --- |',
    ...pages.map(({ name, title, says: of }) => `| [${title}](${name}) | ${of} |`),
    '',
  ];
  return [{ name: 'README.md', text: index.join('\n') }, ...pages.map(({ name, text }) => ({ name, text }))];
}

function pageOf(name: string, path: string, schema: Schema): string {
  const parts = Object.entries((schema['$defs'] ?? {}) as Readonly<Record<string, Schema>>);
  return [
    `# ${name}`,
    '',
    `${says(schema['description'])} Made by \`npm run generate\` from [${path}](../../${path}).`,
    '',
    ...wholeOf(schema),
    ...parts.flatMap(([part, definition]) => partOf(schema, part, definition)),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** The fields of a document; where it has several forms, each in a table of its own. */
function wholeOf(schema: Schema): readonly string[] {
  const forms = formsOf(schema);
  if (forms.length < 2) return tableOf(schema, schema);
  return [`One of ${forms.length} forms:`, '', ...tablesOf(schema, forms, '##')];
}

function formsOf({ oneOf = [] }: Schema): readonly Schema[] {
  return (oneOf as readonly Schema[]).filter(({ type }) => type === 'object');
}

/** A definition; where it has several forms, each in a table of its own. */
function partOf(root: Schema, part: string, definition: Schema): readonly string[] {
  const forms = formsOf(definition);
  if (forms.length < 2) {
    const is = says(definition['description']) || `Type: ${typeOf(definition)}.`;
    return [`## ${part}`, '', is, '', ...tableOf(root, definition)];
  }
  const is = `${says(definition['description'])} One of ${forms.length} forms:`.trim();
  return [`## ${part}`, '', is, '', ...tablesOf(root, forms, '###')];
}

function tablesOf(root: Schema, forms: readonly Schema[], mark: string): readonly string[] {
  return forms.flatMap((form) => {
    const meaning = says(form['description']);
    return [`${mark} ${String(form['title'])}`, '', ...(meaning === '' ? [] : [meaning, '']), ...tableOf(root, form)];
  });
}

/** The fields of an object, those of objects within it, and those of each alternative. */
function tableOf(root: Schema, schema: Schema): readonly string[] {
  const rows = rowsOf(root, schema, '');
  if (rows.length === 0) return [];
  return ['| field | type | default | meaning | example |', '| --- | --- | --- | --- | --- |', ...rows, ''];
}

function rowsOf(root: Schema, schema: Schema, above: string): readonly string[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const branches = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Schema[]);
  const items = schema['items'] as Schema | undefined;
  return [
    ...fields.flatMap(([name, field]) => {
      const path = `${above}${name}`;
      return [rowOf(root, path, field, required.includes(name)), ...rowsOf(root, field, `${path}.`)];
    }),
    ...branches.flatMap((branch) => rowsOf(root, branch, above)),
    ...(typeof items === 'object' ? rowsOf(root, items, above.replace(/\.$/, '[].')) : []),
  ];
}

function rowOf(root: Schema, path: string, field: Schema, isRequired: boolean): string {
  const target = findTarget(root, field) ?? {};
  const preset = 'default' in field ? code(field['default']) : isRequired ? 'required' : '';
  const [example] = (field['examples'] ?? target['examples'] ?? []) as readonly unknown[];
  const meaning = says(field['description'] ?? target['description']);
  return `| \`${path}\` | ${typeOf(field)} | ${preset} | ${meaning} | ${example === undefined ? '' : code(example)} |`;
}

function typeOf(schema: Schema): string {
  const { type, const: only, enum: listed, $ref, items } = schema;
  if (typeof $ref === 'string') return `[${$ref.split('/').at(-1)}](#${$ref.split('/').at(-1)})`;
  if (only !== undefined) return code(only);
  if (Array.isArray(listed)) return listed.map(code).join(', ');
  const branches = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (branches !== undefined) return branches.map((branch) => typeOf(branch)).join(' or ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`;
  const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern']
    .filter((keyword) => schema[keyword] !== undefined)
    .map((keyword) => `${keyword} ${keyword === 'pattern' ? code(schema[keyword]) : String(schema[keyword])}`);
  const named = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any JSON';
  return [named, ...bounds].join(', ');
}

function findTarget(root: Schema, { $ref }: Schema): Schema | undefined {
  if (typeof $ref !== 'string') return undefined;
  return ((root['$defs'] ?? {}) as Readonly<Record<string, Schema>>)[$ref.split('/').at(-1) ?? ''];
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}

function says(description: unknown): string {
  return typeof description === 'string'
    ? description.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ')
    : '';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const folder = join(root, 'docs/reference');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const { name, text } of await generateReference(root)) await writeFile(join(folder, name), text);
}
