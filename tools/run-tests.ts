import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FIRST_COMPILED } from '../test/support/program.js';
import { compileCheckout, toCompiled } from './compiled-checkout.js';
import { childSeconds, toCpuReport } from './cpu-report.js';
import { makeTemplate } from './migrated-template.js';
import { startPostgres } from './postgres-server.js';

/** How long a file may take, in milliseconds: one that leaves something open never ends by itself, and would hold up all. */
const FILE_MS = 600_000;
/** The same of one that destroys things as often as it can. */
const FILE_OF_ALL_MS = 900_000;
/** Folders of `test/` whose files open databases on a PostgreSQL server. */
const SERVED = [
  'acceptance',
  'browser',
  'chaos',
  'documents-',
  'doorbells',
  'operations',
  'runtime',
  'store',
  'surfaces',
];

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
  const { folder, remove } = await compileCheckout();
  const shared = await shareServer(files);
  try {
    const report = join(folder, 'cpu.txt');
    const variables = {
      ...shared.variables,
      ...(all ? { CHUKWA_CHAOS: 'all' } : {}),
      ...(given.includes('--cpu') ? { CHUKWA_TEST_CPU: report } : {}),
    };
    const code = await run({ folder, files, variables, limit_ms: all ? FILE_OF_ALL_MS : FILE_MS });
    if (given.includes('--cpu')) process.stdout.write(toCpuReport(readFileSync(report, 'utf8')));
    return code;
  } finally {
    await shared.stop();
    remove();
    // PostgreSQL has ended as well, and counts among the children.
    if (given.includes('--cpu')) process.stdout.write(`\nCPU seconds of all processes: ${childSeconds().toFixed(0)}\n`);
  }
}

interface Shared {
  /** What tells test files of the server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** One PostgreSQL with one migrated template for all files that want one: a start for each costs more than many tests. */
async function shareServer(files: readonly string[]): Promise<Shared> {
  const isGiven = process.env['CHUKWA_TEST_DATABASE_URL'] !== undefined;
  const wanting = files.filter((file) => SERVED.some((folder) => file.startsWith(join('test', folder))));
  if (isGiven || wanting.length < 2) return { variables: {}, stop: async () => {} };
  const server = await startPostgres();
  await makeTemplate(server, 'chukwa_template', fileURLToPath(new URL('../migrations', import.meta.url)));
  const variables = { CHUKWA_TEST_DATABASE_URL: server.url('postgres'), CHUKWA_TEST_TEMPLATE: 'chukwa_template' };
  return { variables, stop: server.stop };
}

interface Run {
  /** Where the compiled checkout is. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly variables: Shared['variables'];
  readonly limit_ms: number;
}

async function run({ folder, files, variables, limit_ms }: Run): Promise<number> {
  const loaded = ['tell-what-is-open', ...('CHUKWA_TEST_CPU' in variables ? ['count-cpu'] : [])];
  const imports = loaded.flatMap((module) => ['--import', join(folder, 'tools', `${module}.js`)]);
  const flags = [FIRST_COMPILED, '--enable-source-maps', ...imports];
  const test = ['--test', '--test-concurrency', '2', '--test-timeout', `${limit_ms}`, '--test-reporter', 'spec'];
  const child = spawn(process.execPath, [...flags, ...test, ...files.map(toCompiled)], {
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
