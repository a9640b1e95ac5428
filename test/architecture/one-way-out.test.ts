import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { PACKAGE_ROOT } from './cruise.js';

/** What leads out of the process, or into a plugin, and the only files of the engine that may use it. */
const WAYS: Readonly<Record<string, { readonly pattern: RegExp; readonly files: readonly string[] }>> = {
  'a request or a socket': {
    pattern:
      /(?<![\w.#])fetch\(|= fetch\b|\bglobalThis\b|(from |import |import\(|require\()'((node:)?(http|https|http2|net|tls|dgram|dns)(\/\w+)?|undici)'|new (WebSocket|EventSource)\(/,
    files: [
      'engine/operations/plugins/conformance/rules/secrets.ts',
      'engine/operations/plugins/conformance/server.ts',
      'engine/operations/serving/served.ts',
      'engine/sources/authorise.ts',
      'engine/sources/bench.ts',
      'engine/sources/examine-origin.ts',
      'engine/sources/origin-fetch.ts',
      'engine/sources/proxy.ts',
      'engine/store/server.ts',
      'engine/surfaces/http/connections.ts',
      'engine/surfaces/http/issuer.ts',
      'engine/surfaces/http/server.ts',
      'engine/surfaces/mcp/forward.ts',
    ],
  },
  'another program': {
    pattern: /(from |import |import\(|require\()'(node:)?(child_process|worker_threads|cluster)'/,
    files: [
      'engine/sources/children.ts',
      'engine/sources/operator-command.ts',
      'engine/store/heartbeat/beat-thread.ts',
      'engine/store/heartbeat/thread-heartbeat.ts',
      'engine/store/kernel-lock.ts',
    ],
  },
  "a plugin's code": {
    pattern:
      /\bimportEntry\b|(?<!\.)\bimport\((?!['"])|\bcreateRequire\b|'(node:)?vm'|\.getBuiltinModule\(|new Function\(|\beval\(/,
    files: [
      'engine/sources/bench.ts',
      'engine/sources/import-entry.ts',
      'engine/sources/index.ts',
      'engine/store/template.ts',
    ],
  },
  "a plugin's source": {
    pattern: /\.invoke\b|\['invoke'\]|\{[^{}]*\binvoke\b[^{}:]*\} =/,
    files: ['engine/sources/bench.ts', 'engine/sources/stages/call.ts'],
  },
};

/** The files that use a way, and may not. */
function findOthers(way: string, texts: Readonly<Record<string, string>>): readonly string[] {
  const { pattern, files } = WAYS[way] ?? assert.fail(way);
  return Object.entries(texts).flatMap(([path, text]) => (pattern.test(text) && !files.includes(path) ? [path] : []));
}

async function readEngine(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(join(PACKAGE_ROOT, 'engine'), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('/assets'))
    .map((entry) => relative(PACKAGE_ROOT, join(entry.parentPath, entry.name)));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(PACKAGE_ROOT, path), 'utf8')] as const)),
  );
}

for (const way of Object.keys(WAYS))
  test(`${way} is reached from the files that are listed, and each of them reaches it`, async () => {
    const texts = await readEngine();
    assert.deepEqual(findOthers(way, texts), []);
    const { pattern, files } = WAYS[way] ?? assert.fail(way);
    assert.deepEqual(
      files.filter((path) => !pattern.test(texts[path] ?? '')),
      [],
    );
  });

const PLANTED: readonly (readonly [way: string, text: string])[] = [
  ['a request or a socket', 'const answer = await fetch(url);'],
  ['a request or a socket', "import { request } from 'node:https';"],
  ['a request or a socket', "import { connect } from 'net';"],
  ['a request or a socket', "import { Agent } from 'undici';"],
  ['a request or a socket', 'new WebSocket(url)'],
  ['a request or a socket', "const { request } = await import('node:http');"],
  ['a request or a socket', "import { resolve } from 'node:dns/promises';"],
  ['a request or a socket', 'const send = fetch;'],
  ['a request or a socket', 'return globalThis.fetch(url);'],
  ['another program', "import { spawn } from 'node:child_process';"],
  ['another program', "const { Worker } = await import('node:worker_threads');"],
  ["a plugin's code", 'const plugin = await import(path);'],
  ["a plugin's code", 'const plugins = Promise.all(paths.map((path) => load(import(path))));'],
  ["a plugin's code", 'await import(`${folder}/index.js`);'],
  ["a plugin's code", "import { createRequire } from 'node:module';"],
  ["a plugin's code", "import { runInThisContext } from 'node:vm';"],
  ["a plugin's code", "process.getBuiltinModule('module')"],
  ["a plugin's code", 'new Function(text)()'],
  ["a plugin's code", "import { importEntry } from '../import-entry.js';"],
  ["a plugin's source", 'return source.invoke(request, context);'],
  ["a plugin's source", 'return source.invoke.call(source, request, context);'],
  ["a plugin's source", "return source['invoke'](request, context);"],
  ["a plugin's source", 'const { invoke } = opened;'],
];

for (const [way, text] of PLANTED)
  test(`planted elsewhere, ${JSON.stringify(text)} is found`, () => {
    assert.deepEqual(findOthers(way, { 'engine/runtime/planted.ts': text }), ['engine/runtime/planted.ts']);
  });
