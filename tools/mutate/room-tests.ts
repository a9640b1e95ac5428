import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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

/** How many seconds the tests of a file may take on the unchanged copy. */
const FILE_SECONDS_MAX = 300;

/** The test files of a room, the quickest first, and how many seconds each took on the unchanged copy. */
export type Baseline = ReadonlyMap<string, number>;

/**
 * Runs the tests of a room on the untouched copy.
 * @throws Error where one fails or hangs: it would kill every mutant
 */
export async function measureRoom(copy: Copy, room: string): Promise<Baseline> {
  const { outcome, failed, took } = await runTests(copy, testsOf(copy.folder, room), () => FILE_SECONDS_MAX);
  if (outcome !== 'survived') throw new Error(`without a mutant, a test of ${room} is ${outcome}: ${failed}`);
  return new Map([...took].toSorted(([, one], [, other]) => one - other));
}

/** The test files of a room, below the folder. */
export function testsOf(folder: string, room: string): readonly string[] {
  return listFiles(folder, 'test', '.test.js').filter((path) =>
    TESTS[room]?.some((beginning) => path.startsWith(beginning)),
  );
}

/** The files below a folder of a checkout whose names end so, in the order of their names. */
export function listFiles(checkout: string, folder: string, ending: string): readonly string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .toSorted();
}
