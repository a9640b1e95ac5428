import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

/** The middle of some numbers; of an even count, the mean of the two in the middle. @throws Error for none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (lower + upper) / 2;
}

/** Of one turn, in milliseconds. */
export interface Cost {
  readonly ms: number;
  /** Of the process that ran it. */
  readonly cpu_ms: number;
}

/**
 * Runs some rounds of turns, one round after the other, and returns the cost of a turn.
 * @param run runs the turns of one round at once
 */
export async function timeBlock(
  { rounds, at_once }: { readonly rounds: number; readonly at_once: number },
  run: (round: number) => Promise<unknown>,
): Promise<Cost> {
  const turns = rounds * at_once;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let round = 0; round < rounds; round += 1) await run(round);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  return { ms: ms / turns, cpu_ms: (user + system) / 1000 / turns };
}

/**
 * CPU that a process has used so far, all its threads together, in milliseconds. Linux counts it in nanoseconds.
 * @returns 0 for a process that is not on this machine
 */
export async function readCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const spent = await Promise.all(
    threads.map(async (thread) => {
      // A thread that has just ended counts nothing.
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    }),
  );
  return spent.reduce((sum, ms) => sum + ms, 0);
}

/** CPU that each of the other sessions of a database has used so far, in milliseconds, by its process. */
async function readSessions(outside: pg.Client): Promise<ReadonlyMap<number, number>> {
  const { rows } = await outside.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return new Map(await Promise.all(rows.map(async ({ pid }) => [pid, await readCpuMs(pid)] as const)));
}

/** CPU that the other sessions of a database have used so far, in milliseconds. */
export async function readSessionsMs(outside: pg.Client): Promise<number> {
  return [...(await readSessions(outside)).values()].reduce((sum, ms) => sum + ms, 0);
}

/** CPU time in milliseconds: of this process, of others, and of the other sessions of a database. */
export interface Spent {
  readonly own: number;
  readonly others: number;
  readonly database: number;
}

/**
 * The CPU time of some work. Neighbours on the machine change it little, unlike the clock's time.
 * @param others processes that have a part in it
 */
export async function spendCpu<Value>(
  outside: pg.Client,
  others: readonly number[],
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly spent: Spent }> {
  const readOthers = async (): Promise<number> =>
    (await Promise.all(others.map(readCpuMs))).reduce((sum, ms) => sum + ms, 0);
  const [sessions, ofOthers, cpu] = [await readSessions(outside), await readOthers(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  let database = 0;
  for (const [pid, ms] of await readSessions(outside)) database += ms - (sessions.get(pid) ?? 0);
  return { value, spent: { own: (user + system) / 1e3, others: (await readOthers()) - ofOthers, database } };
}

/** The most memory that a process has had so far, in megabytes. */
export async function readPeakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

/** Shows the current step on one line of a terminal, which the next one overwrites. Silent without a terminal. */
export function say(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${step}${step === '' ? '' : ' ...'}`);
}
