/** Of one turn, in milliseconds. */
export interface Cost {
  readonly ms: number;
  /** Of the process that ran it. */
  readonly cpu_ms: number;
}

/** Runs so many turns one after the other, and tells what one of them cost. Garbage of others is collected before. */
export async function timeBlock(turns: number, run: (turn: number) => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await run(turn);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  return { ms: ms / turns, cpu_ms: (user + system) / 1000 / turns };
}
