import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemplate } from './migrated-template.js';
import { startPostgres } from './postgres-server.js';

/** How long a file may take, in milliseconds: one that leaves something open never ends by itself, and would hold up all. */
const FILE_MS = 600_000;
/** The same of one that destroys things as often as it can. */
const FILE_OF_ALL_MS = 900_000;
/** With a thread of its own to wait for, esbuild, by which tsx compiles, now and then waits for ever on a busy machine. */
const ESBUILD = { ESBUILD_WORKER_THREADS: '0' };
/** Folders of `test/` whose files open databases on a PostgreSQL server. */
const SERVED = ['acceptance', 'doorbells', 'operations', 'runtime', 'store', 'surfaces'];
const LOADERS = ['--import', 'tsx', '--import', './tools/tell-what-is-open.ts'];

interface Run {
  readonly files: readonly string[];
  /** Whether tests that destroy things do so as often as they can. */
  readonly all: boolean;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Runs every test file, or those whose path contains one of the given words: `node --import tsx tools/run-tests.ts turn`.
 * With `--all`, the tests that destroy things do so as often as they can, and not only a few times. Where nothing is
 * amiss but that files did not end, these are run once more: the threads by which Node.js 20 loads them may wait for each
 * other. One that does not end again has failed.
 */
async function main(given: readonly string[]): Promise<number> {
  const words = given.filter((word) => word !== '--all');
  const all = words.length < given.length;
  const files = ['test', 'plugins']
    .flatMap(listTests)
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${words.join(' ')}\n`);
    return 1;
  }
  const shared = await shareServer(files);
  try {
    const { code, unended, failed } = await run({ files, all, variables: shared.variables });
    if (code === 0 || unended.length === 0 || failed.length > 0) return code;
    process.stderr.write(`\nThese files did not end, and are run once more: ${unended.join(', ')}\n\n`);
    return (await run({ files: unended, all, variables: shared.variables })).code;
  } finally {
    await shared.stop();
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

async function run({ files, all, variables }: Run) {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-tests-'));
  const list = join(folder, 'list');
  const limit_ms = all ? FILE_OF_ALL_MS : FILE_MS;
  const flags = ['--test', '--test-concurrency', '2', '--test-timeout', `${limit_ms}`];
  const child = spawn(process.execPath, [...LOADERS, ...flags, ...reporters(list), ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...variables, ...ESBUILD, ...(all ? { CHUKWA_CHAOS: 'all' } : {}) },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  // Where the run itself was ended there is none.
  const lines = (await readFile(list, 'utf8').catch(() => '')).split('\n');
  await rm(folder, { recursive: true });
  const named = (word: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  return { code: code ?? 1, unended: named('unended'), failed: named('failed') };
}

/** One for people, and one for this program. */
function reporters(list: string): readonly string[] {
  const told = { spec: 'stdout', './tools/list-unended.mjs': list };
  return Object.entries(told).flatMap(([reporter, place]) => [
    '--test-reporter',
    reporter,
    '--test-reporter-destination',
    place,
  ]);
}

function listTests(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTests(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

process.exitCode = await main(process.argv.slice(2));
