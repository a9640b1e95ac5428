import { readFile } from 'node:fs/promises';

/** The most memory that a process has had so far, in megabytes. */
export async function readPeakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}
