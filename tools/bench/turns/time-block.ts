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
  block: { readonly rounds: number; readonly at_once: number },
  run: (round: number) => Promise<unknown>,
): Promise<Cost> {
  const turns = block.rounds * block.at_once;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let round = 0; round < block.rounds; round += 1) await run(round);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  return { ms: ms / turns, cpu_ms: (user + system) / 1000 / turns };
}
