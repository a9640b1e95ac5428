import { readdir, readFile } from 'node:fs/promises';

/**
 * CPU that a process has used so far, all its threads together, in milliseconds. Linux counts it in nanoseconds.
 * @returns 0 for a process that is not on this machine
 */
export async function readCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const spent = await Promise.all(threads.map((thread) => readThreadMs(`/proc/${pid}/task/${thread}/schedstat`)));
  return spent.reduce((sum, ms) => sum + ms, 0);
}

/** A thread that has just ended counts nothing. */
async function readThreadMs(path: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '0');
  return Number(text.split(' ')[0]) / 1e6;
}

/** A connection to the database. */
interface Outside {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The processes of the sessions of a database, those of a pool among them. @param condition on them */
async function listSessions(outside: Outside, condition = 'true'): Promise<readonly number[]> {
  const { rows } = await outside.query(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND ${condition}`,
  );
  return (rows as readonly { readonly pid: number }[]).map(({ pid }) => pid);
}

/** CPU that the other sessions of a database have used so far, in milliseconds. */
export async function readSessionsMs(outside: Outside): Promise<number> {
  const spent = await readAll(await listSessions(outside, 'pid <> pg_backend_pid()'));
  return [...spent.values()].reduce((sum, ms) => sum + ms, 0);
}

/**
 * The CPU time of some work, in milliseconds: of this process, of these others, and of the sessions of the database.
 * Neighbours on the machine change it little, unlike the clock's time.
 */
export async function spendCpu<Value>(
  outside: Outside,
  others: readonly number[],
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly cpu_ms: number }> {
  const own = process.cpuUsage();
  const before = await readAll([...others, ...(await listSessions(outside))]);
  const value = await work();
  const { user, system } = process.cpuUsage(own);
  const after = await readAll([...others, ...(await listSessions(outside))]);
  let spent = (user + system) / 1e3;
  for (const [pid, ms] of after) spent += ms - (before.get(pid) ?? 0);
  return { value, cpu_ms: spent };
}

async function readAll(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  return new Map(await Promise.all(pids.map(async (pid) => [pid, await readCpuMs(pid)] as const)));
}
