import { readFileSync } from 'node:fs';

/** The kernel's unit of CPU time, on every Linux. */
const TICKS_PER_SECOND = 100;

/** The seconds of CPU of all processes that this one has started and waited for; 0 where there is no `/proc`. */
export function childSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the process, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/**
 * A table of each test file's CPU time, the costliest first, with the sum for each folder of `test/`.
 * @param text lines of seconds of the process, seconds of its children, and file, with tabs between them
 */
export function toCpuReport(text: string): string {
  const files = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [own = '', children = '', file = ''] = line.split('\t');
      return { own: Number(own), children: Number(children), file };
    });
  const folders = new Map<string, { own: number; children: number }>();
  for (const { own, children, file } of files) {
    const folder = file.split('/').slice(0, 2).join('/');
    const sum = folders.get(folder) ?? { own: 0, children: 0 };
    folders.set(folder, { own: sum.own + own, children: sum.children + children });
  }
  const sums = [...folders].map(([file, sum]) => ({ ...sum, file }));
  return `\nCPU seconds: own process, its children\n${[...toRows(sums), '', ...toRows(files)].join('\n')}\n`;
}

function toRows(costs: readonly { readonly own: number; readonly children: number; readonly file: string }[]) {
  return costs
    .toSorted((one, other) => other.own + other.children - one.own - one.children)
    .map(({ own, children, file }) => `${own.toFixed(1).padStart(8)} ${children.toFixed(1).padStart(8)}  ${file}`);
}
