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
  readonly isShared: (part: string) => boolean;
}

/** Every page, as the schemas now ask for it. */
export async function generateReference(root: string): Promise<readonly ReferencePage[]> {
  const documents = (await readdir(join(root, 'schemas'))).filter((name) => name.endsWith('.schema.json'));
  const files = documents
    .map((name) => ({ name: basename(name, '.schema.json'), path: `schemas/${name}` }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const read = await Promise.all(
    files.map(async ({ name, path }) => ({
      name,
      schema: JSON.parse(await readFile(join(root, path), 'utf8')) as Schema,
    })),
  );
  const pages = read.map(({ name, schema }, index) => {
    const before = read.slice(0, index);
    const hasSame = (part: string, other: Schema): boolean =>
      isDeepStrictEqual(meaningOf(other, part), meaningOf(schema, part));
    const home = (part: string): string => before.find((other) => hasSame(part, other.schema))?.name ?? name;
    const isShared = (part: string): boolean =>
      read.some((other) => other.name !== name && hasSame(part, other.schema));
    return {
      name: `${name}.md`,
      title: name,
      text: pageOf({ name, root: schema, home, isShared }),
    };
  });
  const program = programPages();
  const index = [
    '# Reference',
    '',
    'For users: every command, variable and exit code of the program, and every field of every document. In lists of fields, a',
    'name with `?` may be left out, and one without a type is a string, or holds fields. The [schemas](../../schemas) also bound the length of',
    'texts.',
    '',
    ...program.map(({ name, title, says: of }) => `- [${title}](${name}): ${lowerFirst(of)}`),
    `- documents, each by its name: ${pages.map(({ title }) => title).join(', ')}`,
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

function pageOf(subject: Subject): string {
  const { name } = subject;
  const parts = Object.entries(partsOf(subject.root)).filter(([part]) => subject.home(part) === name);
  const rows = sayOnce(name, [
    ...wholeOf(subject),
    ...parts
      .filter(([part]) => !isInline(subject, part))
      .flatMap(([part, definition]) => partOf(subject, part, definition)),
  ]);
  const lines = linkOnce(joinNeighbours(rows));
  const servesUsers = `For users: ${lowerFirst(says(subject.root['description']))}`;
  return [`# ${name}`, '', servesUsers, '', ...lines].join('\n').replace(/\n+$/, '\n');
}

/** A field that is explained in the same words before is named only, with neighbours. */
function sayOnce(page: string, lines: readonly string[]): readonly string[] {
  const said: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, field] = FIELD.exec(line) ?? [];
    const isInAnswers =
      page !== 'answers' && OF_EVERY_DOCUMENT.test(line) && /answers\.md/.test(`${said.at(-1)}${line}`);
    const where = isInAnswers ? IN_ANSWERS : lines.indexOf(line) < at ? ABOVE : undefined;
    if (field === undefined || where === undefined) said.push(line);
    else if (said.at(-1)?.endsWith(where) && FIELD.exec(said.at(-1) ?? '')?.[1]?.indexOf('-') === field.indexOf('-'))
      said.push(`${said.pop()?.slice(0, -where.length)}, ${field.trimStart().slice(2)}${where}`);
    else said.push(`${field}${where}`);
  }
  return said;
}

/** Neighbours of one type and one meaning, without fields of their own, share a line. */
function joinNeighbours(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, field = '', rest] = FIELD.exec(line) ?? [];
    const [, before = '', same] = FIELD.exec(joined.at(-1) ?? '') ?? [];
    const isAlike = rest !== undefined && same === rest && before.indexOf('-') === field.indexOf('-');
    if (isAlike && !lines[at + 1]?.startsWith(`  ${field.slice(0, field.indexOf('-'))}- `))
      joined.splice(-1, 1, `${before}, ${field.trimStart().slice(2)}${rest}`);
    else joined.push(line);
  }
  return joined;
}

/** The names of a line, and what it says of them. */
const FIELD = /^( *- (?:`[^`]+`, )*`[^`]+`)(: .*)$/;

/** A value without fields, which fields of one name alone have, is explained with the first of them. */
function isInline({ root, isShared }: Subject, part: string): boolean {
  const { properties, oneOf } = partsOf(root)[part] ?? {};
  const reference = `{"$ref":"#/$defs/${part}"`;
  const fields = JSON.stringify(root).split(reference).slice(0, -1);
  const names = new Set(fields.map((before) => /"(\w+)":$/.exec(before)?.[1]));
  return properties === undefined && oneOf === undefined && names.size < 2 && !isShared(part);
}

/** A page links to a definition where it first names it. */
function linkOnce(lines: readonly string[]): readonly string[] {
  const linked = new Set<string>();
  return lines.map((line) =>
    line.replaceAll(/\[(\w+)\]\([\w.-]*#\1\)/g, (link: string, part: string) => {
      if (linked.has(link)) return part;
      linked.add(link);
      return link;
    }),
  );
}

const OF_EVERY_DOCUMENT = /^- `(\$schema|version|label|description)\??`: (\[\w+\]\(answers\.md#\w+\)|`1`)$/;
const IN_ANSWERS = ': as in [answers](answers.md)';
const ABOVE = ': as above';

/** The fields of a document; where it has several forms, each in a list of its own. */
function wholeOf(subject: Subject): readonly string[] {
  const forms = formsOf(subject.root);
  if (forms.length < 2) return fieldsOf(subject, subject.root);
  return [`One of ${forms.length} forms:`, '', ...listsOf(subject, forms, '##')];
}

function formsOf({ oneOf = [] }: Schema): readonly Schema[] {
  return (oneOf as readonly Schema[]).filter(({ type }) => type === 'object');
}

/** A definition; where it has several forms with titles, each in a list of its own. */
function partOf(subject: Subject, part: string, definition: Schema): readonly string[] {
  const forms = formsOf(definition);
  if (forms.length < 2) {
    const fields = fieldsOf(subject, definition);
    const meaning = says(definition['description']);
    const type = fields.length > 0 ? '' : `Type: ${typeOf(subject, definition)}.`;
    const is = [meaning, type, exampleOf(definition)].filter((text) => text !== '').join(' ');
    return [`## ${part}`, '', ...(is === '' ? [] : [is, '']), ...fields];
  }
  const hasTitles = forms.every(({ title }) => typeof title === 'string');
  const is = `${says(definition['description'])} One of ${forms.length} forms:`.trim();
  return [`## ${part}`, '', is, '', ...(hasTitles ? listsOf(subject, forms, '###') : fieldsOf(subject, definition))];
}

function listsOf(subject: Subject, forms: readonly Schema[], mark: string): readonly string[] {
  return forms.flatMap((form) => {
    const meaning = says(form['description']);
    return [
      `${mark} ${String(form['title'])}`,
      '',
      ...(meaning === '' ? [] : [meaning, '']),
      ...fieldsOf(subject, form),
    ];
  });
}

/** The fields of an object with those of objects within them, and those of each alternative. */
function fieldsOf(subject: Subject, schema: Schema): readonly string[] {
  const lines = linesOf(subject, schema, '', exampleIn(schema));
  return lines.length === 0 ? [] : [...lines, ''];
}

/** @param shown the example above, whose members need no example of their own */
function linesOf(subject: Subject, schema: Schema, indent: string, shown: unknown): readonly string[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const branches = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Schema[]);
  const items = schema['items'] as Schema | undefined;
  return [
    ...fields.flatMap(([name, field]) => {
      const example = (shown as Schema | undefined)?.[name];
      const written = example === undefined ? field : { ...field, examples: [] };
      const line = `${indent}- \`${name}${required.includes(name) ? '' : '?'}\`: ${sentencesOf(subject, written)}`;
      return [line, ...linesOf(subject, field, `${indent}  `, example ?? exampleIn(field))];
    }),
    ...branches.flatMap((branch) => linesOf(subject, branch, indent, shown)),
    ...(typeof items === 'object'
      ? linesOf(subject, items, indent, (shown as readonly unknown[] | undefined)?.[0])
      : []),
  ];
}

function sentencesOf(subject: Subject, written: Schema): string {
  const field = inPlace(subject, written);
  const preset = 'default' in field ? `; default ${code(field['default'])}` : '';
  // What a reference leads to is explained there, with an example.
  const example = '$ref' in field && field === written ? '' : exampleOf(field);
  const meaning = says(field['description']);
  const type = `${typeOf(subject, field)}${preset}`;
  // Nearly every field that words explain is a string, or an object whose fields follow.
  const isPlain = meaning !== '' && (type === 'string' || (type === 'object' && 'properties' in field));
  const end = meaning === '' && example === '' ? '' : '.';
  return [isPlain ? '' : `${type}${end}`, meaning, example].filter((text) => text !== '').join(' ');
}

/** A field with the definition that is explained with it. */
function inPlace(subject: Subject, field: Schema): Schema {
  const { $ref, ...own } = field;
  const part = typeof $ref === 'string' ? partNamed($ref) : undefined;
  return part !== undefined && isInline(subject, part) ? { ...partsOf(subject.root)[part], ...own } : field;
}

function partNamed($ref: string): string {
  return $ref.split('/').at(-1) ?? '';
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
  if (typeof $ref === 'string') {
    const inline = inPlace(subject, schema);
    return inline === schema ? linkTo(subject, partNamed($ref)) : typeOf(subject, inline);
  }
  if (only !== undefined) return code(only);
  if (Array.isArray(listed))
    return listed.length > 10 ? `one of ${listed.length} values in the schema` : listed.map(code).join(', ');
  const branches = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (branches !== undefined) {
    const types = branches.map((branch) => typeOf(subject, branch));
    return types.every((named) => named === 'object') ? `one of ${types.length} objects` : types.join(' or ');
  }
  if (type === 'array') return `list of ${typeOf(subject, (items ?? {}) as Schema)}`;
  const members = schema['additionalProperties'] as Schema | boolean | undefined;
  if (type === 'object' && typeof members === 'object' && typeof members['$ref'] === 'string')
    return `object of ${typeOf(subject, members)}`;
  const named = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any JSON';
  const { minimum, maximum, pattern, description } = schema as Readonly<Record<string, string | number>>;
  // A form that words describe needs no pattern beside them.
  const form = pattern === undefined || description !== undefined ? '' : code(pattern);
  return [named, rangeOf(minimum, maximum), form].filter((text) => text !== '').join(' ');
}

type Bound = string | number | undefined;

function rangeOf(least: Bound, most: Bound): string {
  if (most === undefined) return least === undefined ? '' : `(from ${least})`;
  return least === undefined ? `(to ${most})` : `(${least} to ${most})`;
}

/** A definition, on the page that explains it. */
function linkTo({ name, home }: Subject, part: string): string {
  const page = home(part);
  return `[${part}](${page === name ? '' : `${page}.md`}#${part})`;
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function says(description: unknown): string {
  return typeof description === 'string' ? description.replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ') : '';
}
