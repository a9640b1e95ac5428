import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readSessionsMs } from '../../../dist/tools/bench/cpu.js';
import { openBenchStage } from '../../../dist/tools/bench/stage/stage.js';
import { openEngineArm, UNIT_TURN } from '../../../dist/tools/bench/turns/engine-arm.js';
import type { Floor } from '../../../dist/tools/bench/turns/floor.js';
import type { Cost } from '../../../dist/tools/bench/turns/time-block.js';
import {
  type BlockCosts,
  ENGINE,
  medianOf,
  ratioOf,
  runTurnAbout,
} from '../../../dist/tools/bench/turns/turn-about.js';
import { startPostgres } from '../../../dist/tools/postgres-server.js';

// One unit of work, done turn about by this project, by floors written by hand, and by other frameworks: a turn with one reading,
// one tool and two generations, whose very requests everybody else sends again. docs/making/benchmarks.md says how to read it.

/** How often each is run; `--rounds N` measures more or fewer, `--warm-up N` likewise. */
const ROUNDS = 20;
const WARM_UP = 10;
const TURNS_PER_BLOCK = { 1: 3, 16: 1 } as const;

/** Peers by the file of their arm, and the package whose version the report names. One has a single world, and one turn of it. */
const PEERS = [
  { arm: 'hand-written', what: 'written by hand, plain statements', has_one_world: true },
  { arm: 'fused', what: 'written by hand, fused' },
  { arm: 'dbos', what: 'DBOS', of: '@dbos-inc/dbos-sdk' },
  { arm: 'mastra', what: 'Mastra', of: '@mastra/core' },
  { arm: 'langgraph', what: 'LangGraph.js with PostgresSaver, sync', of: '@langchain/langgraph' },
] as const;

const FLOOR = { arm: 'unrecorded', what: 'the same calls, nothing recorded' } as const;
async function main(words: readonly string[]): Promise<void> {
  const rounds = toNumber(words, '--rounds', ROUNDS);
  const warm_up = toNumber(words, '--warm-up', WARM_UP);
  const load_before = loadavg();
  const server = await startPostgres({ is_durable: true });
  const stage = await openBenchStage();
  const floors = new Map<string, Floor>();
  const databases = new Map<string, pg.Client>();
  const open = async (arm: string): Promise<string> => {
    const url = await makeDatabase(server, arm);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    databases.set(arm, client);
    return url;
  };
  const readDatabaseMs = async (arm: string): Promise<number> => {
    const client = databases.get(arm);
    return client === undefined ? 0 : readSessionsMs(client);
  };
  try {
    const played = { scenario: UNIT_TURN, worlds: 16 };
    const engine = await openEngineArm({ CHUKWA_DATABASE_URL: await open(ENGINE) }, stage.variables, played);
    for (const { arm } of [FLOOR, ...PEERS]) floors.set(arm, await openPeerProcess(arm, await open(arm)));
    for (const at_once of [1, 16] as const) {
      if (at_once > 1) for (const { arm } of PEERS.filter((peer) => 'has_one_world' in peer)) await drop(floors, arm);
      const plan = { warm_up_blocks: warm_up, blocks: rounds, rounds_per_block: TURNS_PER_BLOCK[at_once], at_once };
      report(at_once, await runTurnAbout(stage, { engine, floors, readDatabaseMs }, plan), load_before);
    }
    await engine.close();
  } finally {
    for (const floor of floors.values()) await floor.close();
    for (const client of databases.values()) await client.end();
    await stage.close();
    await server.stop();
  }
}

async function drop(floors: Map<string, Floor>, arm: string): Promise<void> {
  await floors.get(arm)?.close();
  floors.delete(arm);
}

async function makeDatabase(server: Awaited<ReturnType<typeof startPostgres>>, name: string): Promise<string> {
  const database = `peers_${name.replaceAll(/\W/g, '_')}`;
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  return server.url(database);
}

async function openPeerProcess(arm: string, url: string): Promise<Floor> {
  const program = fileURLToPath(new URL('./peer-process.ts', import.meta.url));
  const child = fork(program, [arm, url], { execArgv: ['--import', 'tsx'] });
  const gone = once(child, 'exit');
  const receive = async (): Promise<unknown> => {
    const received = await Promise.race([once(child, 'message'), gone.then(() => undefined)]);
    if (received === undefined) throw new Error(`${arm} has ended before it was done`);
    return received[0];
  };
  await receive();
  return {
    run: async (block) => {
      child.send(block);
      return (await receive()) as Cost;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

function report(at_once: number, blocks: readonly BlockCosts[], load_before: readonly number[]): void {
  const everybody = [FLOOR, { arm: ENGINE, what: 'this project, PostgreSQL, everything recorded' }, ...PEERS];
  const names = everybody.filter(({ arm }) => blocks.every((costs) => costs.has(arm)));
  const lines = names.map((peer) => {
    const pair = { of: peer.arm, over: FLOOR.arm };
    const version = 'of' in peer ? ` ${versionOf(peer.of)}` : '';
    const ratios = [ratioOf(blocks, 'ms', pair), ratioOf(blocks, 'cpu_ms', pair)].map((ratio) => ratio.toFixed(2));
    const ms = medianOf(blocks, 'ms', peer.arm).toFixed(1);
    const database_ms = medianOf(blocks, 'database_ms', peer.arm).toFixed(2);
    return `| ${peer.what}${version} | ${[...ratios, ms, database_ms].join(' | ')} |`;
  });
  const load = [load_before[0], loadavg()[0]].map((one) => one?.toFixed(1)).join(' before, ');
  process.stdout.write(
    [
      `\n${at_once} at a time; medians of ${blocks.length} rounds, each over the unrecorded calls of its round`,
      `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? ''}, ${Math.round(totalmem() / 2 ** 30)} GB; load average ${load} after\n`,
      '| what | time | CPU of its process | ms a turn | PostgreSQL, ms of CPU a turn |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n'),
  );
}

function versionOf(name: string): string {
  const file = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

function toNumber(words: readonly string[], option: string, otherwise: number): number {
  const at = words.indexOf(option);
  return at === -1 ? otherwise : Number(words[at + 1]);
}

await main(process.argv.slice(2));
