import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { CapturedCall } from '../../../dist/tools/bench/stage/captured-call.js';
import { readSessionsMs } from '../../../dist/tools/bench/cpu.js';
import { openBenchStage } from '../../../dist/tools/bench/stage/stage.js';
import { median } from '../../../dist/tools/bench/statistics.js';
import { openEngineArm } from '../../../dist/tools/bench/turns/engine-arm.js';
import type { Floor } from '../../../dist/tools/bench/turns/floor.js';
import { type Cost, timeBlock } from '../../../dist/tools/bench/turns/time-block.js';
import { splitTurns } from '../../../dist/tools/bench/turns/turn-about.js';
import { startPostgres } from '../../../dist/tools/postgres-server.js';

// One unit of work, done turn about by this project, by floors written by hand, and by other frameworks: the park's turn, whose
// very requests everybody else sends again. docs/benchmarks.md says how to read it.

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
const OURS = 'this project';

/** Of one turn, with the CPU of PostgreSQL. */
interface ServedCost extends Cost {
  readonly postgres_ms: number;
}

type Costs = ReadonlyMap<string, ServedCost>;

async function main(words: readonly string[]): Promise<void> {
  const rounds = toNumber(words, '--rounds', ROUNDS);
  const warm_up = toNumber(words, '--warm-up', WARM_UP);
  const load_before = loadavg();
  const server = await startPostgres({ is_durable: true });
  const stage = await openBenchStage();
  const arms = new Map<string, Floor>();
  const databases = new Map<string, pg.Client>();
  const open = async (arm: string): Promise<string> => {
    const url = await makeDatabase(server, arm);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    databases.set(arm, client);
    return url;
  };
  try {
    const engine = await openEngineArm({ CHUKWA_DATABASE_URL: await open(OURS) }, stage.variables, 16);
    for (const { arm } of [FLOOR, ...PEERS]) arms.set(arm, await openPeerProcess(arm, await open(arm)));
    for (const at_once of [1, 16] as const) {
      const measured: Costs[] = [];
      if (at_once > 1) for (const { arm } of PEERS.filter((peer) => 'has_one_world' in peer)) await drop(arms, arm);
      for (let round = 0; round < warm_up + rounds; round += 1) {
        const costs = await runRound({ engine, arms, databases, stage }, at_once, round);
        if (round >= warm_up) measured.push(costs);
      }
      report(at_once, measured, load_before);
    }
    await engine.close();
  } finally {
    for (const arm of arms.values()) await arm.close();
    for (const client of databases.values()) await client.end();
    await stage.close();
    await server.stop();
  }
}

async function drop(arms: Map<string, Floor>, arm: string): Promise<void> {
  await arms.get(arm)?.close();
  arms.delete(arm);
}

interface Field {
  readonly engine: Awaited<ReturnType<typeof openEngineArm>>;
  readonly arms: ReadonlyMap<string, Floor>;
  readonly databases: ReadonlyMap<string, pg.Client>;
  readonly stage: Awaited<ReturnType<typeof openBenchStage>>;
}

/** This project first, whose requests are sent again; the others in an order that moves on by one each round. */
async function runRound({ engine, arms, databases, stage }: Field, at_once: 1 | 16, round: number): Promise<Costs> {
  const costs = new Map<string, ServedCost>();
  const worlds = Array.from({ length: at_once }, (_one, world) => world);
  const block = { rounds: TURNS_PER_BLOCK[at_once], at_once };
  const count = async (arm: string, run: () => Promise<Cost>): Promise<void> => {
    const client = databases.get(arm);
    if (client === undefined) return;
    const before = await readSessionsMs(client);
    const cost = await run();
    const postgres_ms = ((await readSessionsMs(client)) - before) / (block.rounds * at_once);
    costs.set(arm, { ...cost, postgres_ms });
  };
  await count(OURS, () => timeBlock(block, () => Promise.all(worlds.map((world) => engine.turn(world)))));
  const turns: readonly (readonly CapturedCall[])[] = splitTurns(await stage.takeCalls());
  const order = [...arms.keys()];
  for (const index of order.keys()) {
    const arm = order[(index + round) % order.length] ?? '';
    await count(
      arm,
      async () => (await arms.get(arm)?.run({ turns, at_once })) ?? { ms: Number.NaN, cpu_ms: Number.NaN },
    );
    await stage.takeCalls();
  }
  return costs;
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
  const hear = async (): Promise<unknown> => {
    const heard = await Promise.race([once(child, 'message'), gone.then(() => undefined)]);
    if (heard === undefined) throw new Error(`${arm} has ended before it was done`);
    return heard[0];
  };
  await hear();
  return {
    run: async (block) => {
      child.send(block);
      return (await hear()) as Cost;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

function report(at_once: number, measured: readonly Costs[], load_before: readonly number[]): void {
  const everybody = [FLOOR, { arm: OURS, what: `${OURS}, PostgreSQL, everything recorded` }, ...PEERS];
  const names = everybody.filter(({ arm }) => measured.every((costs) => costs.has(arm)));
  const lines = names.map((peer) => {
    const costs = measured.flatMap((costs) => {
      const [one, floor] = [costs.get(peer.arm), costs.get(FLOOR.arm)];
      return one === undefined || floor === undefined ? [] : [{ one, floor }];
    });
    const time = median(costs.map(({ one, floor }) => one.ms / floor.ms));
    const cpu = median(costs.map(({ one, floor }) => one.cpu_ms / floor.cpu_ms));
    const ms = median(costs.map(({ one }) => one.ms));
    const postgres_ms = median(costs.map(({ one }) => one.postgres_ms));
    const version = 'of' in peer ? ` ${versionOf(peer.of)}` : '';
    return `| ${peer.what}${version} | ${time.toFixed(2)} | ${cpu.toFixed(2)} | ${ms.toFixed(1)} | ${postgres_ms.toFixed(2)} |`;
  });
  const load = [load_before[0], loadavg()[0]].map((one) => one?.toFixed(1)).join(' before, ');
  process.stdout.write(
    [
      `\n${at_once} at a time; medians of ${measured.length} rounds, each over the unrecorded calls of its round`,
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
