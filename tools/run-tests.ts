import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SPEC = ['--test-reporter', 'spec'];
/** How long a file may take, in milliseconds: one that leaves something open never ends by itself, and would hold up all. */
const FILE_MS = 900_000;
/** With a thread of its own to wait for, esbuild, by which tsx compiles, now and then waits for ever on a busy machine. */
const ESBUILD = { ESBUILD_WORKER_THREADS: '0' };
const LOADERS = ['--import', 'tsx', '--import', './tools/tell-what-is-open.ts'];

/**
 * Runs every test file, or those whose path contains one of the given words: `node --import tsx tools/run-tests.ts turn`.
 * With `--all`, the tests that destroy things do so as often as they can, and not only a few times.
 */
function main(given: readonly string[]): void {
  const words = given.filter((word) => word !== '--all');
  const extent = words.length < given.length ? { CHUKWA_CHAOS: 'all' } : {};
  const files = ['test', 'plugins']
    .flatMap(listTests)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${words.join(' ')}\n`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(
    process.execPath,
    [...LOADERS, '--test', '--test-concurrency', '2', '--test-timeout', `${FILE_MS}`, ...SPEC, ...files],
    { stdio: 'inherit', env: { ...process.env, ...ESBUILD, ...extent } },
  );
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

function listTests(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTests(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

main(process.argv.slice(2));
