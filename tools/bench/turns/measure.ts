import type pg from 'pg';
import { connect, withClient, withDatabases } from '../databases.js';
import { inFolder } from '../documents.js';
import { median, say } from '../measures.js';
import { renderNumber, type Row, toRow } from '../row.js';
import { withStage } from '../stage.js';
import { openWorlds, UNIT_TURN, type Variables, type Worlds } from '../worlds.js';
import { armModule, type RunningArm, startArm } from './arm.js';
import { type Arms, type Compared, ENGINE, type Plan, runTurnAbout } from './turn-about.js';

const WORLDS = 16;
const UNRECORDED = 'unrecorded';
const FUSED = 'fused';
const BY_HAND = 'hand-written';

const ONE_SERVED: Plan = { warm_up_blocks: 30, blocks: 30, rounds_per_block: 5, at_once: 1 };
const MANY_SERVED: Plan = { warm_up_blocks: 8, blocks: 20, rounds_per_block: 1, at_once: WORLDS };
const ONE_EMBEDDED: Plan = { warm_up_blocks: 20, blocks: 20, rounds_per_block: 4, at_once: 1 };
const MANY_EMBEDDED: Plan = { warm_up_blocks: 6, blocks: 12, rounds_per_block: 1, at_once: WORLDS };
const ONE = 'one at a time';
const MANY = `${WORLDS} worlds at once`;

/** Turns with everything recorded, beside the same calls with nothing recorded and with records that are written by hand. */
export async function measureTurns(): Promise<readonly Row[]> {
  return [...(await measureServed()), ...(await measureEmbedded())];
}

/** The arms of a comparison. Close them. */
export interface OpenArms extends Arms {
  readonly engine: Worlds;
  readonly others: Map<string, RunningArm>;
  readonly databases: Map<string, pg.Client>;
  close(): Promise<void>;
}

/**
 * Starts the arms of a comparison of the unit turn.
 * @param modules of the arms beside the engine
 * @param places what each arm is opened with; those of PostgreSQL are watched
 */
export async function openArms(
  services: Variables,
  modules: Readonly<Record<string, URL>>,
  places: Readonly<Record<string, string>>,
): Promise<OpenArms> {
  const placeOf = (name: string): string => places[name] ?? '';
  const isServed = (name: string): boolean => placeOf(name).startsWith('postgres');
  const world_slugs = Array.from({ length: WORLDS }, (_none, world) => `bench-${process.pid}-${world + 1}`);
  const variable = isServed(ENGINE) ? 'CHUKWA_DATABASE_URL' : 'CHUKWA_DATA_DIR';
  const engine = await openWorlds({ [variable]: placeOf(ENGINE) }, services, { ...UNIT_TURN, world_slugs });
  const others = new Map<string, RunningArm>();
  for (const [name, module] of Object.entries(modules)) others.set(name, await startArm(module, placeOf(name)));
  const databases = new Map<string, pg.Client>();
  for (const name of Object.keys(places).filter(isServed)) databases.set(name, await connect(placeOf(name)));
  return {
    engine,
    others,
    databases,
    close: async () => {
      for (const client of databases.values()) await client.end();
      for (const other of others.values()) await other.close();
      await engine.close();
    },
  };
}

function measureServed(): Promise<readonly Row[]> {
  return withDatabases(async (make) => {
    const url = await make(ENGINE);
    const places = { [ENGINE]: url, [FUSED]: await make(FUSED) };
    const modules = { [UNRECORDED]: armModule(UNRECORDED), [FUSED]: armModule(FUSED) };
    return withStage(async (stage) => {
      const arms = await openArms(stage.first, modules, places);
      try {
        say('running turns on PostgreSQL');
        const one = await runTurnAbout(stage, arms, ONE_SERVED);
        say(`running turns of ${MANY} on PostgreSQL`);
        const many = await runTurnAbout(stage, arms, MANY_SERVED);
        say('counting the log of a turn');
        return [...toServedRows(ONE, one, 2), ...toServedRows(MANY, many, 1.9), await measureLog(arms.engine, url)];
      } finally {
        await arms.close();
      }
    });
  });
}

/** @param time_goal of the turn's time over that of its calls */
function toServedRows(how: string, compared: Compared, time_goal: number): readonly Row[] {
  const byHand = (figure: 'ms' | 'cpu_ms'): string => renderNumber(compared.ratio(figure, FUSED, UNRECORDED));
  const over = (figure: 'ms' | 'cpu_ms'): string => `${toPair(compared, figure, UNRECORDED)} a turn`;
  const what = `turn on PostgreSQL, over the same calls unrecorded, ${how}`;
  return [
    toRow({
      id: `served_turn_time, ${how}`,
      what: `${what}: time`,
      value: compared.ratio('ms', ENGINE, UNRECORDED),
      unit: 'x',
      goal: { kind: 'at_most', value: time_goal, stretch: 1.5 },
      note: `${over('ms')}; fused by hand ${byHand('ms')} x`,
    }),
    toRow({
      id: `served_turn_cpu, ${how}`,
      what: `${what}: CPU`,
      value: compared.ratio('cpu_ms', ENGINE, UNRECORDED),
      unit: 'x',
      goal: { kind: 'at_most', value: 1.6, stretch: 1.25 },
      note: `${over('cpu_ms')}, of this process; fused by hand ${byHand('cpu_ms')} x`,
    }),
    toRow({
      id: `served_turn_database, ${how}`,
      what: `PostgreSQL's CPU of a turn, over a record fused by hand, ${how}`,
      value: compared.ratio('database_ms', ENGINE, FUSED),
      unit: 'x',
      goal: { kind: 'at_most', value: 2.8 },
      note: toPair(compared, 'database_ms', FUSED),
    }),
  ];
}

function toPair(compared: Compared, figure: 'ms' | 'cpu_ms' | 'database_ms', arm: string): string {
  const ms = (name: string): string => compared.median(figure, name).toFixed(1);
  return `${ms(ENGINE)} ms over ${ms(arm)} ms`;
}

/** Pages are logged whole when they are changed first after a checkpoint: it is made before, and the warm-up changes them. */
const LOG_WARM_UP = 60;
const LOG_TURNS = 60;

/** The median of what a turn adds to the write-ahead log. */
function measureLog(engine: Worlds, url: string): Promise<Row> {
  return withClient(url, async (client) => {
    const readPosition = async (): Promise<number> => {
      const { rows } = await client.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
      return Number(rows[0]?.bytes);
    };
    await client.query('CHECKPOINT');
    for (let turn = 0; turn < LOG_WARM_UP; turn += 1) await engine.turn();
    const bytes: number[] = [];
    for (let turn = 0; turn < LOG_TURNS; turn += 1) {
      const before = await readPosition();
      await engine.turn();
      bytes.push((await readPosition()) - before);
    }
    return toRow({
      id: 'served_turn_log',
      what: 'write-ahead log of a turn on PostgreSQL',
      value: median(bytes) / 1000,
      unit: 'KB',
      goal: { kind: 'at_most', value: 20, stretch: 12 },
      note: `the median of ${LOG_TURNS} turns, without whole pages`,
    });
  });
}

function measureEmbedded(): Promise<readonly Row[]> {
  return inFolder((folder) =>
    withStage(async (stage) => {
      const modules = { [UNRECORDED]: armModule(UNRECORDED), [BY_HAND]: armModule(BY_HAND) };
      const places = { [ENGINE]: `${folder}/engine`, [BY_HAND]: `${folder}/by-hand` };
      const arms = await openArms(stage.first, modules, places);
      try {
        say('running turns on the embedded database');
        const one = await runTurnAbout(stage, arms, ONE_EMBEDDED);
        await arms.others.get(BY_HAND)?.close();
        arms.others.delete(BY_HAND);
        say(`running turns of ${MANY} on the embedded database`);
        const many = await runTurnAbout(stage, arms, MANY_EMBEDDED);
        return [toRateRow(one), toTimeRow(ONE, one, 2.2), toTimeRow(MANY, many, 2.5)];
      } finally {
        await arms.close();
      }
    }),
  );
}

function toRateRow(compared: Compared): Row {
  return toRow({
    id: 'embedded_turns',
    what: 'turns/s on the embedded database, over a hand-written record',
    value: 1 / compared.ratio('ms', ENGINE, BY_HAND),
    unit: 'x',
    goal: { kind: 'at_least', value: 0.8, stretch: 1.2 },
    note: `${toPair(compared, 'ms', BY_HAND)} a turn; CPU ${renderNumber(compared.ratio('cpu_ms', ENGINE, BY_HAND))} x`,
  });
}

function toTimeRow(how: string, compared: Compared, goal: number): Row {
  const cpu = renderNumber(compared.ratio('cpu_ms', ENGINE, UNRECORDED));
  return toRow({
    id: `embedded_turn_time, ${how}`,
    what: `turn on the embedded database, over the same calls unrecorded, ${how}: time`,
    value: compared.ratio('ms', ENGINE, UNRECORDED),
    unit: 'x',
    goal: { kind: 'at_most', value: goal },
    note: `${toPair(compared, 'ms', UNRECORDED)} a turn; CPU ${cpu} x`,
  });
}
