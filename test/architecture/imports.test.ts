import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import configuration from '../../.dependency-cruiser.mjs';
import { cruise, PACKAGE_ROOT } from './cruise.js';

const real = await cruise(PACKAGE_ROOT, ['engine', 'plugins', 'fixtures']);

test('the imports of the engine, its plugins and its fixtures keep every rule', () => {
  assert.deepEqual(real.violations, []);
});

test('the cruiser sees modules, imports of types among them, and re-exports of types', () => {
  assert.ok(real.module_count > 100, `${real.module_count} modules`);
  assert.ok(real.dependency_count > 300, `${real.dependency_count} dependencies`);
  const sees = (from: string, to: string): boolean =>
    real.imports.some((found) => found.from === from && found.to === to);
  assert.ok(sees('engine/ports/validation.ts', 'engine/contract/problem.ts'), 'import type');
  assert.ok(sees('engine/contract/index.ts', 'engine/contract/source.ts'), 'export type');
  assert.ok(
    real.imports.some(({ from, to }) => from.startsWith('engine/store/') && to.includes('node_modules/kysely/')),
    'a package',
  );
});

/** Each rule, and imports that break it: the file, and what it imports. Local targets are made. */
const VIOLATIONS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'no-cycles': [['engine/core/egg.ts', 'engine/core/hen.ts']],
  'every-import-resolves': [['engine/core/lost.ts', './nowhere.js']],
  'contract-imports-downwards-only': [['engine/contract/a.ts', 'engine/core/target.ts']],
  'generated-imports-downwards-only': [['engine/generated/a.ts', 'engine/core/target.ts']],
  'core-imports-downwards-only': [
    ['engine/core/a.ts', 'engine/ports/target.ts'],
    ['engine/core/turn/b.ts', 'engine/runtime/target.ts'],
  ],
  'core-content-imports-downwards-only': [['engine/core/content/a.ts', 'engine/core/prompt/target.ts']],
  'core-prompt-imports-downwards-only': [['engine/core/prompt/a.ts', 'engine/core/world/target.ts']],
  'core-world-imports-downwards-only': [['engine/core/world/a.ts', 'engine/core/protocol/target.ts']],
  'core-protocol-imports-downwards-only': [['engine/core/protocol/a.ts', 'engine/core/nodes/target.ts']],
  'core-typing-imports-downwards-only': [['engine/core/typing/a.ts', 'engine/core/binding/target.ts']],
  'core-binding-imports-downwards-only': [['engine/core/binding/a.ts', 'engine/core/nodes/target.ts']],
  'core-nodes-imports-downwards-only': [
    ['engine/core/nodes/a.ts', 'engine/core/workflow/target.ts'],
    ['engine/core/nodes/c.ts', 'engine/core/turn/target.ts'],
  ],
  'core-workflow-imports-downwards-only': [
    ['engine/core/workflow/a.ts', 'engine/core/turn/target.ts'],
    ['engine/core/workflow/link/c.ts', 'engine/core/workflow-test/target.ts'],
  ],
  'core-study-imports-downwards-only': [['engine/core/study/a.ts', 'engine/core/turn/target.ts']],
  'core-workflow-test-imports-downwards-only': [['engine/core/workflow-test/a.ts', 'engine/core/turn/target.ts']],
  'core-inbox-imports-downwards-only': [['engine/core/inbox/a.ts', 'engine/core/content/target.ts']],
  'core-turn-imports-downwards-only': [
    ['engine/core/turn/a.ts', 'engine/core/workflow/target.ts'],
    ['engine/core/turn/c.ts', 'engine/core/agents/target.ts'],
  ],
  'core-agents-imports-downwards-only': [['engine/core/agents/a.ts', 'engine/core/turn/target.ts']],
  'core-cost-imports-downwards-only': [['engine/core/cost/a.ts', 'engine/core/nodes/target.ts']],
  'core-evidence-imports-downwards-only': [['engine/core/evidence/a.ts', 'engine/core/world/target.ts']],
  'core-policy-imports-downwards-only': [['engine/core/policy/a.ts', 'engine/core/protocol/target.ts']],
  'core-approvals-imports-downwards-only': [['engine/core/approvals/a.ts', 'engine/core/protocol/target.ts']],
  'core-facts-imports-downwards-only': [['engine/core/facts/a.ts', 'engine/core/orders/target.ts']],
  'core-orders-imports-downwards-only': [['engine/core/orders/a.ts', 'engine/core/ledger/target.ts']],
  'core-ledger-imports-downwards-only': [['engine/core/ledger/a.ts', 'engine/core/nodes/target.ts']],
  'core-budget-imports-downwards-only': [['engine/core/budget/a.ts', 'engine/core/nodes/target.ts']],
  'core-stream-imports-downwards-only': [['engine/core/stream/a.ts', 'engine/core/protocol/target.ts']],
  'ports-imports-downwards-only': [['engine/ports/a.ts', 'engine/store/target.ts']],
  'schema-imports-downwards-only': [['engine/schema/a.ts', 'engine/sources/target.ts']],
  'sources-imports-downwards-only': [
    ['engine/sources/a.ts', 'engine/store/target.ts'],
    ['engine/sources/stages/b.ts', 'engine/runtime/target.ts'],
  ],
  'store-imports-downwards-only': [['engine/store/a.ts', 'engine/schema/target.ts']],
  'doorbells-imports-downwards-only': [['engine/doorbells/a.ts', 'engine/store/target.ts']],
  'metering-imports-downwards-only': [['engine/metering/a.ts', 'engine/operations/target.ts']],
  'runtime-imports-downwards-only': [
    ['engine/runtime/a.ts', 'engine/store/target.ts'],
    ['engine/runtime/b.ts', 'engine/operations/target.ts'],
  ],
  'operations-imports-downwards-only': [
    ['engine/operations/a.ts', 'engine/sources/target.ts'],
    ['engine/operations/b.ts', 'engine/surfaces/cli/target.ts'],
  ],
  'operations-know-the-store-as-a-whole': [['engine/operations/s.ts', 'engine/store/worlds.ts']],
  'the-catalogue-declares-over-operations': [['engine/catalogue/a.ts', 'engine/surfaces/cli/target.ts']],
  'surfaces-call-operations': [
    ['engine/surfaces/cli/a.ts', 'engine/store/target.ts'],
    ['engine/surfaces/cli/b.ts', 'engine/main.ts'],
    ['engine/surfaces/cli/d.ts', 'engine/runtime/target.ts'],
  ],
  'surfaces-do-not-import-each-other': [
    ['engine/surfaces/cli/e.ts', 'engine/surfaces/http/target.ts'],
    ['engine/surfaces/browser/a.ts', 'engine/surfaces/http/target.ts'],
  ],
  'http-serves-browsers-and-assistants': [['engine/surfaces/http/a.ts', 'engine/surfaces/cli/target.ts']],
  'assistants-show-pages-of-the-browser': [['engine/surfaces/mcp/a.ts', 'engine/surfaces/http/target.ts']],
  'only-the-program-imports-main': [['engine/operations/c.ts', 'engine/main.ts']],
  'nobody-imports-the-program': [['engine/operations/f.ts', 'engine/chukwa.ts']],
  'nobody-imports-the-library': [['engine/operations/l.ts', 'engine/library.ts']],
  'the-engine-never-imports-a-plugin': [
    ['engine/sources/c.ts', 'plugins/mail/target.ts'],
    ['engine/main.ts', 'plugins/mail/target.ts'],
  ],
  'only-main-loads-the-toys': [
    ['engine/runtime/c.ts', 'fixtures/toys/stages.ts'],
    ['plugins/mail/f.ts', 'fixtures/toys/stages.ts'],
  ],
  'main-loads-no-other-fixture': [
    ['engine/main.ts', 'fixtures/target.ts'],
    ['engine/main.ts', 'fixtures/toys/target.ts'],
  ],
  'only-main-reads-the-configuration': [['engine/operations/h.ts', 'engine/configuration.ts']],
  'fixtures-know-the-contract-only': [['fixtures/toys/a.ts', 'engine/core/target.ts']],
  'plugins-know-the-contract-only': [['plugins/mail/a.ts', 'engine/contract/target.ts']],
  'plugins-do-not-import-each-other': [['plugins/mail/b.ts', 'plugins/post/target.ts']],
  'plugins-import-nothing-of-node': [['plugins/mail/c.ts', 'node:fs']],
  'plugin-mail-imports-packages-of-its-manifest-only': [['plugins/mail/d.ts', 'uuid']],
  'plugin-post-imports-packages-of-its-manifest-only': [['plugins/post/d.ts', 'openai']],
  'the-core-imports-nothing-of-node': [
    ['engine/core/c.ts', 'node:fs/promises'],
    ['engine/core/content/c.ts', 'node:path'],
  ],
  'hashes-are-made-in-content': [['engine/core/d.ts', 'node:crypto']],
  'the-core-imports-no-package': [
    ['engine/core/e.ts', 'uuid'],
    ['engine/core/content/e.ts', 'uuid'],
  ],
  'the-database-stays-in-the-store': [
    ['engine/runtime/d.ts', 'kysely'],
    ['engine/operations/d.ts', '@electric-sql/pglite'],
  ],
  'the-message-bus-stays-in-doorbells': [['engine/runtime/g.ts', '@nats-io/transport-node']],
  'the-protocol-of-assistants-stays-in-its-surface': [['engine/surfaces/http/m.ts', '@modelcontextprotocol/server']],
  'telemetry-observes-the-runtime': [['engine/telemetry/a.ts', 'engine/runtime/target.ts']],
  'exporters-stay-in-telemetry': [['engine/telemetry/b.ts', '@opentelemetry/api']],
  'prices-and-tokenizers-stay-in-metering': [['engine/operations/g.ts', '@pydantic/genai-prices']],
  'the-validator-stays-in-schema': [
    ['engine/core/g.ts', 'ajv/dist/2020.js'],
    ['engine/sources/d.ts', 'ajv-formats'],
  ],
  'the-web-server-stays-in-its-surface': [['engine/surfaces/cli/c.ts', 'fastify']],
  'the-command-line-stays-in-its-surface': [['engine/operations/e.ts', 'commander']],
  'the-http-client-stays-in-sources': [['engine/runtime/e.ts', 'undici']],
  'what-ships-imports-no-development-package': [['engine/runtime/f.ts', 'fast-check']],
};

/** Closes the circle, which is reported for one of its two ends. */
const BACK_AGAIN = ['engine/core/hen.ts', 'engine/core/egg.ts'] as const;

/** Imports that no rule may mind. */
const ALLOWED: readonly (readonly [string, string])[] = [
  ['plugins/mail/good.ts', 'openai'],
  ['plugins/mail/good-type.ts', 'chukwa/plugin'],
  ['engine/core/content/good.ts', 'node:crypto'],
  ['engine/core/turn/good.ts', 'engine/core/nodes/target.ts'],
  ['engine/core/workflow/good.ts', 'engine/core/nodes/target.ts'],
  ['engine/store/good.ts', 'kysely'],
  ['engine/schema/good.ts', 'ajv/dist/2020.js'],
  ['engine/chukwa.ts', 'engine/main.ts'],
  ['engine/surfaces/cli/good.ts', 'engine/runtime/progress.ts'],
  ['engine/operations/good.ts', 'engine/runtime/target.ts'],
  ['engine/operations/good-store.ts', 'engine/store/open-store.ts'],
  ['engine/surfaces/http/good.ts', 'engine/surfaces/browser/target.ts'],
  ['fixtures/good.ts', 'engine/generated/target.ts'],
];

const planted = await plant([...Object.values(VIOLATIONS).flat(), BACK_AGAIN, ...ALLOWED]);
const found = await cruise(planted, ['engine', 'plugins', 'fixtures']);

for (const [rule, imports] of Object.entries(VIOLATIONS)) {
  for (const [from, to] of imports) {
    test(`${rule.replaceAll('-', ' ')}: ${from} may not import ${to}`, () => {
      assert.ok(found.violations.some((violation) => violation.rule === rule && violation.from === from));
    });
  }
}

test('no orphans: a module without importers and imports is found', () => {
  assert.deepEqual(
    found.violations.filter(({ rule }) => rule === 'no-orphans').map(({ from }) => from),
    ['engine/core/alone.ts'],
  );
});

test('an allowed import breaks no rule', () => {
  const files = new Set(ALLOWED.map(([from]) => from));
  assert.deepEqual(
    found.violations.filter(({ from }) => files.has(from)),
    [],
  );
});

test('operations import types alone from the store: its code is loaded when a database is opened', async () => {
  const from = real.imports.filter(
    ({ from, to }) => from.startsWith('engine/operations/') && to.startsWith('engine/store/'),
  );
  assert.ok(from.length > 0);
  for (const file of new Set(from.map((one) => one.from)))
    assert.doesNotMatch(await readFile(join(PACKAGE_ROOT, file), 'utf8'), /^import (?!type )[^;]*\/store\//m, file);
});

test('every folder of the core has its rule', async () => {
  const rules = new Set(configuration.forbidden.map(({ name }) => name));
  const folders = await readdir(join(PACKAGE_ROOT, 'engine/core'));
  assert.deepEqual(
    folders.filter((folder) => !rules.has(`core-${folder}-imports-downwards-only`)),
    [],
  );
});

test('every rule has a violation planted for it', () => {
  const names = configuration.forbidden
    .map(({ name }) => name)
    .filter((name) => !/^plugin-.*-manifest-only$/.test(name));
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(VIOLATIONS, name)),
    ['no-orphans'],
  );
});

test('every plugin that ships has its rule', async () => {
  const rules = configuration.forbidden.map(({ name }) => name);
  for (const plugin of ['http_json', 'llm_chat']) {
    assert.ok(rules.includes(`plugin-${plugin}-imports-packages-of-its-manifest-only`));
    const manifest = JSON.parse(await readFile(join(PACKAGE_ROOT, `plugins/${plugin}/plugin.json`), 'utf8')) as {
      readonly name: string;
    };
    assert.equal(manifest.name, plugin);
  }
});

/** A tree of the same shape as ours, in which files hold nothing but imports. */
async function plant(imports: readonly (readonly [string, string])[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'chukwa-rooms-'));
  after(() => rm(root, { recursive: true, force: true }));
  const lines = new Map<string, string[]>([['engine/core/alone.ts', []]]);
  for (const [from, to] of imports) {
    const isLocal = /^(engine|plugins|fixtures)\//.test(to);
    lines.set(from, [...(lines.get(from) ?? []), `import '${isLocal ? toSpecifier(from, to) : to}';`]);
    if (isLocal && !lines.has(to)) lines.set(to, []);
  }
  for (const [path, text] of lines) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), [...text, 'export const value = 1;', ''].join('\n'));
  }
  await writeFile(join(root, 'plugins/mail/plugin.json'), '{"packages": ["openai"]}');
  await writeFile(join(root, 'plugins/post/plugin.json'), '{}');
  await writeFile(join(root, 'package.json'), await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

function toSpecifier(from: string, to: string): string {
  const path = relative(dirname(from), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
