import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_COMPILED } from '../test/support/program.js';
import { compileCheckout, toCompiled } from './compiled-checkout.js';
import { childSeconds, toCpuReport } from './cpu-report.js';
import { shareServer } from './shared-server.js';

/** More files than cores: during half of its time a file waits, for another process or for a moment to come. */
const FILES_AT_ONCE = 2 * availableParallelism() + 1;
/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** The time limit of a file, in milliseconds: one with an open handle never ends by itself. */
const FILE_MS = 600_000;
/** The same of one that destroys things as often as it can. */
const FILE_OF_ALL_MS = 900_000;
/**
 * Runs every test file, or those whose path contains one of the given words: `node --import tsx tools/run-tests.ts turn`.
 * They run in a copy of the checkout that is compiled as a whole. With `--all`, the tests that destroy things do so as
 * often as they can, and not only a few times. With `--cpu`, it ends with what each file cost.
 */
async function main(given: readonly string[]): Promise<number> {
  const words = given.filter((word) => word !== '--all' && word !== '--cpu');
  const all = given.includes('--all');
  const files = ['test', 'plugins']
    .flatMap(listTests)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${words.join(' ')}\n`);
    return 1;
  }
  const temporary = makeTemporaryFolder();
  const { folder, remove } = await compileCheckout();
  const shared = await shareServer(files);
  try {
    const report = join(folder, 'cpu.txt');
    const variables = {
      ...shared.variables,
      ...(all ? { CHUKWA_CHAOS: 'all' } : {}),
      ...(given.includes('--cpu') ? { CHUKWA_TEST_CPU: report } : {}),
    };
    // To read the source map of each module costs a twentieth of a whole run.
    const flags = words.length === 0 ? [] : ['--enable-source-maps'];
    const code = await run({ folder, files, flags, variables, limit_ms: all ? FILE_OF_ALL_MS : FILE_MS });
    if (code !== 0 && words.length === 0)
      process.stderr.write('Run a failed file by its name to be shown lines of TypeScript.\n');
    if (given.includes('--cpu')) process.stdout.write(toCpuReport(readFileSync(report, 'utf8')));
    return code;
  } finally {
    await shared.stop();
    remove();
    rmSync(temporary, { recursive: true, force: true });
    // PostgreSQL has ended as well, and counts among the children.
    if (given.includes('--cpu')) process.stdout.write(`\nCPU seconds of all processes: ${childSeconds().toFixed(0)}\n`);
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

interface Run {
  /** Where the compiled checkout is. */
  readonly folder: string;
  readonly files: readonly string[];
  /** For Node.js. */
  readonly flags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly limit_ms: number;
}

async function run({ folder, files, flags, variables, limit_ms }: Run): Promise<number> {
  const loaded = ['plain-promises', 'tell-what-is-open', ...('CHUKWA_TEST_CPU' in variables ? ['count-cpu'] : [])];
  const imports = loaded.flatMap((module) => ['--import', join(folder, 'tools', `${module}.js`)]);
  const limits = ['--test-concurrency', `${FILES_AT_ONCE}`, '--test-timeout', `${limit_ms}`];
  const test = ['--test', ...limits, '--test-reporter', 'spec'];
  const child = spawn(process.execPath, [...FIRST_COMPILED, ...flags, ...imports, ...test, ...files.map(toCompiled)], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...variables, CHUKWA_TEST_SOURCES: process.cwd() },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  // Where the run itself was ended there is none.
  return code ?? 1;
}

function listTests(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTests(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

process.exitCode = await main(process.argv.slice(2));
