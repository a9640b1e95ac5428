/**
 * Counts which mutants the tests notice: `npm run mutate -- --count 40 --seed today --room core`. Each mutant is one change
 * at one place of a room, in a copy of the checkout; the tests of that room run on it until the first of them fails.
 * Survivors that cannot be noticed are named with the reason in `judged.json`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { transformSync } from '@swc/core';
import { FIRST_COMPILED } from '../../test/support/program.js';
import { compileCheckout, toCompiled } from '../compiled-checkout.js';
import { shareServer } from '../shared-server.js';
import { listMutants, type Mutant, sample } from './list-mutants.js';

/** The tests that answer for a room. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core', 'test/fixtures', 'test/documents'],
  schema: ['test/schema', 'test/documents'],
  sources: ['test/sources'],
  runtime: ['test/runtime'],
};

/** The timeout of a mutant's tests, as a multiple of their time on the unchanged copy, and its minimum. */
const HANG_FACTOR = 4;
const HANG_MS_MIN = 60_000;

type Outcome = 'killed' | 'hung' | 'survived' | 'equivalent';

/** Where mutants are tried. */
interface Copy {
  readonly folder: string;
  /** What tells test files of the server that they share. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A mutant that behaves as the original, and why. */
interface Judged {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '40' },
      room: { type: 'string', multiple: true, default: Object.keys(TESTS) },
    },
  });
  const files = values.room.flatMap((room) => listFiles(join('engine', room), '.ts'));
  const mutants = files.flatMap((path) => listMutants(path, readFileSync(path, 'utf8')));
  const chosen = sample(mutants, values.seed, Number(values.count));
  process.stdout.write(
    `${chosen.length} of ${mutants.length} mutants of ${values.room.join(', ')}, seed ${values.seed}\n\n`,
  );
  const judged = JSON.parse(readFileSync(join('tools', 'mutate', 'judged.json'), 'utf8')) as readonly Judged[];
  const { folder, remove } = await compileCheckout();
  const shared = await shareServer(values.room.flatMap((room) => testsOf(folder, room)));
  const copy: Copy = { folder, variables: shared.variables };
  const outcomes: Outcome[] = [];
  try {
    const limits = new Map<string, number>();
    for (const room of values.room) limits.set(room, await measureRoom(copy, room));
    for (const [index, mutant] of chosen.entries()) {
      const why = findWhy(mutant, judged);
      const limit_ms = limits.get(roomOf(mutant.path)) ?? HANG_MS_MIN;
      const outcome = why === undefined ? await tryMutant(copy, mutant, limit_ms) : 'equivalent';
      outcomes.push(outcome);
      const reason = why === undefined ? '' : `\n    ${why}`;
      process.stdout.write(`${index + 1}/${chosen.length} ${outcome.padEnd(10)} ${describe(mutant)}${reason}\n`);
    }
  } finally {
    await shared.stop();
    remove();
  }
  return report(outcomes);
}

function report(outcomes: readonly Outcome[]): number {
  const count = (sought: Outcome): number => outcomes.filter((outcome) => outcome === sought).length;
  const killed = count('killed') + count('hung');
  const counted = outcomes.length - count('equivalent');
  const percent = counted === 0 ? 100 : (100 * killed) / counted;
  process.stdout.write(
    `\n${killed} of ${counted} killed (${percent.toFixed(0)} %), ${count('hung')} of them by hanging; ${count('equivalent')} equivalent\n`,
  );
  return percent >= 90 ? 0 : 1;
}

/**
 * Runs the tests of a room on the untouched copy.
 * @returns after how many milliseconds a mutant of the room hangs
 * @throws Error where one fails: it would kill every mutant
 */
async function measureRoom(copy: Copy, room: string): Promise<number> {
  const begin = performance.now();
  const outcome = await runTests(copy, join('engine', room), 2 ** 31 - 1);
  if (outcome !== 'survived') throw new Error(`a test of ${room} fails without a mutant`);
  return Math.max(HANG_MS_MIN, HANG_FACTOR * (performance.now() - begin));
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Runs the tests of the mutant's room on it, and takes it back. */
async function tryMutant(copy: Copy, mutant: Mutant, limit_ms: number): Promise<Outcome> {
  const place = join(copy.folder, toCompiled(mutant.path));
  const original = readFileSync(place);
  const text = readFileSync(mutant.path);
  const changed = Buffer.concat([text.subarray(0, mutant.start), Buffer.from(mutant.after), text.subarray(mutant.end)]);
  const { code } = transformSync(changed.toString(), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  writeFileSync(place, code);
  try {
    return await runTests(copy, mutant.path, limit_ms);
  } finally {
    writeFileSync(place, original);
  }
}

/** Runs the tests of a file's room, those that import the file first: most mutants are killed by one of them. */
async function runTests({ folder, variables }: Copy, path: string, limit_ms: number): Promise<Outcome> {
  const tests = testsOf(folder, roomOf(path));
  const [near, far] = [true, false].map((isNear) =>
    tests
      .map((file) => join(folder, file))
      .filter((file) => readFileSync(file, 'utf8').includes(toCompiled(path)) === isNear),
  );
  const files = [...(near ?? []), ...(far ?? [])];
  const child = spawn(process.execPath, [FIRST_COMPILED, '--test', '--test-concurrency', '2', ...files], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, ...variables, NODE_OPTIONS: '' },
  });
  let outcome: Outcome = 'survived';
  const end = (found: Outcome): void => {
    outcome = found;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => end('hung'), limit_ms);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (outcome === 'survived' && /^\s*not ok |^\s*✖ /.test(line)) end('killed');
  });
  await once(child, 'exit');
  clearTimeout(timer);
  return outcome;
}

/** The test files of a room, below the folder. */
function testsOf(folder: string, room: string): readonly string[] {
  const paths = (TESTS[room] ?? []).flatMap((test) => listFiles(join(folder, test), '.test.js'));
  return paths.map((path) => relative(folder, path));
}

/** Why a mutant behaves as the original, where somebody has found that it does. */
function findWhy(mutant: Mutant, judged: readonly Judged[]): string | undefined {
  return judged.find(
    ({ path, before, after }) => path === mutant.path && before === mutant.before && after === mutant.after,
  )?.why;
}

function listFiles(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .toSorted();
}

function describe({ path, line, before, after }: Mutant): string {
  return `${path}:${line} ${shorten(before)} -> ${shorten(after)}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 70)}...` : line;
}

process.exitCode = await main();
