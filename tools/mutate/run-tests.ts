import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FIRST_COMPILED } from '../../test/support/program.js';
import { secondsOf } from '../cpu-report.js';

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
  /** How many seconds of CPU the tests of each file took that ended. */
  readonly took: ReadonlyMap<string, number>;
}

/** How often it is looked whether tests hang, how long they may use no CPU, and how long those of a file may take in all. */
const LOOK_MS = 1_000;
const IDLE_MS = 120_000;
const FILE_MS_MAX = 600_000;

/**
 * Runs test files one after another in one process, until a test fails or a file takes too long.
 * @param limitOf how many seconds of CPU a file may take
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
  const pid = child.pid ?? 0;
  const took = new Map<string, number>();
  let found: Pick<Run, 'outcome' | 'failed'> | undefined;
  const end = (outcome: Run['outcome'], failed: string): void => {
    if (found !== undefined) return;
    found = { outcome, failed };
    // Programs that tests have started are of the same group.
    process.kill(-pid, 'SIGKILL');
  };
  let [begun, begun_at] = [0, performance.now()];
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Lines that came before the signal arrived: their file would count as one that ended without a failure.
    if (found !== undefined) return;
    const [, not, name = ''] = /^\s*(not )?ok \d+ - (.*)/.exec(line) ?? [];
    if (not !== undefined) return end('killed', name);
    if (name !== files[took.size]) return;
    took.set(name, secondsOf(pid) - begun);
    [begun, begun_at] = [secondsOf(pid), performance.now()];
  });
  const looking = setInterval(
    watchIdle(
      () => secondsOf(pid),
      (used, isIdle) => {
        const file = files[took.size];
        // A test that asks again and again whether something has come is never idle, and uses hardly any CPU.
        const isStuck = isIdle || performance.now() - begun_at > FILE_MS_MAX;
        if (file !== undefined && (isStuck || used - begun > limitOf(file))) end('hung', file);
      },
    ),
    LOOK_MS,
  );
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(looking);
  const hasEnded = code === 0 && took.size === files.length;
  const ended = { outcome: hasEnded ? 'survived' : 'killed', failed: hasEnded ? '' : `exit code ${code}` } as const;
  return { ...(found ?? ended), took };
}

/** Asks for the CPU that something has used, and says that with whether it has used none for long. */
function watchIdle(read: () => number, say: (used: number, isIdle: boolean) => void): () => void {
  let [used, moved_at] = [0, performance.now()];
  return () => {
    const now = read();
    if (now > used) [used, moved_at] = [now, performance.now()];
    say(used, performance.now() - moved_at > IDLE_MS);
  };
}
