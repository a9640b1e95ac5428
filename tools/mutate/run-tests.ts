import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
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
  let [used, moved_at] = [0, performance.now()];
  const looking = setInterval(() => {
    const [file, now, seconds] = [files[took.size], performance.now(), secondsOf(pid)];
    if (seconds > used) [used, moved_at] = [seconds, now];
    // A test that asks again and again whether something has come is never idle, and uses hardly any CPU.
    const isStuck = now - moved_at > IDLE_MS || now - begun_at > FILE_MS_MAX;
    if (file !== undefined && (isStuck || seconds - begun > limitOf(file))) end('hung', file);
  }, LOOK_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(looking);
  const hasEnded = code === 0 && took.size === files.length;
  const ended = { outcome: hasEnded ? 'survived' : 'killed', failed: hasEnded ? '' : `exit code ${code}` } as const;
  return { ...(found ?? ended), took };
}

/** The kernel's unit of CPU time, on every Linux. */
const TICKS_PER_SECOND = 100;

/** The seconds of CPU of a process and of those that it has started and waited for; 0 where there is no `/proc`. */
function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the process, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
