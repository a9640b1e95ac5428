import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The resources of one run of the program. */
export interface ChildRun {
  /** From the spawn to the first byte of its answer. */
  readonly first_byte_ms: number;
  readonly peak_mb: number;
  /** Of its whole life, kernel's included. */
  readonly cpu_ms: number;
}

// Written at the child's end to a pipe of its own. The kernel's peak of the program alone is used where there is one:
// resource usage begins with that of the parent.
const REPORT_PEAK = `
import { readFileSync, writeSync } from 'node:fs';
process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS;
  try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ peak_mb: (peak * 1024) / 1e6, cpu_ms: (user + system) / 1000 }));
});`;

/**
 * Runs the compiled program once, to its end.
 * @throws Error where it does not exit with 0
 */
export async function runChild(
  program: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<ChildRun> {
  const preload = `data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`;
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', preload, program, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let first_byte_ms = Number.NaN;
  child.stdout?.once('data', () => {
    first_byte_ms = performance.now() - begun;
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const [[code], , complaint, report] = await Promise.all([ended, ...child.stdio.slice(1).map(readAll)]);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${complaint}`);
  return { first_byte_ms, ...(JSON.parse(report ?? '') as Pick<ChildRun, 'peak_mb' | 'cpu_ms'>) };
}

async function readAll(stream: ChildProcess['stdio'][number]): Promise<string> {
  return stream instanceof Readable ? text(stream) : '';
}
