import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readCpuMs } from '../cpu.js';
import { type Row, toRow } from '../row.js';
import type { Scene } from './scene.js';

/** A program that has just started collects its garbage for a while. */
const SETTLE_MS = 10_000;
const WATCHED_MS = 30_000;

/** The cost of an idle worker. */
export async function measureIdle(program: string, url: string, scene: Scene): Promise<Row> {
  await scene.empty();
  const env = { ...process.env, CHUKWA_DATABASE_URL: url };
  const worker = spawn(process.execPath, [program, 'worker', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  await new Promise((resume) => setTimeout(resume, SETTLE_MS));
  const began = await readCpuMs(worker.pid ?? 0);
  await new Promise((resume) => setTimeout(resume, WATCHED_MS));
  const spent = ((await readCpuMs(worker.pid ?? 0)) - began) / 1000;
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  return toRow({
    id: 'idle_worker_cpu',
    what: `idle worker, ${scene.worlds.length.toLocaleString('en')} worlds: of a core`,
    value: (spent / (WATCHED_MS / 1000)) * 100,
    unit: '%',
    goal: { kind: 'at_most', value: 1 },
    note: `${spent.toFixed(2)} s of CPU in ${WATCHED_MS / 1000} s`,
  });
}
