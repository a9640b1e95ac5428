import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FIRST_COMPILED } from '../../test/support/program.js';

/** Where mutants are tried. */
export interface Copy {
  readonly folder: string;
  /** The variables by which test files find the server that they share. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Run {
  readonly outcome: 'killed' | 'hung' | 'survived';
  /** The first test that failed, or the file in which the tests hung. */
  readonly failed: string;
  /** How many seconds the tests of each file took that ended. */
  readonly took: ReadonlyMap<string, number>;
}

/**
 * Runs test files one after another in one process, until a test fails or a file takes too long.
 * @param limitOf how many seconds a file may take
 */
export async function runTests(
  { folder, variables }: Copy,
  files: readonly string[],
  limitOf: (file: string) => number,
): Promise<Run> {
  const inFolder = (module: string): string => join(folder, 'tools', `${module}.js`);
  const flags = [...FIRST_COMPILED, '--import', inFolder('plain-promises'), '--test-reporter', 'tap'];
  const child = spawn(process.execPath, [...flags, inFolder('mutate/test-files'), ...files], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, ...variables, NODE_OPTIONS: '', CHUKWA_TEST_SOURCES: process.cwd() },
  });
  const took = new Map<string, number>();
  let found: Pick<Run, 'outcome' | 'failed'> | undefined;
  const end = (outcome: Run['outcome'], failed: string): void => {
    if (found !== undefined) return;
    found = { outcome, failed };
    // Programs that tests have started are of the same group.
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  };
  let begun = performance.now();
  let limit: NodeJS.Timeout | undefined;
  const watchNext = (): void => {
    clearTimeout(limit);
    begun = performance.now();
    const file = files[took.size];
    if (file !== undefined) limit = setTimeout(() => end('hung', file), limitOf(file) * 1_000);
  };
  watchNext();
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Lines that came before the signal arrived: their file would count as one that ended without a failure.
    if (found !== undefined) return;
    const [, not, name = ''] = /^\s*(not )?ok \d+ - (.*)/.exec(line) ?? [];
    if (not !== undefined) return end('killed', name);
    if (name !== files[took.size]) return;
    took.set(name, (performance.now() - begun) / 1_000);
    watchNext();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  const hasEnded = code === 0 && took.size === files.length;
  const ended = { outcome: hasEnded ? 'survived' : 'killed', failed: hasEnded ? '' : `exit code ${code}` } as const;
  return { ...(found ?? ended), took };
}
