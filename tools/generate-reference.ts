/**
 * Makes docs/reference: a page for every kind of document, and for the program's own commands, variables and exit
 * codes. The README of a plugin explains the interface of its sources.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { lowerFirst, programPages, type ReferencePage } from './program-reference.js';

type Schema = { readonly [member: string]: unknown };

/** A schema, and for each of its definitions the page that explains it. */
interface Subject {
  readonly name: string;
  readonly root: Schema;
  readonly home: (part: string) => string;
}

/** Every page, as the schemas now ask for it. */
export async function generateReference(root: string): Promise<readonly ReferencePage[]> {
  const documents = (await readdir(join(root, 'schemas'))).filter((name) => name.endsWith('.schema.json'));
  const plugins = (await readdir(join(root, 'plugins'), { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const files = documents
    .map((name) => ({ name: basename(name, '.schema.json'), path: `schemas/${name}` }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const read = await Promise.all(
    files.map(async ({ name, path }) => ({
      name,
      path,
      schema: JSON.parse(await readFile(join(root, path), 'utf8')) as Schema,
    })),
  );
  const pages = read.map(({ name, path, schema }, index) => {
    const before = read.slice(0, index);
    const home = (part: string): string =>
      before.find((other) => isDeepStrictEqual(meaningOf(other.schema, part), meaningOf(schema, part)))?.name ?? name;
    return {
      name: `${name}.md`,
      title: name,
      text: pageOf(path, { name, root: schema, home }),
    };
  });
  const program = programPages();
  const index = [
    '# Reference',
    '',
    'For users: every command, variable and exit code of the program, and every field of every document. In tables of fields, a',
    'name with `?` may be left out. `npm run generate` writes these pages from the program and the schemas that it checks by.',
    '',
    ...program.map(({ name, title, says: of }) => `- [${title}](${name}): ${lowerFirst(of)}`),
    `- documents: ${pages.map(({ name, title }) => `[${title}](${name})`).join(', ')}`,
    `- interfaces of sources: ${plugins.map(({ name }) => `[${name}](../../plugins/${name}/README.md)`).join(', ')}`,
    '',
  ];
  return [
    { name: 'README.md', text: index.join('\n') },
    ...[...program, ...pages].map(({ name, text }) => ({ name, text })),
  ];
}

function partsOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema['$defs'] ?? {}) as Readonly<Record<string, Schema>>;
}

/** A definition without its examples, in which documents may differ. */
function meaningOf(schema: Schema, part: string): Schema | undefined {
  const definition = partsOf(schema)[part];
  return definition && { ...definition, examples: undefined };
}

function pageOf(path: string, subject: Subject): string {
  const { name } = subject;
  const parts = Object.entries(partsOf(subject.root)).filter(([part]) => subject.home(part) === name);
  const tables = sayOnce(name, [
    ...wholeOf(subject),
    ...parts.flatMap(([part, definition]) => partOf(subject, part, definition)),
  ]);
  const servesUsers = `For users: ${lowerFirst(says(subject.root['description']))} [Schema](../../${path}).`;
  const optional = tables.some((line) => line.includes('?` |')) ? ' `?`: may be left out.' : '';
  return [`# ${name}`, '', `${servesUsers}${optional}`, '', ...tables].join('\n').replace(/\n+$/, '\n');
}

/** Fields that are explained in the same words before are named only, neighbours in one row. */
function sayOnce(page: string, lines: readonly string[]): readonly string[] {
  const said: string[] = [];
  for (const [at, line] of lines.entries()) {
    const field = /^\| (`[^`]+`) \|/.exec(line)?.[1];
    const isInAnswers =
      page !== 'answers' && OF_EVERY_DOCUMENT.test(line) && /answers\.md/.test(`${said.at(-1)}${line}`);
    const where = isInAnswers ? IN_ANSWERS : lines.indexOf(line) < at ? ABOVE : undefined;
    if (field === undefined || where === undefined) said.push(line);
    else
      said.push(
        said.at(-1)?.endsWith(where)
          ? `${said.pop()?.slice(0, -where.length)}, ${field}${where}`
          : `| ${field}${where}`,
      );
  }
  return said;
}

const OF_EVERY_DOCUMENT = /^\| `(\$schema|version|label|description)\??` \| (\[\w+\]\(answers\.md#\w+\)|`1`) \|  \|$/;
const IN_ANSWERS = ' | as in [answers](answers.md) |  |';
const ABOVE = ' | as above |  |';

/** The fields of a document; where it has several forms, each in a table of its own. */
function wholeOf(subject: Subject): readonly string[] {
  const forms = formsOf(subject.root);
  if (forms.length < 2) return tableOf(subject, subject.root);
  return [`One of ${forms.length} forms:`, '', ...tablesOf(subject, forms, '##')];
}

function formsOf({ oneOf = [] }: Schema): readonly Schema[] {
  return (oneOf as readonly Schema[]).filter(({ type }) => type === 'object');
}

/** A definition; where it has several forms, each in a table of its own. */
function partOf(subject: Subject, part: string, definition: Schema): readonly string[] {
  const forms = formsOf(definition);
  if (forms.length < 2) {
    const table = tableOf(subject, definition);
    const meaning = says(definition['description']);
    const type = table.length > 0 ? '' : `Type: ${typeOf(subject, definition)}.`;
    const is = [meaning, type, exampleOf(definition)].filter((text) => text !== '').join(' ');
    return [`## ${part}`, '', ...(is === '' ? [] : [is, '']), ...table];
  }
  const is = `${says(definition['description'])} One of ${forms.length} forms:`.trim();
  return [`## ${part}`, '', is, '', ...tablesOf(subject, forms, '###')];
}

function tablesOf(subject: Subject, forms: readonly Schema[], mark: string): readonly string[] {
  return forms.flatMap((form) => {
    const meaning = says(form['description']);
    return [
      `${mark} ${String(form['title'])}`,
      '',
      ...(meaning === '' ? [] : [meaning, '']),
      ...tableOf(subject, form),
    ];
  });
}

/** The fields of an object, those of objects within it, and those of each alternative. */
function tableOf(subject: Subject, schema: Schema): readonly string[] {
  const rows = rowsOf(subject, schema, '', exampleIn(schema));
  if (rows.length === 0) return [];
  return ['| field | type | meaning |', '| --- | --- | --- |', ...rows, ''];
}

/** @param shown the example above, whose members need no example of their own */
function rowsOf(subject: Subject, schema: Schema, above: string, shown: unknown): readonly string[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const branches = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Schema[]);
  const items = schema['items'] as Schema | undefined;
  return [
    ...fields.flatMap(([name, field]) => {
      const path = `${above}${name}`;
      const example = (shown as Schema | undefined)?.[name];
      const row = rowOf(
        subject,
        path,
        example === undefined ? field : { ...field, examples: [] },
        required.includes(name),
      );
      return [row, ...rowsOf(subject, field, `${path}.`, example ?? exampleIn(field))];
    }),
    ...branches.flatMap((branch) => rowsOf(subject, branch, above, shown)),
    ...(typeof items === 'object'
      ? rowsOf(subject, items, above.replace(/\.$/, '[].'), (shown as readonly unknown[] | undefined)?.[0])
      : []),
  ];
}

function rowOf(subject: Subject, path: string, field: Schema, isRequired: boolean): string {
  const preset = 'default' in field ? `; default ${code(field['default'])}` : '';
  // What a reference leads to is explained there, with an example.
  const example = '$ref' in field ? '' : exampleOf(field);
  const explained = [says(field['description']), example].filter((text) => text !== '').join(' ');
  return `| \`${path}${isRequired ? '' : '?'}\` | ${typeOf(subject, field)}${preset} | ${explained} |`;
}

function exampleOf(schema: Schema): string {
  const example = exampleIn(schema);
  return example === undefined ? '' : `Example: ${code(example)}`;
}

function exampleIn({ examples = [] }: Schema): unknown {
  return (examples as readonly unknown[])[0];
}

function typeOf(subject: Subject, schema: Schema): string {
  const { type, const: only, enum: listed, $ref, items } = schema;
  if (typeof $ref === 'string') return linkTo(subject, $ref.split('/').at(-1) ?? '');
  if (only !== undefined) return code(only);
  if (Array.isArray(listed))
    return listed.length > 10 ? `one of ${listed.length} values in the schema` : listed.map(code).join(', ');
  const branches = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (branches !== undefined) return branches.map((branch) => typeOf(subject, branch)).join(' or ');
  if (type === 'array') return `list of ${typeOf(subject, (items ?? {}) as Schema)}`;
  const named = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any JSON';
  const { minimum, maximum, minLength, maxLength, pattern } = schema as Readonly<Record<string, string | number>>;
  const bounds = [rangeOf(minimum, maximum, ''), rangeOf(minLength, maxLength, ' characters')];
  return [named, ...bounds, ...(pattern === undefined ? [] : [code(pattern)])].filter((text) => text !== '').join(', ');
}

type Bound = string | number | undefined;

function rangeOf(least: Bound, most: Bound, unit: string): string {
  if (most === undefined) return least === undefined ? '' : `from ${least}${unit}`;
  return `${least ?? 'up'} to ${most}${unit}`;
}

/** A definition, on the page that explains it. */
function linkTo({ name, home }: Subject, part: string): string {
  const page = home(part);
  return `[${part}](${page === name ? '' : `${page}.md`}#${part})`;
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}

function says(description: unknown): string {
  return typeof description === 'string'
    ? description.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ')
    : '';
}
