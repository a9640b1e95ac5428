/**
 * Counts which mutants the tests notice: `npm run mutate -- --count 40 --seed today --room core`. Each mutant is one change
 * at one place of a room, in a copy of the checkout; the tests of that room run on it until the first of them fails, and
 * fails again. Survivors that cannot be noticed are named with the reason in `judged.json`. With
 * `--at engine/core/content/uuid.ts:12` it tries the mutants of one line.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { transformSync } from '@swc/core';
import { compileCheckout, toCompiled } from '../compiled-checkout.js';
import { shareServer } from '../shared-server.js';
import { listMutants, type Mutant, sample } from './list-mutants.js';
import { type Baseline, listFiles, measureRoom, TESTS, testsOf } from './room-tests.js';
import { type Copy, type Run, runTests } from './run-tests.js';

/** How many times as long as on the unchanged copy the tests of a file may take, and how long in any case. */
const HANG_FACTOR = 10;
const HANG_SECONDS_MIN = 60;

type Outcome = Run['outcome'] | 'equivalent';

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
      at: { type: 'string', multiple: true, default: [] },
    },
  });
  const files = values.room.flatMap((room) => listFiles('.', join('engine', room), '.ts'));
  const mutants = files.flatMap((path) => listMutants(path, readFileSync(path, 'utf8')));
  const chosen =
    values.at.length > 0
      ? mutants.filter(({ path, line }) => values.at.includes(`${path}:${line}`))
      : sample(mutants, values.seed, Number(values.count));
  const seed = values.at.length > 0 ? '' : `, seed ${values.seed}`;
  process.stdout.write(`${chosen.length} of ${mutants.length} mutants of ${values.room.join(', ')}${seed}\n\n`);
  return report(await tryAll(chosen, readJudged(files, mutants)));
}

/** Tries mutants in a copy of the checkout, one at a time, and reports the result of each. */
async function tryAll(mutants: readonly Mutant[], judged: readonly Judged[]): Promise<readonly Outcome[]> {
  const rooms = [...new Set(mutants.map(({ path }) => roomOf(path)))];
  const { folder, remove } = await compileCheckout();
  // The bundled program holds no single modules: programs of tests run the ones that are mutated.
  cpSync(join(folder, 'engine', 'chukwa.js'), join(folder, 'dist', 'engine', 'chukwa.js'));
  const shared = await shareServer(rooms.flatMap((room) => testsOf(folder, room)));
  const copy: Copy = { folder, variables: shared.variables };
  const baselines = new Map<string, Baseline>();
  const outcomes: Outcome[] = [];
  try {
    for (const [index, mutant] of mutants.entries()) {
      const room = roomOf(mutant.path);
      const baseline = baselines.get(room) ?? (await measureRoom(copy, room));
      baselines.set(room, baseline);
      const why = judged.find((one) => fits(one, mutant))?.why;
      const { outcome, failed } =
        why === undefined ? await tryMutant(copy, baseline, mutant) : { outcome: 'equivalent' as const, failed: why };
      outcomes.push(outcome);
      process.stdout.write(`${index + 1}/${mutants.length} ${outcome.padEnd(10)} ${describe(mutant)}\n`);
      if (failed !== '') process.stdout.write(`    ${failed}\n`);
    }
  } finally {
    await shared.stop();
    remove();
  }
  return outcomes;
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

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Runs the tests of the mutant's room on it, and takes it back. */
async function tryMutant(copy: Copy, baseline: Baseline, mutant: Mutant): Promise<Run> {
  const places = placesOf(copy, mutant.path);
  const originals = places.map((place) => readFileSync(place));
  // That of the checkout may have been edited since its mutants were listed.
  const text = readFileSync(join(copy.folder, mutant.path));
  const changed = Buffer.concat([text.subarray(0, mutant.start), Buffer.from(mutant.after), text.subarray(mutant.end)]);
  const { code } = transformSync(changed.toString(), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  for (const place of places) writeFileSync(place, code);
  try {
    const limitOf = (file: string): number => Math.max(HANG_SECONDS_MIN, HANG_FACTOR * (baseline.get(file) ?? 0));
    return await runConfirmed(copy, [...baseline.keys()], limitOf);
  } finally {
    for (const [index, place] of places.entries()) writeFileSync(place, originals[index] ?? '');
  }
}

/** Where a module runs: tests import it from beside its source, and the programs that they start from what is built. */
function placesOf({ folder }: Copy, path: string): readonly string[] {
  return [join(folder, toCompiled(path)), join(folder, 'dist', toCompiled(path))];
}

/** The machine may be busy: a mutant is killed where the same file fails, or hangs, when it runs once more, alone. */
async function runConfirmed(...[copy, files, limitOf]: Parameters<typeof runTests>): Promise<Run> {
  const run = await runTests(copy, files, limitOf);
  const failed = files.slice(run.took.size, run.took.size + 1);
  if (run.outcome === 'survived' || failed.length === 0) return run;
  const again = await runTests(copy, failed, limitOf);
  return again.outcome === 'survived' ? runConfirmed(copy, files.slice(run.took.size + 1), limitOf) : again;
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

function fits(judged: Judged, mutant: Mutant): boolean {
  return (['path', 'within', 'before', 'after'] as const).every((member) => judged[member] === mutant[member]);
}

function describe({ path, line, before, after }: Mutant): string {
  const shorten = (text: string): string => text.replaceAll(/\s+/g, ' ').replace(/(?<=^.{70}).+$/, '...');
  return `${path}:${line} ${shorten(before)} -> ${shorten(after)}`;
}

process.exitCode = await main();
