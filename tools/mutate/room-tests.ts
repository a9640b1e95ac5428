import { join, relative } from 'node:path';
import { toCompiled } from '../compiled-checkout.js';
import { distancesTo, type Importers } from './import-distance.js';
import { listFiles } from './list-files.js';
import { type Copy, runTests } from './run-tests.js';

/** How the paths of the tests begin that answer for a room. */
export const TESTS: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core/', 'test/fixtures/', 'test/documents/'],
  schema: ['test/schema/', 'test/documents/'],
  sources: ['test/sources/', 'test/plugins/', 'test/plugins-conformance/'],
  runtime: [
    'test/runtime/',
    ...['concurrent-subjects', 'failures', 'pending', 'retries', 'suspended-agents', 'transient-failures'].map(
      (name) => `test/acceptance/${name}.test`,
    ),
  ],
};

/** How many seconds of CPU the tests of a file may take on the unchanged copy. */
const FILE_SECONDS_MAX = 300;

/** A file that took more seconds of CPU on the unchanged copy runs after those that did not. */
const LIGHT_SECONDS = 1;

/** The test files of a room, and how many seconds of CPU each took on the unchanged copy. */
export type Baseline = ReadonlyMap<string, number>;

/**
 * Runs the tests of a room on the untouched copy.
 * @throws Error where one fails or hangs: it would kill every mutant
 */
export async function measureRoom(copy: Copy, room: string): Promise<Baseline> {
  const { outcome, failed, took } = await runTests(copy, testsOf(copy.folder, room), () => FILE_SECONDS_MAX);
  if (outcome !== 'survived') throw new Error(`without a mutant, a test of ${room} is ${outcome}: ${failed}`);
  return took;
}

/** The files of a baseline in the order in which they most likely notice a change of a module: light ones, then near ones. */
export function orderFiles(baseline: Baseline, copy: Copy, importers: Importers, path: string): readonly string[] {
  const distances = distancesTo(importers, join(copy.folder, toCompiled(path)));
  const ranked = [...baseline].map(([file, took]) => {
    const weight = took > LIGHT_SECONDS ? 1 : 0;
    return { file, rank: [weight, distances.get(join(copy.folder, file)) ?? Infinity, took] };
  });
  return ranked.toSorted((one, other) => compare(one.rank, other.rank)).map(({ file }) => file);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
}

/** The test files of a room, below the folder. */
export function testsOf(folder: string, room: string): readonly string[] {
  const paths = listFiles(join(folder, 'test'), '.test.js').map((path) => relative(folder, path));
  return paths.filter((path) => TESTS[room]?.some((beginning) => path.startsWith(beginning)));
}
