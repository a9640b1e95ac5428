import pg from 'pg';
import { spendCpu } from '../cpu.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { openCountingProxy } from '../wire/counting-proxy.js';
import { openQueue, type Queue, type Worker } from './queue.js';

const WORLDS = [1, 8, 64];
const CONCURRENCY = 8;
/** Turns before anything is counted: the worker then knows its worlds, as `run` knows its own. */
const WARM_UP = 200;
/** Turns of a block; queue and `run` are measured turn about. */
const BLOCK = 400;
const BLOCKS = 5;

/** The cost of a queued turn beyond a turn of `run`: statements, and CPU of engine and database together. */
export async function measureQueuedTurns(url: string, progress: ProgressLine): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const worlds of WORLDS) {
    progress.say(`queueing turns of ${worlds} worlds`);
    rows.push(await countStatements(url, worlds), await compareCpu(url, worlds));
  }
  return rows;
}

async function countStatements(url: string, worlds: number): Promise<Row> {
  const proxy = await openCountingProxy(url);
  const queue = await openQueue(proxy.url, `counted-${worlds}`, worlds);
  const worker = await queue.startWorker(CONCURRENCY);
  try {
    await warmUp(queue, worker);
    const count = async (play: () => Promise<unknown>): Promise<number> => {
      proxy.take();
      await play();
      return countOwn(proxy.take());
    };
    const queued = await playQueued(queue, worker, count);
    const run = (await count(() => queue.run(BLOCK))) / BLOCK;
    const note = `${queued.toFixed(2)} over ${run.toFixed(2)} a turn, without those that a second's passing asks for`;
    return toRatioRow('statements', worlds, queued / run, note);
  } finally {
    await worker.stop();
    await queue.close();
    await proxy.close();
  }
}

/** A slow machine makes more of these for each turn: looks once a second, and heartbeats. */
const BY_THE_CLOCK = /^chukwa_(glance|messages_of_attempt|renew_leases)_/;

function countOwn(statements: readonly string[]): number {
  return statements.filter((name) => !BY_THE_CLOCK.test(name)).length;
}

async function compareCpu(url: string, worlds: number): Promise<Row> {
  const queue = await openQueue(url, `timed-${worlds}`, worlds);
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  const worker = await queue.startWorker(CONCURRENCY);
  try {
    await warmUp(queue, worker);
    const spend = async (play: () => Promise<unknown>): Promise<number> => (await spendCpu(outside, [], play)).cpu_ms;
    const pairs: { readonly queued: number; readonly run: number }[] = [];
    for (let block = 0; block < BLOCKS; block += 1) {
      const queued = await playQueued(queue, worker, spend);
      pairs.push({ queued, run: (await spend(() => queue.run(BLOCK))) / BLOCK });
    }
    const at = (which: 'queued' | 'run'): string => median(pairs.map((pair) => pair[which])).toFixed(1);
    const note = `${at('queued')} ms over ${at('run')} ms a turn, ${pairs.length} pairs of blocks`;
    return toRatioRow('CPU', worlds, median(pairs.map(({ queued, run }) => queued / run)), note);
  } finally {
    await worker.stop();
    await outside.end();
    await queue.close();
  }
}

async function warmUp(queue: Queue, worker: Worker): Promise<void> {
  await queue.run(WARM_UP);
  await queue.enqueue(WARM_UP);
  await worker.reach(WARM_UP);
}

/** Has the worker play queued turns to the last. @returns the cost of one of them */
async function playQueued(
  queue: Queue,
  worker: Worker,
  measure: (play: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const end = worker.countCommitted() + BLOCK;
  const cost = await measure(async () => {
    await queue.enqueue(BLOCK);
    await worker.reach(end);
  });
  return cost / BLOCK;
}

function toRatioRow(of: 'statements' | 'CPU', worlds: number, value: number, note: string): Row {
  return toRow({
    id: `queued_turn_${of.toLowerCase()}_${worlds}`,
    what: `queued turn over a turn of run, ${worlds} ${worlds === 1 ? 'world' : 'worlds'} and ${CONCURRENCY} hands: ${of}`,
    value,
    unit: 'x',
    goal: { kind: 'at_most', value: 1.15 },
    note,
  });
}
