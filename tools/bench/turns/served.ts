import pg from 'pg';
import { startPostgres } from '../../postgres-server.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { openEngineArm } from './engine-arm.js';
import { openFloor } from './floor.js';
import { type Comparison, runTurnAbout } from './turn-about.js';

const ONE = { warm_up_blocks: 30, blocks: 30, rounds_per_block: 5, at_once: 1 };

const MANY = { warm_up_blocks: 8, blocks: 20, rounds_per_block: 1, at_once: 16 };

/** Turns on PostgreSQL with everything recorded, against the same calls with nothing recorded. */
export async function measureServedTurns(
  url: string,
  stage: BenchStage,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  progress.say('running turns on PostgreSQL');
  const engine = await openEngineArm({ CHUKWA_DATABASE_URL: url }, stage.variables, MANY.at_once);
  const floor = await openFloor({ kind: 'unrecorded' });
  try {
    const one = await runTurnAbout(stage, { engine, floor }, ONE);
    progress.say(`running turns of ${MANY.at_once} worlds at once`);
    const many = await runTurnAbout(stage, { engine, floor }, MANY);
    return [...toRows('one at a time', one), ...toRows(`${MANY.at_once} worlds at once`, many)];
  } finally {
    await floor.close();
    await engine.close();
  }
}

function toRows(how: string, { time, cpu, engine, floor }: Comparison): readonly Row[] {
  const what = `turn on PostgreSQL, over the same calls unrecorded, ${how}`;
  return [
    toRow({
      id: `served_turn_time, ${how}`,
      what: `${what}: time`,
      value: time,
      unit: 'x',
      goal: { kind: 'at_most', value: 3, stretch: 1.9 },
      note: `${engine.ms.toFixed(1)} ms over ${floor.ms.toFixed(1)} ms a turn`,
    }),
    toRow({
      id: `served_turn_cpu, ${how}`,
      what: `${what}: CPU`,
      value: cpu,
      unit: 'x',
      goal: { kind: 'at_most', value: 3, stretch: 1.6 },
      note: `${engine.cpu_ms.toFixed(1)} ms over ${floor.cpu_ms.toFixed(1)} ms a turn, of this process`,
    }),
  ];
}

/**
 * Does something with a fresh database: on the given server, else on one that is started for it and flushes its commits.
 * @param server the address of a database of a server on which others may be made
 */
export async function withFreshDatabase<Value>(
  server: string | undefined,
  task: (url: string) => Promise<Value>,
): Promise<Value> {
  if (server !== undefined) return inDatabase(server, task);
  const own = await startPostgres({ is_durable: true });
  try {
    return await inDatabase(own.url('postgres'), task);
  } finally {
    await own.stop();
  }
}

async function inDatabase<Value>(address: string, task: (url: string) => Promise<Value>): Promise<Value> {
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  const name = `chukwa_bench_${process.pid}`;
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(address);
    url.pathname = `/${name}`;
    return await task(url.href);
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  }
}
