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
import { importDistance } from './import-distance.js';
import { listMutants, type Mutant, sample } from './list-mutants.js';

/** The tests that answer for a room. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core', 'test/fixtures', 'test/documents'],
  schema: ['test/schema', 'test/documents'],
  sources: ['test/sources', 'test/plugins', 'test/plugins-conformance'],
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

/** A mutant that behaves as the original, and why. It fits exactly one, so that it excuses no other. */
interface Judged {
  readonly path: string;
  readonly within: string;
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
  const judged = readJudged(files, mutants);
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
  const { outcome, told } = await runTests(copy, testsOf(copy.folder, room), 2 ** 31 - 1);
  if (outcome !== 'survived') throw new Error(`a test of ${room} fails without a mutant: ${told}`);
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
    return await runNearestFirst(copy, mutant.path, limit_ms);
  } finally {
    writeFileSync(place, original);
  }
}

/** Runs the tests of the mutant's room: first the files that import it over the fewest others, which kill most mutants. */
async function runNearestFirst(copy: Copy, path: string, limit_ms: number): Promise<Outcome> {
  const files = testsOf(copy.folder, roomOf(path));
  const changed = join(copy.folder, toCompiled(path));
  const distances = new Map(files.map((file) => [file, importDistance(join(copy.folder, file), changed)]));
  const least = Math.min(...distances.values());
  const [near, far] = [true, false].map((isNear) => files.filter((file) => (distances.get(file) === least) === isNear));
  const { outcome } = await runTests(copy, near ?? [], limit_ms);
  return outcome === 'survived' ? (await runTests(copy, far ?? [], limit_ms)).outcome : outcome;
}

/** What became of a run of tests, and what the first test that failed says. */
interface Run {
  readonly outcome: Outcome;
  readonly told: string;
}

/** Runs test files until a test fails. */
async function runTests({ folder, variables }: Copy, files: readonly string[], limit_ms: number): Promise<Run> {
  if (files.length === 0) return { outcome: 'survived', told: '' };
  const flags = [...FIRST_COMPILED, '--test', '--test-concurrency', '2', '--test-reporter', 'tap'];
  const child = spawn(process.execPath, [...flags, ...files], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, ...variables, NODE_OPTIONS: '', CHUKWA_TEST_SOURCES: process.cwd() },
  });
  let run: Run = { outcome: 'survived', told: '' };
  const end = (found: Run): void => {
    run = found;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => end({ outcome: 'hung', told: '' }), limit_ms);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const told = /^\s*not ok \d+ - (.*)/.exec(line)?.[1];
    if (run.outcome === 'survived' && told !== undefined) end({ outcome: 'killed', told });
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return run.outcome === 'survived' && code !== 0 ? { outcome: 'killed', told: `exit code ${code}` } : run;
}

/** The test files of a room, below the folder. */
function testsOf(folder: string, room: string): readonly string[] {
  const paths = (TESTS[room] ?? []).flatMap((test) => listFiles(join(folder, test), '.test.js'));
  return paths.map((path) => relative(folder, path));
}

/** @throws Error where a judgement of one of the files fits no mutant, or several: it could excuse another one */
function readJudged(files: readonly string[], mutants: readonly Mutant[]): readonly Judged[] {
  const all = JSON.parse(readFileSync(join('tools', 'mutate', 'judged.json'), 'utf8')) as readonly Judged[];
  const judged = all.filter(({ path }) => files.includes(path));
  for (const one of judged) {
    const count = mutants.filter((mutant) => fits(one, mutant)).length;
    if (count !== 1) throw new Error(`${one.path}, ${one.within}, ${one.before}: a judgement of ${count} mutants`);
  }
  return judged;
}

/** Why a mutant behaves as the original, where somebody has found that it does. */
function findWhy(mutant: Mutant, judged: readonly Judged[]): string | undefined {
  return judged.find((one) => fits(one, mutant))?.why;
}

function fits(judged: Judged, mutant: Mutant): boolean {
  return (['path', 'within', 'before', 'after'] as const).every((member) => judged[member] === mutant[member]);
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
