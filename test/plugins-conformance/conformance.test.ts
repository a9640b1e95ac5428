import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { compose } from '../../engine/main.js';
import { type ConformanceReport, testPlugin } from '../../engine/operations/plugins/index.js';
import { RULES } from '../../engine/operations/plugins/conformance/rules/index.js';
import { scaffold } from '../../engine/operations/plugins/create.js';
import { FIRST_COMPILED } from '../support/program.js';
import { APART, manifest, type Planted, PLANTED } from './planted.js';
import { makeFolder } from '../support/folder.js';

const composition = await compose({});
const workshop = await composition.openWorkshop();

async function examine(asked: string, path = asked): Promise<ConformanceReport> {
  const tested = await testPlugin(workshop, { asked, path });
  assert.ok(tested.ok);
  return tested.value;
}

const having = (report: ConformanceReport, status: string): readonly string[] =>
  report.checks.filter((check) => check.status === status).map(({ rule }) => rule);

async function plant(t: TestContext, files: Planted['files']): Promise<string> {
  const folder = await makeFolder(t);
  const whole = new Map<string, string | null>(
    (await scaffold(composition.package_root, 'planted')).map(({ path, text }) => [path, text]),
  );
  for (const [path, text] of Object.entries(files)) whole.set(path, text);
  for (const [path, text] of whole) {
    if (text === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const NO_FILES = ['files'];
const NOTHING_LATER = ['pending', ...NO_FILES];

for (const [name, skipped] of [
  ['csv', ['pending', 'way_out', 'once', 'typed_errors', 'size_limit', 'deadline']],
  ['file_json', ['pending', 'way_out', 'once', 'typed_errors', 'size_limit', 'deadline', 'concurrency']],
  ['http_json', NO_FILES],
  ['llm_chat', NOTHING_LATER],
  ['mcp_tool', NOTHING_LATER],
] as const) {
  test(`the shipped plugin ${name} keeps every rule`, async () => {
    const report = await examine(name, join(tmpdir(), 'no-such-folder'));
    assert.deepEqual(having(report, 'failed'), [], JSON.stringify(report.checks, null, 1));
    assert.deepEqual(having(report, 'skipped'), skipped);
    assert.equal(report.ok, true);
    assert.equal(report.plugin, name);
  });
}

test('a plugin as the scaffold writes it keeps every rule', async (t) => {
  const report = await examine(await plant(t, {}));
  assert.deepEqual(having(report, 'failed'), [], JSON.stringify(report.checks, null, 1));
  assert.deepEqual(having(report, 'skipped'), NOTHING_LATER);
});

test('a plugin whose files are no JSON keeps every rule, and {{call}} is replaced in their names and texts', async (t) => {
  const report = await examine(
    await plant(t, {
      'plugin.json': manifest({ origin: undefined, folder: { interface_field: 'folder_env' } }),
      'interface.schema.json': '{"type":"object","properties":{"folder_env":{"type":"string"}}}',
      'index.js': `export default {
        open: (_, { files }) => ({
          invoke: async (request, context) => ({
            value: new TextDecoder().decode(await files.read(request + '.txt', context)),
          }),
        }),
      };`,
      'conformance.json': JSON.stringify({
        version: 1,
        examples: [
          {
            name: 'notes',
            interface: { name: 'planted', folder_env: 'CHUKWA_PLANTED_DIR' },
            request: '{{call}}',
            files: { '{{call}}.txt': 'a note about {{call}}' },
            expect: { value: 'a note about {{call}}' },
          },
        ],
      }),
    }),
  );
  assert.deepEqual(having(report, 'failed'), [], JSON.stringify(report.checks, null, 1));
  assert.ok(having(report, 'passed').includes('files'));
});

for (const { breaks, how, files, says } of PLANTED) {
  test(`a plugin that ${how} breaks exactly the rule ${breaks}`, async (t) => {
    const report = await examine(await plant(t, files));
    assert.deepEqual(having(report, 'failed'), [breaks], JSON.stringify(report.checks, null, 1));
    assert.equal(report.ok, false);
    const check = report.checks.find(({ rule }) => rule === breaks);
    assert.ok(check?.status === 'failed');
    assert.match(check.complaints.join('\n'), says);
    assert.match(check.repair, /\w+ \w+/);
  });
}

for (const { breaks, how, files, says } of APART) {
  test(`a plugin that ${how} breaks exactly the rule ${breaks}, and neither ends the program nor keeps it`, async (t) => {
    const words = [...FIRST_COMPILED, 'dist/engine/chukwa.js', 'plugin', 'test', await plant(t, files), '--json'];
    const ended = await new Promise<{ readonly code: unknown; readonly stdout: string }>((resolve) => {
      execFile(process.execPath, words, (error, stdout) => resolve({ code: error?.code ?? 0, stdout }));
    });
    const report = JSON.parse(ended.stdout) as ConformanceReport;
    assert.deepEqual(having(report, 'failed'), [breaks], ended.stdout);
    assert.match(ended.stdout, says);
    assert.equal(ended.code, 1);
  });
}

test('every rule has a plugin planted that breaks it', async (t) => {
  const report = await examine(await plant(t, {}));
  const broken = new Set([...PLANTED, ...APART].map(({ breaks }) => breaks));
  assert.deepEqual(
    report.checks.map(({ rule }) => rule).filter((rule) => !broken.has(rule)),
    [],
  );
  assert.ok(RULES.every(({ rule }) => report.checks.some((check) => check.rule === rule)));
});

test('a plugin that connects to nothing is held to what is left', async (t) => {
  const report = await examine(
    await plant(t, {
      'plugin.json': JSON.stringify({
        version: 1,
        name: 'planted',
        description: 'Turns texts around.',
        contract_version: 1,
        speaks: 'json',
        interface_schema: './interface.schema.json',
        entry: './index.js',
      }),
      'interface.schema.json': '{"type": "object"}',
      'index.js':
        'export default { open: () => ({ invoke: async (request, { signal }) => { signal.throwIfAborted(); return { value: request }; } }) };',
      'conformance.json': JSON.stringify({
        version: 1,
        examples: [
          { name: 'any', interface: { name: 'planted' }, request: ['{{call}}'], expect: { value: ['{{call}}'] } },
        ],
      }),
    }),
  );
  assert.deepEqual(having(report, 'failed'), [], JSON.stringify(report.checks, null, 1));
  assert.deepEqual(having(report, 'skipped'), [
    'pending',
    'way_out',
    'once',
    'typed_errors',
    'files',
    'size_limit',
    'deadline',
  ]);
});

test('a folder that is not there is refused, and says what can be named', async () => {
  const tested = await testPlugin(workshop, { asked: 'nowhere', path: join(tmpdir(), 'no-such-folder') });
  assert.ok(!tested.ok);
  assert.equal(tested.problems[0]?.code, 'PLUGIN_FOLDER_UNREADABLE');
  assert.match(tested.problems[0]?.repair ?? '', /plugin list/);
});
