import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FIRST_COMPILED } from '../../test/support/program.js';

/** Where mutants are tried. */
export interface Copy {
  readonly folder: string;
  /** What tells test files of the server that they share. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What became of a run of tests. */
export interface Run {
  readonly outcome: 'killed' | 'hung' | 'survived';
  /** The first test that failed, or the file in which the tests hung. */
  readonly failed: string;
  /** How long the tests of each file took that ended, in milliseconds. */
  readonly took_ms: ReadonlyMap<string, number>;
}

/**
 * Runs test files one after another in one process, until a test fails or a file takes too long.
 * @param limitOf the time limit of a file, in milliseconds
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
  const took_ms = new Map<string, number>();
  let found: Pick<Run, 'outcome' | 'failed'> | undefined;
  const end = (outcome: Run['outcome'], failed: string): void => {
    if (found !== undefined) return;
    found = { outcome, failed };
    // Programs that tests have started are of the same group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  let begun = performance.now();
  const limit = (): NodeJS.Timeout | undefined => {
    const file = files[took_ms.size];
    const limit_ms = file === undefined ? 0 : limitOf(file);
    return Number.isFinite(limit_ms) && file !== undefined ? setTimeout(() => end('hung', file), limit_ms) : undefined;
  };
  let timer = limit();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, not, name = ''] = /^\s*(not )?ok \d+ - (.*)/.exec(line) ?? [];
    if (not !== undefined) end('killed', name);
    if (name !== files[took_ms.size]) return;
    took_ms.set(name, performance.now() - begun);
    begun = performance.now();
    clearTimeout(timer);
    timer = limit();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  const hasEnded = code === 0 && took_ms.size === files.length;
  return {
    ...(found ?? { outcome: hasEnded ? 'survived' : 'killed', failed: hasEnded ? '' : `exit code ${code}` }),
    took_ms,
  };
}
