import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE_ROOT } from './cruise.js';
import {
  findAny,
  findContractValues,
  findImpureGlobals,
  findLongFunctions,
  findNetworkGlobals,
  findNetworkModules,
  findProcess,
  findMachinePaths,
  findRegistryHosts,
  findRetiredNames,
  findWaysOut,
  FUNCTION_LINES_MAX,
  type TidyRule,
  toSource,
  type Untidy,
} from './tidy-rules.js';

/** Functions that are longer for a reason that stands here. */
const LONG_FUNCTIONS: readonly string[] = [];

const code = (await listFiles(['engine', 'plugins', 'fixtures'])).filter((path) => path.endsWith('.ts'));
const own = code.filter(
  (path) => !path.startsWith('engine/generated/') && !/^plugins\/[^/]+\/interface\.ts$/.test(path),
);
const texts = await listFiles(['.']);

/** What each rule has found in its files. */
const found = new Map<TidyRule, string[]>();
const rulesOf = new Map<string, TidyRule[]>();

/** Runs a rule over files: it must find what is planted, nothing in what is harmless, and nothing in ours. */
function check(
  name: string,
  rule: TidyRule,
  files: readonly string[],
  planted: readonly string[],
  harmless: readonly string[] = [],
): void {
  for (const path of files) rulesOf.set(path, [...(rulesOf.get(path) ?? []), rule]);
  test(name, async () => {
    for (const text of planted) assert.notDeepEqual(rule(toSource(text)), [], `should be found: ${text.slice(0, 80)}`);
    for (const text of harmless) assert.deepEqual(rule(toSource(text)), [], `should be passed by: ${text}`);
    assert.ok(files.length > 0);
    await (looked ??= lookAtAll());
    assert.deepEqual(found.get(rule) ?? [], []);
  });
}

let looked: Promise<void> | undefined;

/** Reads each file once, for all of its rules. */
async function lookAtAll(): Promise<void> {
  for (const [path, rules] of rulesOf) {
    const source = toSource(await readFile(join(PACKAGE_ROOT, path), 'utf8'));
    for (const rule of rules) for (const untidy of rule(source)) note(rule, path, untidy);
  }
}

function note(rule: TidyRule, path: string, { line, why }: Untidy): void {
  found.set(rule, [...(found.get(rule) ?? []), `${path}:${line} ${why}`]);
}

check(
  'core, contract, schema and plugins know no clock, network, process or chance',
  findImpureGlobals,
  own.filter((path) => /^(engine\/(core|contract|ports|schema)|plugins)\//.test(path)),
  [
    'const a = Date.now();',
    'new Date();',
    'await fetch("x");',
    'process.env.A;',
    'Math.random();',
    'setTimeout(() => {}, 1);',
    'globalThis.fetch;',
    'const { now } = Date;',
    'eval("1");',
    'await crypto.subtle.generateKey("AES-GCM", true, []);',
  ],
  [
    'const a = { fetch: 1, process: 2 };',
    'x.fetch();',
    'interface A { readonly process: string; fetch(): void }',
    'const f = (fetch: () => void) => fetch();',
    'type A = Date;',
    'Date.UTC(2025, 0, 1);',
    'const Math = 1;',
  ],
);

const ships = own.filter((path) => /^(engine|fixtures)\//.test(path));
const shipsBut = (files: readonly string[]): readonly string[] => ships.filter((path) => !files.includes(path));

check(
  'nothing that ships reaches the network by a global but the toy post, what goes through serve, the operator’s authorisation, and the keys of an issuer',
  findNetworkGlobals,
  shipsBut([
    'engine/operations/serving/served.ts',
    'engine/sources/authorise.ts',
    'engine/surfaces/http/issuer.ts',
    'engine/surfaces/mcp/forward.ts',
    'fixtures/toys/post.ts',
  ]),
  [
    'await fetch("http://a.example");',
    'const ask = fetch;',
    'globalThis.fetch("x");',
    'globalThis["fe" + "tch"]("x");',
    'const { fetch: ask } = globalThis;',
    'new WebSocket("ws://a.example");',
    'new EventSource("x");',
    'global.fetch("x");',
    'new Function("return 1")();',
  ],
  [
    'origin.fetch(url);',
    'const a = { fetch: bind(origin) };',
    'const bind = () => { const fetch = open(); return fetch("x"); };',
    'interface A { fetch(): void }',
  ],
);

check(
  'sockets and programs are opened only by the files that say so',
  findNetworkModules,
  shipsBut([
    'engine/operations/plugins/conformance/server.ts',
    'engine/sources/children.ts',
    'engine/sources/examine-origin.ts',
    'engine/sources/operator-command.ts',
    // For ranges of addresses only.
    'engine/sources/proxy.ts',
    'engine/store/kernel-lock.ts',
    'engine/store/server.ts',
    'engine/surfaces/http/server.ts',
    'fixtures/toys/loopback-server.ts',
  ]),
  [
    "import { request } from 'node:http';",
    "import https from 'https';",
    "import { type Socket, connect } from 'node:net';",
    "await import('node:child_process');",
    "export { lookup } from 'node:dns/promises';",
    "import 'node:tls';",
  ],
  [
    "import type { ServerResponse } from 'node:http';",
    "import { type AddressInfo } from 'node:net';",
    "import { join } from 'node:path';",
  ],
);

check(
  'the process is touched only where the program begins, by the terminal, and by files that hold a folder or a program or ask who owns it',
  findProcess,
  shipsBut([
    'engine/chukwa.ts',
    'engine/library.ts',
    'engine/main.ts',
    'engine/operations/authoring/own-files.ts',
    'engine/operations/plugins/conformance/suite.ts',
    'engine/operations/serving/served.ts',
    'engine/sources/bench.ts',
    'engine/sources/children.ts',
    'engine/sources/operator-command.ts',
    'engine/store/folder-lock.ts',
    'engine/store/heartbeat/beat-thread.ts',
    'engine/store/kernel-lock.ts',
    'engine/store/running-process.ts',
    'engine/store/template.ts',
    'engine/surfaces/cli/terminal.ts',
  ]),
  ['process.exit(1);', 'const { env } = process;', "import { env } from 'node:process';", 'process.on("exit", f);'],
  ['const f = (process: Host) => process.exit;', 'interface A { readonly process: string }', 'holder.process;'],
);

check(
  'nothing is of type any',
  findAny,
  own,
  ['const a: any = 1;', 'const a = b as any;', 'type A = Record<string, any>;'],
  ["const any = 'any';", 'AbortSignal.any([]);'],
);

check(
  `no function is longer than ${FUNCTION_LINES_MAX} lines`,
  findLongFunctions,
  own.filter((path) => !LONG_FUNCTIONS.includes(path)),
  [
    longFunction('function a() {', '}'),
    longFunction('const a = () => {', '};'),
    longFunction('class A { private async a() {', '} }'),
    `${'/* \u{1F600} */\n'.repeat(9)}${longFunction('const a = { a() {', '} };')}`,
  ],
  [`function a() {${'\n'.repeat(FUNCTION_LINES_MAX - 1)}}`],
);

check(
  'one way out: only sources call a plugin or load one',
  findWaysOut,
  code.filter((path) => /^(engine|plugins|fixtures)\//.test(path) && !path.startsWith('engine/sources/')),
  [
    'source.invoke(request);',
    'const f = source.invoke;',
    'source?.invoke?.(a);',
    'const { invoke } = source;',
    'const { invoke: call } = source;',
    'import(name);',
    'await import(`${a}.js`);',
  ],
  ["command.kind === 'invoke';", "await import('./main.js');", 'const a = { invoke: async () => 1 };'],
);

test('sources are the ones that call and load plugins', async () => {
  const found = code
    .filter((path) => path.startsWith('engine/sources/'))
    .map(async (path) => findWaysOut(toSource(await readFile(join(PACKAGE_ROOT, path), 'utf8'))).length);
  assert.ok((await Promise.all(found)).reduce((sum, count) => sum + count, 0) >= 2);
});

check(
  'a plugin imports nothing but types from chukwa/plugin',
  findContractValues,
  own.filter((path) => path.startsWith('plugins/')),
  [
    "import { a } from 'chukwa/plugin';",
    "import { type A, b } from 'chukwa/plugin';",
    "import 'chukwa/plugin';",
    "export * from 'chukwa/plugin';",
  ],
  ["import type { A } from 'chukwa/plugin';", "import OpenAI from 'openai';"],
);

check(
  'no retired name has come back',
  findRetiredNames,
  texts.filter(
    (path) =>
      /^(engine|plugins|schemas|migrations|workflows|fixtures|docs|tools)\//.test(path) &&
      path !== 'engine/surfaces/mcp/retired.ts',
  ),
  [
    'perceive_system',
    'put_intend_system',
    '/adjudicate-systems',
    'struct Adjudication',
    'LlmPhase',
    'llm_phase',
    "kind: 'perceive'",
    '"intend"',
    'fallback_of_call_id',
    'executeWithFallback',
    'label_text',
    'LlmCognitionContext',
  ],
  ['what a subject may perceive', 'the intended order'],
);

const exceptThese = texts.filter((path) => path !== 'test/architecture/tidy-rules.ts');
check(
  'no file holds a path of one machine',
  findMachinePaths,
  exceptThese,
  [`cd ${absolute('home', 'ada', 'x')}`, `"${absolute('Users', 'ada', 'x')}"`, `in ${absolute('work', 'x')}`],
  [`https://example.com${absolute('home', 'ada')}`, `.${absolute('work', 'x')}`, 'GET /work-orders/x'],
);
check(
  'no file holds the host of a package registry',
  findRegistryHosts,
  exceptThese,
  [
    `https://${host('npmjs', 'org')}/a`,
    host('corp', 'internal'),
    JSON.stringify({ resolved: 'https://x/a.tgz' }, null, 1),
  ],
  ['./registry.js', 'test/registry.test.ts'],
);

// Forbidden text is put together at its use, so that this file holds none of it either.
function absolute(...names: readonly string[]): string {
  return `/${names.join('/')}`;
}

function host(...names: readonly string[]): string {
  return ['registry', ...names].join('.');
}

function longFunction(begin: string, end: string): string {
  return `${begin}${'\n'.repeat(FUNCTION_LINES_MAX)}${end}`;
}

async function listFiles(folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = [...folders];
  for (const folder of queue) {
    for (const entry of await readdir(join(PACKAGE_ROOT, folder), { withFileTypes: true })) {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (/(^|\/)(node_modules|dist|coverage|\.git|\.chukwa)$/.test(path)) continue;
      if (entry.isDirectory()) queue.push(path);
      if (entry.isFile() && !/\.(gz|log|png|pid)$/.test(path)) found.push(path);
    }
  }
  return found.sort();
}
