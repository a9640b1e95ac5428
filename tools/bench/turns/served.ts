import pg from 'pg';
import { startPostgres } from '../../postgres-server.js';
import { readSessionsMs } from '../cpu.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { median } from '../statistics.js';
import { type EngineArm, openEngineArm, UNIT_TURN } from './engine-arm.js';
import { openFloor } from './floor.js';
import { type BlockCosts, ENGINE, medianOf, ratioOf, runTurnAbout } from './turn-about.js';

const ONE = { warm_up_blocks: 30, blocks: 30, rounds_per_block: 5, at_once: 1 };

const MANY = { warm_up_blocks: 8, blocks: 20, rounds_per_block: 1, at_once: 16 };

const UNRECORDED = 'unrecorded';
const FUSED = 'fused';

/**
 * Turns on PostgreSQL with everything recorded, against the same calls with nothing recorded, and with a record written by
 * hand in as few statements as can be.
 */
export function measureServedTurns(url: string, stage: BenchStage, progress: ProgressLine): Promise<readonly Row[]> {
  return inDatabase(url, 'fused', async (fused_url) => {
    progress.say('running turns on PostgreSQL');
    const played = { scenario: UNIT_TURN, worlds: MANY.at_once };
    const engine = await openEngineArm({ CHUKWA_DATABASE_URL: url }, stage.variables, played);
    const unrecorded = await openFloor({ kind: 'unrecorded' });
    const fused = await openFloor({ kind: 'fused', url: fused_url });
    const outside = new Map([
      [ENGINE, await connect(url)],
      [FUSED, await connect(fused_url)],
    ]);
    const readDatabaseMs = async (arm: string) => {
      const client = outside.get(arm);
      return client === undefined ? 0 : readSessionsMs(client);
    };
    const floors = new Map([
      [UNRECORDED, unrecorded],
      [FUSED, fused],
    ]);
    try {
      const one = await runTurnAbout(stage, { engine, floors, readDatabaseMs }, ONE);
      progress.say(`running turns of ${MANY.at_once} worlds at once`);
      const many = await runTurnAbout(stage, { engine, floors, readDatabaseMs }, MANY);
      progress.say('counting the log of a turn');
      return [
        ...toRows('one at a time', one, 2),
        ...toRows(`${MANY.at_once} worlds at once`, many, 1.9),
        toLogRow(await measureLog(engine, url)),
      ];
    } finally {
      for (const client of outside.values()) await client.end();
      for (const floor of floors.values()) await floor.close();
      await engine.close();
    }
  });
}

/** @param time_goal of the turn's time over that of its calls */
function toRows(how: string, blocks: readonly BlockCosts[], time_goal: number): readonly Row[] {
  const engine = (figure: 'ms' | 'cpu_ms' | 'database_ms') => medianOf(blocks, figure, ENGINE).toFixed(1);
  const floor = (name: string, figure: 'ms' | 'cpu_ms' | 'database_ms') => medianOf(blocks, figure, name).toFixed(1);
  const fused = (figure: 'ms' | 'cpu_ms') => ratioOf(blocks, figure, { of: FUSED, over: UNRECORDED }).toFixed(2);
  const what = `turn on PostgreSQL, over the same calls unrecorded, ${how}`;
  return [
    toRow({
      id: `served_turn_time, ${how}`,
      what: `${what}: time`,
      value: ratioOf(blocks, 'ms', { of: ENGINE, over: UNRECORDED }),
      unit: 'x',
      goal: { kind: 'at_most', value: time_goal, stretch: 1.5 },
      note: `${engine('ms')} ms over ${floor(UNRECORDED, 'ms')} ms a turn; fused by hand ${fused('ms')} x`,
    }),
    toRow({
      id: `served_turn_cpu, ${how}`,
      what: `${what}: CPU`,
      value: ratioOf(blocks, 'cpu_ms', { of: ENGINE, over: UNRECORDED }),
      unit: 'x',
      goal: { kind: 'at_most', value: 1.6, stretch: 1.25 },
      note: `${engine('cpu_ms')} ms over ${floor(UNRECORDED, 'cpu_ms')} ms a turn, of this process; fused by hand ${fused('cpu_ms')} x`,
    }),
    toRow({
      id: `served_turn_database, ${how}`,
      what: `PostgreSQL's CPU of a turn, over a record fused by hand, ${how}`,
      value: ratioOf(blocks, 'database_ms', { of: ENGINE, over: FUSED }),
      unit: 'x',
      goal: { kind: 'at_most', value: 2.8 },
      note: `${engine('database_ms')} ms over ${floor(FUSED, 'database_ms')} ms`,
    }),
  ];
}

/** Pages are logged whole when they are changed first after a checkpoint: it is made before, and the warm-up changes them. */
const LOG_WARM_UP = 60;
const LOG_TURNS = 60;

/** The median of what a turn adds to the write-ahead log, in bytes. */
async function measureLog(engine: EngineArm, url: string): Promise<number> {
  const client = await connect(url);
  try {
    await client.query('CHECKPOINT');
    for (let turn = 0; turn < LOG_WARM_UP; turn += 1) await engine.turn();
    const bytes: number[] = [];
    for (let turn = 0; turn < LOG_TURNS; turn += 1) {
      const before = await readLogPosition(client);
      await engine.turn();
      bytes.push((await readLogPosition(client)) - before);
    }
    return median(bytes);
  } finally {
    await client.end();
  }
}

async function readLogPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
  return Number(rows[0]?.bytes);
}

function toLogRow(bytes: number): Row {
  return toRow({
    id: 'served_turn_log',
    what: 'write-ahead log of a turn on PostgreSQL',
    value: bytes / 1000,
    unit: 'KB',
    goal: { kind: 'at_most', value: 20, stretch: 12 },
    note: `the median of ${LOG_TURNS} turns, without whole pages`,
  });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/**
 * Does something with a fresh database: on the given server, else on one that is started for it and flushes its commits.
 * @param server the address of a database of a server on which others may be made
 */
export async function withFreshDatabase<Value>(
  server: string | undefined,
  task: (url: string) => Promise<Value>,
): Promise<Value> {
  if (server !== undefined) return inDatabase(server, 'bench', task);
  const own = await startPostgres({ is_durable: true });
  try {
    return await inDatabase(own.url('postgres'), 'bench', task);
  } finally {
    await own.stop();
  }
}

/** Does something with a fresh database beside the given one. */
async function inDatabase<Value>(
  address: string,
  purpose: string,
  task: (url: string) => Promise<Value>,
): Promise<Value> {
  const admin = await connect(address);
  const name = `chukwa_${purpose}_${process.pid}`;
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
