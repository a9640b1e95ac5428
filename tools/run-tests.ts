import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_COMPILED } from '../test/support/program.js';
import { compileCheckout, toCompiled } from './compiled-checkout.js';
import { shareServer } from './shared-server.js';

/** More processes than cores: during half of its time a file waits, for another process or for a moment to come. */
const PROCESSES_AT_ONCE = 2 * availableParallelism() + 1;
/** How many files one process runs, at most: few enough that all cores have work to the end. */
const FILES_OF_PROCESS = 12;
/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** The time limit of a process whose thread is blocked, in milliseconds: all others keep limits of their own. */
const PROCESS_MS = 2_400_000;
/**
 * Runs every test file, or those whose path contains one of the given words: `node --import tsx tools/run-tests.ts turn`.
 * They run in a copy of the checkout that is compiled as a whole, several files in a process: `node --test` alone starts one and
 * compiles for each file, which costs more than most tests. With `--all`, tests that destroy things or draw cases by chance do so
 * as often as they can, and not only a few times; without words, those run alone.
 */
async function main(given: readonly string[]): Promise<number> {
  const words = given.filter((word) => word !== '--all');
  const all = given.includes('--all');
  const files = ['test', 'plugins']
    .flatMap(listTests)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => words.length > 0 || !all || hasExtent(file));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${words.join(' ')}\n`);
    return 1;
  }
  const temporary = makeTemporaryFolder();
  const [{ folder, remove }, shared] = await Promise.all([compileCheckout(), shareServer(files)]);
  try {
    const variables = { ...shared.variables, ...(all ? { CHUKWA_CHAOS: 'all' } : {}) };
    // To read the source map of each module costs a twentieth of a whole run.
    const flags = words.length === 0 ? [] : ['--enable-source-maps'];
    const most = all ? 1 : Math.min(FILES_OF_PROCESS, Math.ceil(files.length / PROCESSES_AT_ONCE));
    const modules = writeParts(folder, files, most);
    const code = await run(folder, modules, flags, variables);
    if (code !== 0 && words.length === 0)
      process.stderr.write('Run a failed file by its name to be shown lines of TypeScript.\n');
    return code;
  } finally {
    await shared.stop();
    remove();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * A folder for all that the tests write, in memory where Linux has a place for that: they make databases of hundreds of files.
 * Every process that is started from here on finds it by `TMPDIR`.
 */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'chukwa-'));
  // PostgreSQL runs as a user of its own, and its folders are in this one.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return folder;
}

/** Runs modules in the compiled checkout, each in a process of its own. @returns the exit code */
async function run(
  folder: string,
  modules: readonly string[],
  flags: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const imports = ['--import', join(folder, 'tools', 'plain-promises.js')];
  const limits = ['--test-concurrency', `${PROCESSES_AT_ONCE}`, '--test-timeout', `${PROCESS_MS}`];
  const test = ['--test', ...limits, '--test-reporter', 'spec'];
  const child = spawn(process.execPath, [...FIRST_COMPILED, ...flags, ...imports, ...test, ...modules], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...variables, CHUKWA_TEST_SOURCES: process.cwd() },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  // Where the run itself was ended there is none.
  return code ?? 1;
}

/**
 * Writes a module for each part of the files that one process runs, and gives their paths. Files that follow each other
 * share a process, because those of a room import much the same.
 * @param most how many files a part has, at most
 */
function writeParts(folder: string, files: readonly string[], most: number): readonly string[] {
  mkdirSync(join(folder, 'parts'));
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, index) => {
    const part = files.slice((index * files.length) / count, ((index + 1) * files.length) / count).map(toCompiled);
    const path = join('parts', `${index + 1}.js`);
    const text = `import { runFiles } from '../tools/run-files.js';\nawait runFiles(${JSON.stringify(part)});\n`;
    writeFileSync(join(folder, path), text);
    return path;
  });
}

/** Whether a test does more with `--all`. */
function hasExtent(file: string): boolean {
  return file.startsWith(join('test', 'chaos')) || readFileSync(file, 'utf8').includes('/extent.js');
}

/** In the order of their names, which happens to be a good one: acceptance and chaos take longest, and begin. */
function listTests(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return paths.filter((path) => path.endsWith('.test.ts')).map((path) => join(folder, path));
}

process.exitCode = await main(process.argv.slice(2));
