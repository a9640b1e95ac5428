import { type Helper, openHelper } from '../helper.js';
import { type Cost, median, readPeakMegabytes, say, timeBlock } from '../measures.js';
import { type Row, toRow } from '../row.js';
import { withStage } from '../stage.js';
import { openWorlds, PARK, type Worlds } from '../worlds.js';
import type { ReadersOrder } from './readers-process.js';
import { type Serving, whileServing } from './serving.js';

const READERS = [0, 1, 10] as const;
const MANY = 500;
const PLAN = { warm_up_rounds: 2, rounds: 10, turns: 30 };

interface Scene {
  readonly worlds: Worlds;
  readonly readers: Helper<ReadersOrder, unknown>;
  readonly serving: Serving;
  /** The page of the world that is played. */
  readonly path: string;
}

/**
 * The cost of a page's readers for the turns of its world: one process plays them, another serves the page, a third
 * reads it.
 */
export function measureLive(program: string, url: string): Promise<readonly Row[]> {
  const database = { CHUKWA_DATABASE_URL: url };
  return withStage(async (stage) => {
    const worlds = await openWorlds(database, stage.first, { ...PARK, world_slugs: ['live'] });
    const readers = await openHelper<ReadersOrder, unknown>(new URL('./readers-process.js', import.meta.url));
    try {
      return await whileServing(program, database, async (serving) => {
        const scene = { worlds, readers, serving, path: '/worlds/live' };
        say('playing turns before readers');
        return [...(await compareReaders(scene)), await measureMany(scene)];
      });
    } finally {
      await readers.close();
      await worlds.close();
    }
  });
}

/** Plays blocks of turns with each number of readers, turn about; which comes first moves on. */
async function compareReaders(scene: Scene): Promise<readonly Row[]> {
  const rounds: (readonly Cost[])[] = [];
  for (let round = 0; round < PLAN.warm_up_rounds + PLAN.rounds; round += 1) {
    const costs: Cost[] = [];
    for (let place = 0; place < READERS.length; place += 1) {
      const number = (round + place) % READERS.length;
      costs[number] = await playBefore(scene, READERS[number] ?? 0);
    }
    if (round >= PLAN.warm_up_rounds) rounds.push(costs);
  }
  return READERS.flatMap((readers, number) => {
    const pairs = rounds.map((costs) => ({ alone: costs[0], before: costs[number] }));
    return readers === 0 ? [] : toRows(readers, pairs as readonly Pair[]);
  });
}

interface Pair {
  readonly alone: Cost;
  readonly before: Cost;
}

function toRows(readers: number, pairs: readonly Pair[]): readonly Row[] {
  const what = `a turn before ${readers} ${readers === 1 ? 'reader' : 'readers'} over one before none`;
  const ratioOf = (part: keyof Cost): number => median(pairs.map(({ alone, before }) => before[part] / alone[part]));
  const meanOf = (side: keyof Pair, part: keyof Cost): string =>
    median(pairs.map((pair) => pair[side][part])).toFixed(1);
  return [
    toRow({
      id: `live_turn_cpu, ${readers}`,
      what: `${what}: CPU`,
      value: ratioOf('cpu_ms'),
      unit: 'x',
      goal: { kind: 'at_most', value: 1.05 },
      note: `${meanOf('before', 'cpu_ms')} ms over ${meanOf('alone', 'cpu_ms')} ms, of the process that plays it`,
    }),
    toRow({
      id: `live_turn_time, ${readers}`,
      what: `${what}: time`,
      value: ratioOf('ms'),
      unit: 'x',
      goal: { kind: 'at_most', value: 1.1 },
      note: `${meanOf('before', 'ms')} ms over ${meanOf('alone', 'ms')} ms; server and readers have the same cores`,
    }),
  ];
}

async function playBefore({ worlds, readers, serving, path }: Scene, number: number): Promise<Cost> {
  await readers.ask({ serving: { url: serving.url, token: serving.token }, path, readers: number, asks_again: true });
  return timeBlock({ rounds: PLAN.turns, at_once: 1 }, () => worlds.turn());
}

/** The memory of a server with many streams that tell the same world. */
async function measureMany({ worlds, readers, serving, path }: Scene): Promise<Row> {
  say(`playing turns before ${MANY} readers`);
  await readers.ask({ serving: { url: serving.url, token: serving.token }, path, readers: MANY, asks_again: false });
  await timeBlock({ rounds: PLAN.turns, at_once: 1 }, () => worlds.turn());
  return toRow({
    id: 'live_readers_memory',
    what: `a server with ${MANY} live readers: peak memory`,
    value: await readPeakMegabytes(serving.pid),
    unit: 'MB',
    goal: { kind: 'at_most', value: 300 },
    note: `${PLAN.turns} turns were told to all of them`,
  });
}
