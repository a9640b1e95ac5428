import { readFileSync } from 'node:fs';

/** The kernel's unit of CPU time, on every Linux. */
const TICKS_PER_SECOND = 100;

/** The seconds of CPU of all processes that this one has started and waited for; 0 where there is no `/proc`. */
export function childSeconds(): number {
  return sumTicks('self', [13, 14]);
}

/** The seconds of CPU of a process and of those that it has started and waited for; 0 where there is no `/proc`. */
export function secondsOf(pid: number): number {
  return sumTicks(`${pid}`, [11, 12, 13, 14]);
}

function sumTicks(process: string, places: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    // The name of the process, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

interface Cost {
  /** Seconds of CPU of its process while the file ran; of a process's first file, those of the start as well. */
  readonly own: number;
  /** Seconds of CPU of the processes that it started and waited for. */
  readonly children: number;
  /** Seconds from its start to its end: the time beyond its CPU time was spent waiting. */
  readonly whole: number;
  readonly file: string;
}

/**
 * A table of each test file's CPU time and duration, the costliest first, with the sum for each folder of `test/`.
 * @param text lines of seconds of the process, seconds of its children, seconds in all, and file, with tabs between them
 */
export function toCpuReport(text: string): string {
  const files = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Cost => {
      const [own, children, whole, file = ''] = line.split('\t');
      return { own: Number(own), children: Number(children), whole: Number(whole), file };
    });
  const folders = new Map<string, Cost>();
  for (const { own, children, whole, file } of files) {
    const folder = file.split('/').slice(0, 2).join('/');
    const sum = folders.get(folder) ?? { own: 0, children: 0, whole: 0, file: folder };
    folders.set(folder, { ...sum, own: sum.own + own, children: sum.children + children, whole: sum.whole + whole });
  }
  const rows = [...toRows([...folders.values()]), '', ...toRows(files)];
  return `\nCPU seconds of each file and of the processes that it started, and its seconds in all\n${rows.join('\n')}\n`;
}

function toRows(costs: readonly Cost[]): readonly string[] {
  const cell = (seconds: number): string => seconds.toFixed(1).padStart(8);
  return costs
    .toSorted((one, other) => other.own + other.children - one.own - one.children)
    .map(({ own, children, whole, file }) => `${[own, children, whole].map(cell).join(' ')}  ${file}`);
}
