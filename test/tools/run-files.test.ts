import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Test files that one process runs in this order, and what the file of each is said to be. */
const FILES: readonly (readonly [name: string, text: string, outcome: 'ok' | 'not ok'])[] = [
  ['fails.mjs', `test('a test that fails', () => { throw new Error('failed'); });`, 'not ok'],
  ['is-no-module.mjs', `import './is-not-there.mjs';`, 'not ok'],
  [
    'leaves-an-error.mjs',
    `test('a test that leaves an error', () => { setTimeout(() => { throw new Error('left'); }, 1); });
     test('a test that waits', () => new Promise((resume) => setTimeout(resume, 100)));`,
    'not ok',
  ],
  [
    'ends-before-its-error.mjs',
    `test('a test that ends first', () => { setImmediate(() => Promise.reject(new Error('late'))); });`,
    'not ok',
  ],
  [
    'has-hooks.mjs',
    `globalThis.calls = [];
     await new Promise(setImmediate);
     before(() => calls.push('before'));
     beforeEach(() => calls.push('each'));
     after(() => calls.push('after'));
     test('a test with hooks', () => assert.deepEqual(calls, ['before', 'each']));`,
    'ok',
  ],
  ['is-last.mjs', `test('the last test', () => assert.deepEqual(calls, ['before', 'each', 'after']));`, 'ok'],
];

describe('files that one process runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-files-'));
  after(() => rmSync(folder, { recursive: true }));
  const imports = `import assert from 'node:assert/strict';\nimport { after, before, beforeEach, test } from 'node:test';\n`;
  for (const [name, text] of FILES) writeFileSync(join(folder, name), imports + text);
  const { status, stdout } = runHere(
    folder,
    FILES.map(([name]) => name),
  );

  test('fail each by itself, and take no other along', () => {
    const said = [...stdout.matchAll(/^((?:not )?ok) \d+ - (.*)$/gm)].map(([, outcome, name]) => [name, outcome]);
    assert.deepEqual(
      said,
      FILES.map(([name, , outcome]) => [name, outcome]),
    );
    assert.equal(status, 1);
  });

  test('files that one process runs are named with what went wrong in them', () => {
    assert.match(stdout, /not ok 1 - a test that fails\n[^]*fails\.mjs:\d+/);
    assert.match(stdout, /not ok 2 - is-no-module\.mjs\n[^]*is-not-there\.mjs/);
    assert.match(stdout, /not ok 3 - leaves-an-error\.mjs\n[^]*left/);
    assert.match(stdout, /not ok 4 - ends-before-its-error\.mjs\n[^]*late/);
  });

  for (const [what, text] of [
    ['ends the process', `test('a test that ends the process', () => process.exit(0));`],
    ['never ends', `test('a test that never ends', () => new Promise(() => {}));`],
  ] as const)
    test(`files that one process runs are named where they are not reached since one before them ${what}`, () => {
      writeFileSync(join(folder, 'stops.mjs'), imports + text);
      const run = runHere(folder, ['stops.mjs', 'is-last.mjs']);
      assert.match(run.stderr, /ended before these files:\nstops\.mjs\nis-last\.mjs\n/);
      assert.equal(run.status, 1);
    });
});

function runHere(folder: string, files: readonly string[]): SpawnSyncReturns<string> {
  const tool = (name: string): string => fileURLToPath(new URL(`../../tools/${name}.js`, import.meta.url));
  const call = `import { runFiles } from ${JSON.stringify(tool('run-files'))};
    await runFiles(${JSON.stringify(files)});`;
  writeFileSync(join(folder, 'part.mjs'), call);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ['--import', tool('plain-promises'), '--test-reporter', 'tap'];
  return spawnSync(process.execPath, [...flags, 'part.mjs'], { cwd: folder, env, encoding: 'utf8' });
}
