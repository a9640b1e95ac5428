import type pg from 'pg';
import { renderNumber, type Row, toRow } from '../figures.js';
import {
  type Compared,
  compareArms,
  type Cost,
  type Figure,
  median,
  type Plan,
  readLogBytes,
  say,
  spend,
} from '../measures.js';
import { type CapturedCall, startServices } from '../services.js';
import { connect, makeFolder, onStage, openServer, type Stage } from '../stage.js';
import { openWorlds, UNIT_TURN } from '../worlds.js';
import { runRounds, startArm } from './arm.js';

/** The engine among the arms of a comparison, and the same calls with nothing recorded. */
export const ENGINE = 'engine';
export const UNRECORDED = 'unrecorded';
const FUSED = 'fused';
const BY_HAND = 'hand-written';
const MANY = 16;

/** A comparison of turns: how many rounds a block has, and how many turns a round, each of another world. */
export interface TurnPlan extends Plan {
  readonly rounds: number;
  readonly at_once: number;
}

const ONE_SERVED: TurnPlan = { warm_up_blocks: 30, blocks: 30, rounds: 5, at_once: 1 };
const MANY_SERVED: TurnPlan = { warm_up_blocks: 8, blocks: 20, rounds: 1, at_once: MANY };
const ONE_EMBEDDED: TurnPlan = { warm_up_blocks: 20, blocks: 20, rounds: 4, at_once: 1 };
const MANY_EMBEDDED: TurnPlan = { warm_up_blocks: 6, blocks: 12, rounds: 1, at_once: MANY };

/** Turns with everything recorded, beside the same calls with nothing recorded and with records that are written by hand. */
export async function measureTurns(): Promise<readonly Row[]> {
  return [...(await onStage(measureServed)), ...(await onStage(measureEmbedded))];
}

/** The module of an arm of this program. */
export function armModule(name: typeof FUSED | typeof BY_HAND): URL {
  return new URL(`./arms/${name}.js`, import.meta.url);
}

async function measureServed(stage: Stage): Promise<readonly Row[]> {
  const makeDatabase = await openServer(stage);
  const url = await makeDatabase(ENGINE);
  const arms = await openArms(stage, url);
  await arms.start(stage, FUSED, armModule(FUSED), await makeDatabase(FUSED));
  say('running turns on PostgreSQL');
  const one = await arms.compare(ONE_SERVED);
  say('running turns of many worlds on PostgreSQL');
  const many = await arms.compare(MANY_SERVED);
  return [...toServedRows(1, one), ...toServedRows(MANY, many), await measureLog(await connect(stage, url), arms.turn)];
}

async function measureEmbedded(stage: Stage): Promise<readonly Row[]> {
  const folder = await makeFolder(stage);
  const arms = await openArms(stage, `${folder}/engine`);
  say('running turns on the embedded database');
  const one = await onStage(async (first) => {
    await arms.start(first, BY_HAND, armModule(BY_HAND), `${folder}/by-hand`);
    return arms.compare(ONE_EMBEDDED);
  });
  arms.leave(BY_HAND);
  say('running turns of many worlds on the embedded database');
  const many = await arms.compare(MANY_EMBEDDED);
  const note = (compared: Compared): string =>
    `${toPair(compared, 'ms', UNRECORDED)} a turn; CPU ${toRatio(compared, 'cpu_ms', ENGINE, UNRECORDED)}`;
  const byHand = `${toPair(one, 'ms', BY_HAND)} a turn; CPU ${toRatio(one, 'cpu_ms', ENGINE, BY_HAND)}`;
  return [
    toRow('embedded_rate', 1 / one.ratio('ms', ENGINE, BY_HAND), byHand),
    toRow('embedded_time_1', one.ratio('ms', ENGINE, UNRECORDED), note(one)),
    toRow('embedded_time_16', many.ratio('ms', ENGINE, UNRECORDED), note(many)),
  ];
}

/** The arms of a comparison of the unit turn: at first the engine, and the same calls unrecorded. */
export interface Arms {
  /** Starts one more. @param place what it is opened with; the CPU of a database of PostgreSQL counts */
  start(stage: Stage, name: string, module: URL, place: string): Promise<void>;
  leave(name: string): void;
  /** Runs all arms turn about. The others make the very calls that the engine's last block made. */
  compare(plan: TurnPlan): Promise<Compared>;
  /** The next turn of one of the engine's worlds. */
  turn(world?: number): Promise<void>;
}

/** Opens the engine in a database, and starts the services that all arms call. @param place an address or a folder */
export async function openArms(stage: Stage, place: string): Promise<Arms> {
  const services = await startServices(stage);
  const world_slugs = Array.from({ length: MANY }, (_none, world) => `bench-${world + 1}`);
  const variable = isServed(place) ? 'CHUKWA_DATABASE_URL' : 'CHUKWA_DATA_DIR';
  const engine = await openWorlds(stage, { ...services.variables, [variable]: place }, UNIT_TURN, world_slugs);
  const databases = new Map<string, pg.Client>();
  if (isServed(place)) databases.set(ENGINE, await connect(stage, place));
  const others = new Map([[UNRECORDED, await startArm(stage)]]);
  const turn = (world = 0): Promise<void> => engine.turn(world_slugs[world] ?? '');
  return {
    turn,
    start: async (until, name, module, own_place) => {
      others.set(name, await startArm(until, module, own_place));
      if (isServed(own_place)) databases.set(name, await connect(until, own_place));
    },
    leave: (name) => void others.delete(name),
    compare: (plan) => {
      const { rounds, at_once } = plan;
      let turns: readonly (readonly CapturedCall[])[] = [];
      const withDatabase = (name: string, run: () => Promise<Cost>) => async (): Promise<Cost> => {
        const { value, database_ms } = await spend(run, rounds * at_once, { database: databases.get(name) });
        const calls = await services.ask({});
        if (name === ENGINE) turns = splitTurns(calls);
        return { ...value, database_ms };
      };
      const runEngine = () => runRounds(rounds, at_once, (number) => turn(number % at_once));
      const arms = [...others].map(([name, run]) => [name, withDatabase(name, () => run(turns, at_once))] as const);
      return compareArms({ [ENGINE]: withDatabase(ENGINE, runEngine), ...Object.fromEntries(arms) }, plan);
    },
  };
}

/** The calls of several turns, turn by turn. */
export function splitTurns(calls: readonly CapturedCall[]): readonly (readonly CapturedCall[])[] {
  const turns = new Map<string, CapturedCall[]>();
  for (const call of calls) {
    const turn = call.client_request_id.split('/').slice(0, 2).join('/');
    turns.set(turn, [...(turns.get(turn) ?? []), call]);
  }
  return [...turns.values()];
}

function isServed(place: string): boolean {
  return place.startsWith('postgres');
}

function toServedRows(at_once: 1 | 16, compared: Compared): readonly Row[] {
  const note = (figure: 'ms' | 'cpu_ms'): string =>
    `${toPair(compared, figure, UNRECORDED)} a turn; fused by hand ${toRatio(compared, figure, FUSED, UNRECORDED)}`;
  const database = compared.ratio('database_ms', ENGINE, FUSED);
  return [
    toRow(`served_time_${at_once}`, compared.ratio('ms', ENGINE, UNRECORDED), note('ms')),
    toRow(`served_cpu_${at_once}`, compared.ratio('cpu_ms', ENGINE, UNRECORDED), `${note('cpu_ms')}, of this process`),
    toRow(`served_database_${at_once}`, database, toPair(compared, 'database_ms', FUSED)),
  ];
}

function toPair(compared: Compared, figure: Figure, arm: string): string {
  const ms = (name: string): string => compared.median(figure, name).toFixed(1);
  return `${ms(ENGINE)} ms over ${ms(arm)} ms`;
}

function toRatio(compared: Compared, figure: Figure, of: string, over: string): string {
  return `${renderNumber(compared.ratio(figure, of, over))} x`;
}

/** Pages are logged whole when they are changed first after a checkpoint: it is made before, and the warm-up changes them. */
const LOG_WARM_UP = 60;
const LOG_TURNS = 60;

/** The median of what a turn adds to the write-ahead log. */
async function measureLog(database: pg.Client, turn: Arms['turn']): Promise<Row> {
  await database.query('CHECKPOINT');
  for (let count = 0; count < LOG_WARM_UP; count += 1) await turn();
  const bytes: number[] = [];
  for (let count = 0; count < LOG_TURNS; count += 1) {
    const before = await readLogBytes(database);
    await turn();
    bytes.push((await readLogBytes(database)) - before);
  }
  return toRow('served_log', median(bytes) / 1000, `the median of ${LOG_TURNS} turns, without whole pages`);
}
