import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { v7 } from 'uuid';
import { spendCpu } from '../cpu.js';
import type { ProgressLine } from '../progress.js';
import { type Curve, type Measured, trace } from './curve.js';
import { openRoom, type Room } from './room.js';

const WORLDS = [1, 10, 100, 1_000, 10_000];
const WORKERS = [1, 2, 3, 4];

/** Turns that are queued, dealt out to the worlds in turn. */
const QUEUED = 400;
const CONCURRENCY = 8;
/** Of the curve over workers. */
const WORLDS_OF_WORKERS = 64;
const LOOK_MS = 20;

/**
 * Turns a second of workers in processes of their own, over how many worlds there are and how many workers.
 * @param program the compiled program
 */
export async function traceFleet(program: string, url: string, progress: ProgressLine): Promise<readonly Curve[]> {
  const room = await openRoom(url, 'first');
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  try {
    const fleet: Fleet = { program, url, room, outside, worlds: [] };
    const say = (text: string): void => progress.say(text);
    const rate = { title: 'queued turns', unit: '/s' } as const;
    return [
      await trace(
        { id: 'workers', over: 'workers', ...rate },
        WORKERS,
        (workers) => timeQueue(fleet, WORLDS_OF_WORKERS, workers),
        say,
      ),
      await trace({ id: 'worlds', over: 'worlds', ...rate }, WORLDS, (worlds) => timeQueue(fleet, worlds, 1), say),
    ];
  } finally {
    await outside.end();
    await room.close();
  }
}

interface Fleet {
  readonly program: string;
  readonly url: string;
  readonly room: Room;
  readonly outside: pg.Client;
  /** Those that were made so far. */
  readonly worlds: string[];
}

/** Queues turns, and lets workers do them that have begun to work. @returns turns a second */
async function timeQueue(fleet: Fleet, worldCount: number, workerCount: number): Promise<Measured> {
  await makeWorlds(fleet, worldCount);
  const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker(fleet)));
  try {
    await doQueued(fleet, fleet.worlds.slice(0, Math.min(worldCount, CONCURRENCY)), CONCURRENCY * workerCount);
    const pids = workers.map(({ pid }) => pid ?? 0);
    const { value, cpu_ms } = await spendCpu(fleet.outside, pids, async () => {
      const began = performance.now();
      await doQueued(fleet, fleet.worlds.slice(0, worldCount), QUEUED);
      return (QUEUED / (performance.now() - began)) * 1000;
    });
    return { y: value, cpu_ms: cpu_ms / QUEUED };
  } finally {
    await Promise.all(workers.map(stop));
  }
}

async function makeWorlds({ room, worlds }: Fleet, count: number): Promise<void> {
  const { scenario_hash } = room;
  const about = { scenario_hash, start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };
  while (worlds.length < count) {
    const world_slug = `world-${worlds.length}`;
    await room.engine.store.worlds.create({ world_slug, ...about });
    worlds.push(world_slug);
  }
}

async function startWorker({ program, url, room }: Fleet): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, 'worker', '--concurrency', String(CONCURRENCY), '--json'], {
    env: { ...process.env, ...room.variables, CHUKWA_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  worker.stdout.resume();
  return worker;
}

async function stop(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

/** Queues so many turns over the worlds, and waits until they are done. */
async function doQueued({ room, outside }: Fleet, worlds: readonly string[], turns: number): Promise<void> {
  const busy = worlds.slice(0, turns);
  const done = (await countTurns(outside, busy)) + turns;
  const dealt = busy.map((world_slug, index) => {
    const count = Math.floor(turns / busy.length) + (index < turns % busy.length ? 1 : 0);
    return { world_slug, inbox_ids: Array.from({ length: count }, () => v7()) };
  });
  for (const queue of dealt) await room.engine.store.inbox.enqueueTurns(queue);
  while ((await countTurns(outside, busy)) < done) await new Promise((resume) => setTimeout(resume, LOOK_MS));
}

/** Turns of these worlds alone: looking at all would cost the more, the more there are. */
async function countTurns(outside: pg.Client, worlds: readonly string[]): Promise<number> {
  const { rows } = await outside.query<{ count: number }>(
    'SELECT coalesce(sum(turn), 0)::int AS count FROM worlds WHERE world_slug = ANY($1)',
    [worlds],
  );
  return rows[0]?.count ?? 0;
}
