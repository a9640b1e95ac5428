import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../support/park-stage.js';
import { FIRST_COMPILED } from '../support/program.js';
import { serveEverything } from './serve-everything.js';

let served: Awaited<ReturnType<typeof serveEverything>>;
before(async () => {
  served = await serveEverything();
});
after(() => served.close());

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** Runs the suite as a person does, and gives the scenarios of its summary with their marks. */
async function run(
  words: readonly string[],
): Promise<{ readonly passed: readonly string[]; readonly failed: readonly string[] }> {
  const said = await new Promise<string>((resolve) => {
    const flags = [...FIRST_COMPILED, '--import', join(ROOT, 'test/mcp/older-node.mjs')];
    execFile(
      process.execPath,
      [...flags, SUITE, 'server', '--url', served.url, ...words],
      { maxBuffer: 64 * 1_048_576 },
      (_error, out, error) => resolve(`${out}${error}`),
    );
  });
  const [, summary = said] = said.split('=== SUMMARY ===');
  const [scored = ''] = summary.split('\nTotal:');
  const marked = (mark: string) =>
    [...scored.matchAll(new RegExp(`^${mark} ([\\w-]+):`, 'gm'))].map(([, name = '']) => name);
  return { passed: marked('✓'), failed: marked('✗') };
}

/** Scenarios that the suite's own reference server cannot pass, or that concern what is not offered: never scored. */
const PENDING = ['json-schema-2020-12', 'http-custom-header-server-validation'];

for (const [revision, count] of [
  ['2025-11-25', 30],
  ['2026-07-28', 37],
] as const)
  test(`the suite finds no fault with what ${revision} requires, nor with the tasks of its extension`, async () => {
    const { passed, failed } = await run(['--requirements', revision]);
    assert.deepEqual(
      failed.filter((name) => !PENDING.includes(name)),
      [],
    );
    const tasks = passed.filter((name) => name.startsWith('tasks-'));
    assert.equal(tasks.length, revision === '2026-07-28' ? 10 : 0);
    const beyond = ['server-session-lifecycle', 'server-sse-polling', 'http-header-validation', ...tasks];
    assert.equal(passed.filter((name) => !beyond.includes(name)).length, count);
  });
