import type pg from 'pg';
import { spendCpu } from '../cpu.js';
import { median } from '../statistics.js';
import type { Measured } from './curve.js';

/**
 * Does something a number of times.
 * @param measure gives the time of one
 * @returns the median of the times, and the mean of the CPU
 */
export async function measureTimes(
  outside: pg.Client,
  count: number,
  measure: () => Promise<number>,
): Promise<Measured> {
  const { value, cpu_ms } = await spendCpu(outside, [], async () => {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) times.push(await measure());
    return times;
  });
  return { y: median(value), cpu_ms: cpu_ms / count };
}
