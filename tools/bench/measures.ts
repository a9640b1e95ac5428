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

/** What some work took, in milliseconds: by the clock, and of CPU. Neighbours on the machine change the CPU little. */
export interface Cost {
  readonly ms: number;
  /** Of this process. */
  readonly cpu_ms: number;
  /** Of the other processes that were watched. */
  readonly others_ms: number;
  /** Of the sessions of the database that was watched. */
  readonly database_ms: number;
}

export type Figure = keyof Cost;

/** Other processes whose use is measured too. */
interface Watched {
  readonly processes?: readonly number[];
  /** A connection of our own to a database, whose other sessions count. */
  readonly database?: pg.Client | undefined;
}

/** Does some work that consists of so many parts, and says what each part cost. */
export async function spend<Value>(
  work: () => Value | Promise<Value>,
  parts = 1,
  { processes = [], database }: Watched = {},
): Promise<Cost & { readonly value: Value }> {
  const readOthers = async (): Promise<number> => sumOf(await Promise.all(processes.map(readCpuMs)));
  const [sessions, others, cpu] = [await readSessions(database), await readOthers(), process.cpuUsage()];
  const begun = performance.now();
  const value = await work();
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  const others_ms = (await readOthers()) - others;
  const database_ms = sumOf([...(await readSessions(database))].map(([pid, now]) => now - (sessions.get(pid) ?? 0)));
  return {
    value,
    ms: ms / parts,
    cpu_ms: (user + system) / 1000 / parts,
    others_ms: others_ms / parts,
    database_ms: database_ms / parts,
  };
}

/** Does something a number of times. @returns the median of each time's costs */
export async function spendOften(times: number, work: () => unknown): Promise<Cost> {
  const costs: Cost[] = [];
  for (let time = 0; time < times; time += 1) costs.push(await spend(work));
  const of = (figure: Figure): number => median(costs.map((cost) => cost[figure]));
  return { ms: of('ms'), cpu_ms: of('cpu_ms'), others_ms: of('others_ms'), database_ms: of('database_ms') };
}

/**
 * How often each arm of a comparison does its work. A block is timed as a whole: it is long enough for its share of garbage
 * collection. Until a function has run some hundred times, Node.js compiles it beside what is timed.
 */
export interface Plan {
  readonly warm_up_blocks: number;
  readonly blocks: number;
}

/** The figures of a comparison over its blocks. */
export interface Compared {
  /** The median of an arm's figure. */
  median(figure: Figure, arm: string): number;
  /** The median of one arm's figure over another's in the same block. */
  ratio(figure: Figure, of: string, over: string): number;
}

/**
 * Runs arms turn about, block by block; which comes first moves on.
 * @param arms each does its work of a block, and says what it cost
 * @returns the figures of the blocks after the warm-up
 */
export async function compareArms(arms: Readonly<Record<string, () => Promise<Cost>>>, plan: Plan): Promise<Compared> {
  const named = Object.entries(arms);
  const blocks: ReadonlyMap<string, Cost>[] = [];
  for (let block = 0; block < plan.warm_up_blocks + plan.blocks; block += 1) {
    const costs = new Map<string, Cost>();
    const first = block % named.length;
    for (const [name, run] of [...named.slice(first), ...named.slice(0, first)]) costs.set(name, await run());
    if (block >= plan.warm_up_blocks) blocks.push(costs);
  }
  const all = (figure: Figure, arm: string) => blocks.map((costs) => costs.get(arm)?.[figure] ?? Number.NaN);
  return {
    median: (figure, arm) => median(all(figure, arm)),
    ratio: (figure, of, over) => {
      const below = all(figure, over);
      return median(all(figure, of).map((value, index) => value / (below[index] ?? Number.NaN)));
    },
  };
}

/** CPU that a process has used so far, all its threads together; 0 of one that is not here. Linux counts nanoseconds. */
async function readCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const spent = threads.map(async (thread) => {
    // A thread that has just ended counts nothing.
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    return Number(text.split(' ')[0]) / 1e6;
  });
  return sumOf(await Promise.all(spent));
}

/** CPU that each of the other sessions of a database has used so far, by its process. */
async function readSessions(database: pg.Client | undefined): Promise<ReadonlyMap<number, number>> {
  const found = await database?.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return new Map(await Promise.all((found?.rows ?? []).map(async ({ pid }) => [pid, await readCpuMs(pid)] as const)));
}

/** How many bytes of log a database has written so far. */
export async function readLogBytes(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
  return Number(rows[0]?.bytes);
}

/** The memory that a process has, or the most that it has had so far, in megabytes. */
export async function readMegabytes(pid: number, which: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
}

/** Shows the current step on one line of a terminal, which the next one overwrites. Silent without a terminal. */
export function say(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${step}${step === '' ? '' : ' ...'}`);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
