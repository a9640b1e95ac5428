import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { EFFECT_OPERATIONS } from '../../engine/core/world/patch-operations.js';
import { FAILURE_CLASSES, factsOfFailure } from '../../engine/contract/failure-class.js';
import { listFailures } from '../../engine/core/protocol/failure.js';
import { NODE_TYPES } from '../../engine/core/nodes/index.js';
import { PLACEHOLDER_NAMES } from '../../engine/core/prompt/template.js';
import { COMPONENT_KINDS } from '../../engine/core/protocol/component.js';
import { normaliseEntityId } from '../../engine/core/world/entity-id.js';
import { EXIT } from '../../engine/surfaces/cli/exit-code.js';
import { PACKAGE_ROOT } from './cruise.js';

const read = (path: string): Promise<string> => readFile(join(PACKAGE_ROOT, path), 'utf8');

const pages = new Map<string, string>();
for (const path of ['README.md', ...(await listFiles('docs', '.md')), ...(await listFiles('plugins', '.md'))])
  pages.set(path, await read(path));

const page = (path: string): string => pages.get(path) ?? assert.fail(`there is no page ${path}`);

async function listFiles(folder: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(join(PACKAGE_ROOT, folder), { recursive: true });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

/** First cells of the rows of all tables below a heading, without backticks. */
function rowsBelow(text: string, heading: string): readonly string[] {
  const [, below] = text.split(`\n${heading}\n`);
  assert.ok(below !== undefined, `there is no heading ${heading}`);
  const level = heading.split(' ')[0] ?? '';
  const section = below.split(new RegExp(`\n#{1,${level.length}} `))[0] ?? '';
  return firstCells(section);
}

function firstCells(text: string): readonly string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('|---'));
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

function assertSame(documented: Iterable<string>, real: Iterable<string>): void {
  const [written, program] = [new Set(documented), new Set(real)];
  assert.ok(program.size > 0, 'the program has none of them: the test looks in the wrong place');
  const undocumented = [...program].filter((name) => !written.has(name));
  const unreal = [...written].filter((name) => !program.has(name));
  assert.deepEqual({ undocumented, unreal }, { undocumented: [], unreal: [] });
}

/** Literals of a type that is a union of strings. */
async function literalsOf(file: string, type: string): Promise<readonly string[]> {
  const [, body = ''] = (await read(file)).split(`export type ${type} =`);
  return [...(body.split(';')[0] ?? '').matchAll(/'([^']+)'/g)].map(([, literal]) => literal ?? '');
}

test('every relative link of the pages leads to a file, and to a heading where it names one', async () => {
  const links = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ path, target: target ?? '' })),
  );
  assert.ok(links.length > 20, `${links.length} links`);
  const broken: string[] = [];
  for (const { path, target } of links.filter((link) => !/^[a-z]+:/.test(link.target))) {
    const [file = '', heading] = target.split('#');
    const found = file === '' ? path : join(dirname(path), file);
    const isBroken =
      !existsSync(join(PACKAGE_ROOT, found)) ||
      (heading !== undefined && !headingsOf(await read(found)).includes(heading));
    if (isBroken) broken.push(`${path}: ${target}`);
  }
  assert.deepEqual(broken, []);
});

function headingsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9_ -]/g, '')
      .replaceAll(' ', '-'),
  );
}

const FAILURE_NAMES = Object.keys(FAILURE_CLASSES) as (keyof typeof FAILURE_CLASSES)[];

test('the terms explain every failure class of a call and of an attempt, and no other', async () => {
  assertSame(rowsBelow(page('docs/terms.md'), '## Failure classes'), FAILURE_NAMES);
});

test('the terms name the failure classes that are transient, and those with which a turn goes on', () => {
  const [, below = ''] = page('docs/terms.md').split('## Failure classes');
  const sentence = (beginning: string): string => below.split(beginning)[1]?.split(/\.\s/)[0] ?? '';
  const named = (text: string): readonly string[] =>
    [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name).filter((name) => name in FAILURE_CLASSES);
  const where = (isListed: (facts: ReturnType<typeof factsOfFailure>) => boolean): readonly string[] =>
    FAILURE_NAMES.filter((name) => isListed(factsOfFailure(name)));
  assertSame(named(sentence('A failure is *transient*')), [
    ...where(({ is_transient }) => is_transient === true),
    'http_status',
  ]);
  assertSame(
    named(sentence('With `on_failure`, a turn goes on')),
    where(({ reason_for_model }) => reason_for_model !== undefined),
  );
});

test('the page for operators shows what each failure says of its call, as the engine obeys it', () => {
  const [, below = ''] = page('docs/operating.md').split('### What a failure says');
  const rows = (below.split('\n##')[0] ?? '').split('\n').filter((row) => row.startsWith('| '));
  const real = listFailures().map(({ name, denies, is_transient, retry }) => {
    const failure = name in FAILURE_CLASSES ? `\`${name}\`` : name;
    const listed = retry === undefined ? '' : `\`${retry}\` `;
    return `| ${failure} | ${denies ? 'not performed' : 'in doubt'} | ${listed}| ${is_transient ? 'yes' : 'no'} |`;
  });
  assert.deepEqual(rows.slice(1), real);
});

test('the terms explain every reason for which a model has to answer again, and no other', async () => {
  const [, below = ''] = page('docs/terms.md').split('| detail | the answer |');
  const details = await literalsOf('engine/core/protocol/failure.ts', 'ModelContentDetail');
  const faults = await literalsOf('engine/core/world/patch-operations.ts', 'PatchFault');
  assertSame(firstCells(below.split('\n\n')[0] ?? ''), [...details, ...faults]);
});

test('the terms, the workflow schema and the program know the same node types', async () => {
  const [, below = ''] = page('docs/terms.md').split('Node types:');
  const documented = firstCells(below.split('\n##')[0] ?? '');
  const schema = JSON.parse(await read('schemas/workflow.schema.json')) as {
    readonly $defs: Readonly<Record<string, { readonly properties?: { readonly type?: { readonly const?: string } } }>>;
  };
  const inSchema = Object.values(schema.$defs).flatMap((definition) => definition.properties?.type?.const ?? []);
  assertSame(documented, Object.keys(NODE_TYPES));
  assertSame(inSchema, Object.keys(NODE_TYPES));
});

test('the schemas and the program know the same operations of patches', async () => {
  const patch = JSON.parse(await read('schemas/world-patch.schema.json')) as { readonly $defs: object };
  assertSame(Object.keys(patch.$defs), EFFECT_OPERATIONS);
  const expected = JSON.parse(await read('schemas/workflow-test.schema.json')) as {
    readonly $defs: { readonly expected_effect: { readonly properties: { readonly op: { readonly enum: string[] } } } };
  };
  assertSame(expected.$defs.expected_effect.properties.op.enum, EFFECT_OPERATIONS);
});

test('the terms name every kind of component and every state of an attempt and of a call', async () => {
  const terms = page('docs/terms.md');
  for (const kind of COMPONENT_KINDS) assert.ok(terms.includes(`\`${kind}\``), kind);
  const [, attempts = ''] = terms.split('| attempt state | meaning |');
  const [, calls = ''] = terms.split('| invocation state | meaning |');
  const states = (text: string): readonly string[] => firstCells(text.split('\n\n')[0] ?? '');
  assertSame(states(attempts), await literalsOf('engine/ports/records.ts', 'AttemptStatus'));
  assertSame(states(calls), await literalsOf('engine/ports/records.ts', 'InvocationStatus'));
});

test('the terms list every placeholder of prompts, and no other', () => {
  const listed = rowsBelow(page('docs/terms.md'), '## Templates').flatMap(
    (cell) => /^\{\{(.+)\}\}$/.exec(cell)?.[1] ?? [],
  );
  assertSame(
    listed.filter((name) => !name.includes('<')),
    PLACEHOLDER_NAMES,
  );
});

test('ids normalise as the table of the terms says', () => {
  const [, below = ''] = page('docs/terms.md').split('| written | normalises to |');
  const rows = (below.split('\n\n')[0] ?? '').split('\n').filter((row) => row.startsWith('| `'));
  assert.ok(rows.length >= 6, `${rows.length} rows`);
  for (const row of rows) {
    const [written = '', becomes = ''] = row.slice(2).split(' | ');
    const canonical = /^`([^`]+)`/.exec(becomes)?.[1];
    for (const [, text = ''] of written.matchAll(/`([^`]+)`/g)) {
      const normalised = normaliseEntityId(text);
      assert.equal(normalised.ok ? normalised.id : undefined, canonical, text);
    }
  }
});

test('the rooms of the architecture page are the folders of the engine, of its core and of its operations', async () => {
  const [, below = ''] = page('docs/architecture.md').split('\n## Rooms\n');
  const [inEngine = '', beside = ''] = below.split('Beside the engine:');
  const [rooms = '', within = ''] = inEngine.split('| folder of `core` | holds |');
  const [inCore = '', inOperations = ''] = within.split('| folder of `operations` |');
  assertSame(firstCells(rooms), await listFolders('engine'));
  assertSame(firstCells(inCore), await listFolders('engine/core'));
  assertSame(firstCells(inOperations), await listFolders('engine/operations'));
  const folders = (await listFolders('.')).filter((name) => !/^\.|^(node_modules|dist|coverage|engine)$/.test(name));
  assertSame(
    firstCells(beside.split('\n## ')[0] ?? '').filter(
      (name) => !name.endsWith('.sql') && !name.startsWith('http_') && !name.startsWith('llm_'),
    ),
    folders,
  );
});

async function listFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(PACKAGE_ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

test('the table of dependencies is the one of package.json', async () => {
  const manifest = JSON.parse(await read('package.json')) as Readonly<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
  >;
  const [used = '', developed = ''] = page('docs/making/dependencies.md').split('For development only:');
  assertSame(firstCells(used), Object.keys(manifest.dependencies));
  assertSame(firstCells(developed), Object.keys(manifest.devDependencies));
});

test('the reference has a row for every variable that the program reads', async () => {
  const files = [
    ...(await listFiles('engine', '.ts')),
    // Examples of a plugin name variables that only its test sets.
    ...(await listFiles('plugins', '.json')).filter((file) => !file.endsWith('conformance.json')),
    ...(await listFiles('fixtures/toys', '.ts')),
  ];
  const sources = (await Promise.all(files.map(read))).join('\n');
  const variables = [...sources.matchAll(/\bCHUKWA_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([name]) => name);
  assertSame(
    firstCells(page('docs/reference/variables.md')).filter((name) => name.startsWith('CHUKWA_')),
    variables,
  );
});

test('the reference has a row for every exit code, and no other', () => {
  const [, below = ''] = page('docs/reference/exit-codes.md').split('| exit code | means |');
  const codes = [...(below.split('\n\n')[0] ?? '').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code ?? '');
  assertSame(codes, Object.values(EXIT).map(String));
});

/** Words of older designs and of promises that nothing keeps. */
const RETIRED =
  /\b(perceive|perceives|perceiving|perception|intend\w*|intents?|intentions?|adjudicat\w*|llm_?phase|replay\w*)\b/i;

test('no page uses a retired word', () => {
  const found = [...pages].flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => (RETIRED.test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('the picture of a run shows what the script of the park says', async () => {
  const picture = (await read('docs/park.svg')).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  const script = JSON.parse(await read('fixtures/scripts/park.json')) as {
    readonly turns: Readonly<
      Record<string, Readonly<Record<string, { readonly json?: { readonly patch?: { readonly narration: string } } }>>>
    >;
  };
  const narrated = Object.entries(script.turns['2'] ?? {}).flatMap(([key, answer]) =>
    answer.json?.patch === undefined ? [] : [{ key, narration: answer.json.patch.narration }],
  );
  // A rejected try says its narration too, and is never told.
  const accepted = narrated.filter(
    ({ key }) =>
      !narrated.some((other) => other.key !== key && other.key.startsWith(key.replace(/\d+$/, '')) && other.key > key),
  );
  assert.ok(accepted.length >= 2, `${accepted.length} patches`);
  for (const { narration } of accepted)
    assert.ok(picture.includes(narration.replaceAll("'", '&#39;').replaceAll('"', '&quot;')), narration);
});
