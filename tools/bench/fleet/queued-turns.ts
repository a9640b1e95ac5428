import pg from 'pg';
import { spendCpu } from '../cpu.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { openCountingProxy } from '../wire/counting-proxy.js';
import { openQueue } from './queue.js';

const WORLDS = [1, 8, 64];
const CONCURRENCY = 8;
const COUNTED = 400;
const WARM_UP = 200;
/** Turns of a block; queue and `run` are timed turn about. */
const BLOCK = 100;
const BLOCKS = 7;

/** What a queued turn takes more than a turn of `run`: statements, and CPU of engine and database together. */
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
  try {
    await queue.run(CONCURRENCY);
    proxy.take();
    await queue.run(BLOCK);
    const ofRun = countOwn(proxy.take()) / BLOCK;
    await queue.enqueue(COUNTED);
    proxy.take();
    await queue.work(CONCURRENCY);
    const ofQueue = countOwn(proxy.take()) / COUNTED;
    const note = `${ofQueue.toFixed(2)} over ${ofRun.toFixed(2)} a turn, without those that a second's passing asks for`;
    return toRatioRow('statements', worlds, ofQueue / ofRun, note);
  } finally {
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
  try {
    await queue.run(WARM_UP);
    const pairs: { readonly queued: number; readonly run: number }[] = [];
    for (let block = 0; block < BLOCKS; block += 1) {
      await queue.enqueue(BLOCK);
      const queued = await spendCpu(outside, [], () => queue.work(CONCURRENCY));
      const run = await spendCpu(outside, [], () => queue.run(BLOCK));
      if (block > 0) pairs.push({ queued: queued.cpu_ms / BLOCK, run: run.cpu_ms / BLOCK });
    }
    const at = (which: 'queued' | 'run'): string => median(pairs.map((pair) => pair[which])).toFixed(1);
    const note = `${at('queued')} ms over ${at('run')} ms a turn, ${pairs.length} pairs of blocks`;
    return toRatioRow('CPU', worlds, median(pairs.map(({ queued, run }) => queued / run)), note);
  } finally {
    await outside.end();
    await queue.close();
  }
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
