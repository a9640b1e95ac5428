/**
 * Which room may import which. Each rule is a sentence; `test/architecture` runs them, and plants a violation of each.
 * The rooms are told in docs/architecture.md.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Whatever is imported from `node_modules`, wherever that folder lies, or would be if it were installed. */
const packages = (names) => `((^|/)node_modules/(${names.join('|')})/|^(${names.join('|')})(/|$))`;
const anyPackage = '(^|/)node_modules/';

/** A room below `engine/` may import itself and the rooms that are named. */
function roomImports(room, allowed, comment) {
  const open = [room, ...allowed].map((name) => `^engine/${name}/`).join('|');
  return {
    name: `${room}-imports-downwards-only`,
    severity: 'error',
    comment,
    from: { path: `^engine/${room}/` },
    to: { path: '^engine/', pathNot: open },
  };
}

/** The folders of the core, and which of them each may import: the stack grows upwards, and what ends it stands side by side. */
const coreStack = [
  'content',
  'prompt',
  'world',
  'policy',
  'protocol',
  'cost',
  'budget',
  'typing',
  'binding',
  'nodes',
  'workflow',
];
const coreFolders = [
  ...coreStack.map((folder, index) => [folder, coreStack.slice(0, index)]),
  ['workflow-test', coreStack],
  ['study', coreStack],
  ['inbox', []],
  ['approvals', ['content']],
  ['turn', [...coreStack.slice(0, -1), 'inbox']],
  ['agents', ['facts', ...coreStack.slice(0, coreStack.indexOf('protocol') + 1)]],
  ['stream', ['content', 'facts', 'world']],
  ['evidence', ['content', 'prompt']],
  ['facts', ['content', 'prompt', 'world', 'protocol']],
  ['orders', ['content', 'facts', 'prompt', 'world', 'protocol']],
  ['ledger', ['content', 'facts', 'orders', 'evidence', 'prompt', 'world', 'protocol']],
];

function coreImports([folder, below]) {
  const open = [folder, ...below].join('|');
  return {
    name: `core-${folder}-imports-downwards-only`,
    severity: 'error',
    comment: 'The folders of the core import each other one way.',
    from: { path: `^engine/core/${folder}/` },
    to: { path: '^engine/core/', pathNot: `^engine/core/(${open})/` },
  };
}

/** Packages that one folder alone may import. */
function packagesStayIn(name, folder, names, comment) {
  return {
    name,
    severity: 'error',
    comment,
    from: { path: '^(engine|plugins)/', pathNot: folder },
    to: { path: packages(names) },
  };
}

function listPlugins() {
  try {
    return readdirSync('plugins', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function packagesOf(plugin) {
  try {
    return JSON.parse(readFileSync(`plugins/${plugin}/plugin.json`, 'utf8')).packages ?? [];
  } catch {
    return [];
  }
}

const pluginRules = listPlugins().map((plugin) => {
  const named = packagesOf(plugin);
  return {
    name: `plugin-${plugin}-imports-packages-of-its-manifest-only`,
    severity: 'error',
    comment: 'What a plugin needs stands in its manifest.',
    from: { path: `^plugins/${plugin}/`, pathNot: '/test/' },
    to: named.length === 0 ? { path: anyPackage } : { path: anyPackage, pathNot: packages(named) },
  };
});

const below = ['contract', 'generated'];
const beside = ['ports', 'core', ...below];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A circle has no bottom to begin reading at.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment:
        'A module that nobody imports and that imports nobody is forgotten. Generated types stand ready; browsers load assets.',
      from: { orphan: true, pathNot: '^engine/(generated|surfaces/browser/assets)/' },
      to: {},
    },
    {
      name: 'every-import-resolves',
      severity: 'error',
      comment: 'What cannot be resolved cannot be judged. The name of our own contract leads to what a build makes.',
      from: {},
      to: { couldNotResolve: true, pathNot: '^chukwa/plugin$' },
    },
    roomImports('contract', [], 'The contract imports nothing.'),
    roomImports('generated', ['contract'], 'Generated types know JSON only.'),
    roomImports('core', below, 'The core is pure: it knows no port and no part.'),
    ...coreFolders.map(coreImports),
    roomImports('ports', ['core', ...below], 'Ports are types over what the core means.'),
    roomImports('schema', beside, 'Parts know each other by ports alone.'),
    roomImports('sources', beside, 'Parts know each other by ports alone.'),
    roomImports('store', beside, 'Parts know each other by ports alone.'),
    roomImports('doorbells', beside, 'Parts know each other by ports alone.'),
    roomImports('metering', beside, 'Parts know each other by ports alone.'),
    roomImports('runtime', beside, 'The runtime sees ports, not parts.'),
    {
      name: 'telemetry-observes-the-runtime',
      severity: 'error',
      comment: 'Telemetry makes signals of what watchers of a turn are told, and knows nothing else that runs.',
      from: { path: '^engine/telemetry/' },
      to: {
        path: '^engine/',
        pathNot: '^engine/((telemetry|ports|core|contract|generated)/|runtime/progress\\.ts$)',
      },
    },
    roomImports('operations', ['runtime', 'store', ...beside], 'An operation is handed its parts.'),
    {
      name: 'operations-know-the-store-as-a-whole',
      severity: 'error',
      comment: 'The type of the store is made of its functions; operations are handed those with a database.',
      from: { path: '^engine/operations/' },
      to: { path: '^engine/store/', pathNot: '^engine/store/(open-store|inspect)\\.ts$' },
    },
    {
      name: 'the-catalogue-declares-over-operations',
      severity: 'error',
      comment:
        'A declaration names an operation and what people see of its answer; every surface is a function over it.',
      from: { path: '^engine/catalogue/' },
      to: { path: '^engine/', pathNot: '^engine/(catalogue|operations|ports|core|contract|generated)/' },
    },
    {
      name: 'surfaces-call-operations',
      severity: 'error',
      comment:
        'A surface parses, calls an operation and prints. What the watchers of a turn are told is a value to print.',
      from: { path: '^engine/surfaces/' },
      to: {
        path: '^engine/',
        pathNot: '^engine/((surfaces|catalogue|operations|ports|core|contract|generated)/|runtime/progress\\.ts$)',
      },
    },
    {
      name: 'surfaces-do-not-import-each-other',
      severity: 'error',
      comment: 'What two surfaces share is an operation.',
      from: { path: '^engine/surfaces/(?!http/|mcp/)([^/]+)/' },
      to: { path: '^engine/surfaces/', pathNot: '^engine/surfaces/$1/' },
    },
    {
      name: 'http-serves-browsers-and-assistants',
      severity: 'error',
      comment:
        'The browser makes pages, assistants are offered tools, and HTTP hands both out; it knows no other surface.',
      from: { path: '^engine/surfaces/http/' },
      to: { path: '^engine/surfaces/', pathNot: '^engine/surfaces/(http|browser|mcp)/' },
    },
    {
      name: 'assistants-show-pages-of-the-browser',
      severity: 'error',
      comment: 'The page of a world is drawn once.',
      from: { path: '^engine/surfaces/mcp/' },
      to: { path: '^engine/surfaces/', pathNot: '^engine/surfaces/(mcp/|browser/export\\.ts$)' },
    },
    {
      name: 'only-the-program-imports-main',
      severity: 'error',
      comment: 'The composition root knows all; only the files by which the program and the library begin know it.',
      from: { path: '^(engine|plugins|fixtures)/', pathNot: '^engine/(chukwa|library)\\.ts$' },
      to: { path: '^engine/main\\.ts$' },
    },
    {
      name: 'nobody-imports-the-program',
      severity: 'error',
      comment: 'Importing it would run it.',
      from: {},
      to: { path: '^engine/chukwa\\.ts$' },
    },
    {
      name: 'nobody-imports-the-library',
      severity: 'error',
      comment: 'It is a face for programs outside; inside, its parts are nearer.',
      from: { path: '^(engine|plugins|fixtures)/' },
      to: { path: '^engine/library\\.ts$' },
    },
    {
      name: 'the-engine-never-imports-a-plugin',
      severity: 'error',
      comment: 'Plugins are found in folders at run time.',
      from: { path: '^engine/' },
      to: { path: '^plugins/' },
    },
    {
      name: 'only-main-loads-the-toys',
      severity: 'error',
      comment:
        'Fixtures are data, and servers that stand in for the outside. The composition root alone loads those of commands.',
      from: { path: '^(engine|plugins)/', pathNot: '^engine/main\\.ts$' },
      to: { path: '^fixtures/' },
    },
    {
      name: 'main-loads-no-other-fixture',
      severity: 'error',
      comment: 'The seam is one file.',
      from: { path: '^engine/main\\.ts$' },
      to: { path: '^fixtures/', pathNot: '^fixtures/toys/stages\\.ts$' },
    },
    {
      name: 'only-main-reads-the-configuration',
      severity: 'error',
      comment: 'Variables are read in one place, and handed on as values.',
      from: { path: '^(engine|plugins|fixtures)/', pathNot: '^engine/main\\.ts$' },
      to: { path: '^engine/(configuration|plugin-log|json-log)\\.ts$' },
    },
    {
      name: 'fixtures-know-the-contract-only',
      severity: 'error',
      comment: 'What stands in for the outside must not know the inside.',
      from: { path: '^fixtures/' },
      to: { path: '^(engine|plugins)/', pathNot: '^engine/(contract|generated)/' },
    },
    {
      name: 'plugins-know-the-contract-only',
      severity: 'error',
      comment: 'A plugin imports `chukwa/plugin`, by that name.',
      from: { path: '^plugins/', pathNot: '/test/' },
      to: { path: '^(engine|fixtures|tools|test)/' },
    },
    {
      name: 'plugins-do-not-import-each-other',
      severity: 'error',
      comment: 'Each plugin can be taken away alone.',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: '^plugins/', pathNot: '^plugins/$1/' },
    },
    {
      name: 'plugins-import-nothing-of-node',
      severity: 'error',
      comment: 'A plugin reaches the outside through what it is handed.',
      from: { path: '^plugins/', pathNot: '/test/' },
      to: { dependencyTypes: ['core'] },
    },
    ...pluginRules,
    {
      name: 'the-core-imports-nothing-of-node',
      severity: 'error',
      comment: 'Values in, values out. Hashing is a function of its input.',
      from: { path: '^engine/(core|contract|generated|ports)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'hashes-are-made-in-content',
      severity: 'error',
      comment: 'One place says what the hash of a value is.',
      from: { path: '^engine/(core|contract|generated|ports)/', pathNot: '^engine/core/content/' },
      to: { path: '^(node:)?crypto$' },
    },
    {
      name: 'the-core-imports-no-package',
      severity: 'error',
      comment: 'It holds decisions alone.',
      from: { path: '^engine/(core|contract|generated|ports)/' },
      to: { path: anyPackage },
    },
    packagesStayIn(
      'the-database-stays-in-the-store',
      '^engine/store/',
      ['kysely', 'pg', '@electric-sql', '@types/pg'],
      'SQL lives in one room.',
    ),
    packagesStayIn(
      'the-protocol-of-assistants-stays-in-its-surface',
      '^engine/surfaces/mcp/',
      ['@modelcontextprotocol/server'],
      'Nothing below the adapter knows the protocol.',
    ),
    packagesStayIn('the-message-bus-stays-in-doorbells', '^engine/doorbells/', ['@nats-io'], 'A bell carries nothing.'),
    packagesStayIn(
      'prices-and-tokenizers-stay-in-metering',
      '^engine/metering/',
      ['@pydantic/genai-prices', 'gpt-tokenizer'],
      'They are large, and loaded where somebody asks what something costs.',
    ),
    packagesStayIn(
      'the-validator-stays-in-schema',
      '^engine/schema/',
      ['ajv', 'ajv-formats'],
      'The core is handed functions.',
    ),
    packagesStayIn(
      'the-web-server-stays-in-its-surface',
      '^engine/surfaces/http/',
      ['fastify', '@fastify', 'jose'],
      'HTTP is one surface.',
    ),
    packagesStayIn(
      'the-command-line-stays-in-its-surface',
      '^engine/surfaces/cli/',
      ['commander', 'cli-table3', 'picocolors'],
      'The CLI is one surface.',
    ),
    packagesStayIn(
      'exporters-stay-in-telemetry',
      '^engine/telemetry/otlp\\.ts$',
      ['@opentelemetry'],
      'Loaded only where the operator asks for it.',
    ),
    packagesStayIn('the-http-client-stays-in-sources', '^engine/sources/', ['undici'], 'One way out.'),
    {
      name: 'what-ships-imports-no-development-package',
      severity: 'error',
      comment: 'Whoever installs the package has no development packages.',
      from: { path: '^(engine|plugins|fixtures)/', pathNot: '/test/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'], pathNot: '(^|/)node_modules/@types/' },
    },
  ],
  options: {
    // TypeScript 7 has no programming interface, and the fallback parser passes `export type` by.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: anyPackage },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
