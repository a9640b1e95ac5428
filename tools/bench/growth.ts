import { once } from 'node:events';
import type pg from 'pg';
import { v7 } from 'uuid';
import { makeConversation } from '../../test/store/long-conversations.js';
import { toQuery } from '../../test/store/recall.js';
import { copyRows } from './copies.js';
import { renderNumber, type Row } from './figures.js';
import { type Cost, median, say, spend } from './measures.js';
import { agentId, type Scene, writeScene } from './scene.js';
import { open as openServices } from './services.js';
import {
  connect,
  makeFolder,
  onStage,
  openServer,
  type Running,
  type Stage,
  startProgram,
  type Variables,
} from './stage.js';
import { timeSubjects } from './subjects.js';
import { openWorlds, type Worlds } from './worlds.js';

const ENTITIES = [10, 100, 1_000, 10_000, 100_000];
const MEMORIES = [1, 10, 100, 1_000, 10_000, 100_000];
const SEARCHED = [600, 50_000];
const TOOL_CALLS = [1, 2, 5, 10, 20, 50];
const TURNS = [10, 100, 1_000, 10_000];
const SUBJECTS = [1, 10, 100, 1_000, 10_000];
const WORLDS = [1, 10, 100, 1_000, 10_000];
const CALLS = [1_000, 10_000, 100_000, 1_000_000, 5_000_000];

/** Fresh rows are not in memory yet, and their pages are still to be written. */
const WARM_UP = 20;
const MEASURED = 31;
const MEASURED_UNKNOWN = 5;

/** Of worlds that are made past all that making one does. */
const MADE = { start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };

/** How the time and the CPU of a turn grow: with its world, its past, itself, workers, and all that is stored. */
export async function measureGrowth(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const traceFamily of [traceTurns, traceSearches, traceSubjects, traceFleet, traceStored])
    rows.push(...(await onStage(async (stage) => traceFamily(await (await openServer(stage))('growth')))));
  return rows;
}

/** A figure, and the CPU of it: engine, services and database. */
interface Measured {
  readonly y: number;
  readonly cpu_ms: number;
}

interface Curve {
  readonly id: string;
  /** The measured figure. */
  readonly title: string;
  /** The quantity that grows. */
  readonly over: string;
  /** Of the figure; milliseconds, where there is none. */
  readonly unit?: 'turns/s' | 's';
}

async function trace(curve: Curve, sizes: readonly number[], measure: (size: number) => Promise<Measured>) {
  const points: Point[] = [];
  for (const x of sizes) {
    say(`${curve.title}: ${x.toLocaleString('en')} ${curve.over}`);
    points.push({ x, ...(await measure(x)) });
  }
  return toGrowthRow(curve, points);
}

interface Point extends Measured {
  readonly x: number;
}

/** The figure is the growth of the CPU from the first point to the last; the note has every point. */
function toGrowthRow({ id, title, over, unit }: Curve, points: readonly Point[]): Row {
  const said = points.map(
    ({ x, y, cpu_ms }) =>
      `${x.toLocaleString('en')}: ${renderNumber(y)} ${unit ?? 'ms'}, ${renderNumber(cpu_ms)} ms of CPU`,
  );
  const [first, last] = [points[0], points.at(-1)];
  return {
    id: `growth_${id}`,
    what: `${title}, CPU over ${over}: ${last?.x.toLocaleString('en')} over ${first?.x.toLocaleString('en')}`,
    value: (last?.cpu_ms ?? Number.NaN) / (first?.cpu_ms ?? Number.NaN),
    unit: 'x',
    note: said.join('; '),
  };
}

const cpuOf = ({ cpu_ms, others_ms, database_ms }: Cost): number => cpu_ms + others_ms + database_ms;

/** Does something a number of times. @returns the median of the times, and the mean of the CPU */
async function measureTimes(database: pg.Client, count: number, task: () => Promise<unknown>): Promise<Measured> {
  const times: number[] = [];
  const cost = await spend(
    async () => {
      for (let index = 0; index < count; index += 1) times.push((await spend(task)).ms);
    },
    count,
    { database },
  );
  return { y: median(times), cpu_ms: cpuOf(cost) };
}

/** A world of one agent in a room, with its services in this process. */
interface Room {
  readonly worlds: Worlds;
  readonly variables: Variables;
  readonly database: pg.Client;
  turn(is_known?: boolean): Promise<void>;
}

function inRoom<Value>(
  url: string,
  slug: string,
  size: Omit<Scene, 'places'>,
  task: (room: Room) => Promise<Value>,
): Promise<Value> {
  const scene = { places: ['room'], ...size };
  return onStage(async (stage) => {
    const played = await writeScene(await makeFolder(stage), scene);
    const services = await openServices(JSON.stringify(scene));
    stage.after(() => services.close?.());
    const variables = { ...(services.first as Variables), CHUKWA_DATABASE_URL: url };
    const worlds = await openWorlds(stage, variables, played, [slug]);
    const database = await connect(stage, url);
    return task({ worlds, variables, database, turn: (is_known) => worlds.turn(slug, is_known) });
  });
}

async function timeTurns({ turn, database }: Room, warm_up = WARM_UP): Promise<Measured> {
  for (let count = 0; count < warm_up; count += 1) await turn();
  return measureTimes(database, MEASURED, turn);
}

async function timeUnknown({ turn, database }: Room): Promise<Measured> {
  for (let count = 0; count < 2; count += 1) await turn();
  return measureTimes(database, MEASURED_UNKNOWN, () => turn(false));
}

/** The cost of a turn that calls one agent, over the size of its world, of the turn itself and of its past. */
async function traceTurns(url: string): Promise<readonly Row[]> {
  const of = (name: string, toSize: (size: number) => Omit<Scene, 'places'>, measure = timeTurns) => {
    return (size: number): Promise<Measured> => inRoom(url, `${name}-${size}`, toSize(size), (room) => measure(room));
  };
  const ofEntities = (entities: number) => ({ entities });
  const [over, memories] = ['entities', 'memories of the agent'];
  const read = { id: 'entities_read', title: 'a turn, the world read first', over };
  const rounds = { id: 'rounds', title: 'a round of generation and tool', over: 'tool calls in a turn' };
  return [
    await trace({ id: 'entities', title: 'a turn', over }, ENTITIES, of('e', ofEntities)),
    await trace(read, ENTITIES, of('er', ofEntities, timeUnknown)),
    await trace(
      { id: 'memories', title: 'a turn', over: memories },
      MEMORIES,
      of('m', (count) => ({ memories: count })),
    ),
    await trace(rounds, TOOL_CALLS, async (tool_calls) => {
      const { y, cpu_ms } = await inRoom(url, `r-${tool_calls}`, { tool_calls }, (room) => timeTurns(room));
      return { y: y / (tool_calls + 1), cpu_ms: cpu_ms / (tool_calls + 1) };
    }),
    await inRoom(url, 'long', {}, (room) => {
      let turn = 0;
      return trace({ id: 'turns', title: 'a turn', over: 'turns before it' }, TURNS, async (before) => {
        const measured = await timeTurns(room, before - turn);
        turn = before + MEASURED;
        return measured;
      });
    }),
  ];
}

/** The cost of a search among the memories of an agent, over how many there are. */
function traceSearches(url: string): Promise<readonly Row[]> {
  return inRoom(url, 'searching', {}, async ({ worlds: { engine, scenario_hash }, database }) => {
    const curve = { id: 'search', title: 'a search', over: 'memories of the agent' };
    const row = await trace(curve, SEARCHED, async (size) => {
      const { memories, questions } = makeConversation(size, size);
      const world_slug = `searched-${size}`;
      const memory = memories.map((content, index) => ({ turn: index + 1, content }));
      const about = { id: agentId(0), name: 'Agent', kind: 'agent', environment: 'room', state: 'idle' } as const;
      const environments = ['room', 'yard'].map((label) => ({ label, content: 'A place.' }));
      const world = { ...MADE, world_slug, scenario_hash, turn: memory.length, environments };
      await engine.store.worlds.plant({ ...world, entities: [{ ...about, memory }] });
      let asked = 0;
      const search = () => {
        const { text = '' } = questions[(asked += 1) % questions.length] ?? {};
        return engine.store.attempts.retrieve({ world_slug }, toQuery(text, { entity_id: agentId(0), neighbours: 1 }));
      };
      // The first search indexes all of them.
      await search();
      return measureTimes(database, MEASURED, search);
    });
    return [row];
  });
}

async function traceSubjects(url: string): Promise<readonly Row[]> {
  const curve = { id: 'subjects', title: 'a turn, models of 200 ms', over: 'concurrent subjects', unit: 's' } as const;
  const row = await trace(curve, SUBJECTS, async (subjects) => {
    const { ms, cpu_ms } = await timeSubjects(url, subjects, subjects > 1_000 ? 2 : 5);
    return { y: ms / 1000, cpu_ms };
  });
  return [row];
}

/** Turns that are queued, dealt out to the worlds in turn. */
const QUEUED = 400;
const CONCURRENCY = 8;
const LOOK_MS = 20;

/** Turns a second of a worker in a process of its own, over how many worlds there are. */
function traceFleet(url: string): Promise<readonly Row[]> {
  return inRoom(url, 'first', {}, async (room) => {
    const { engine, scenario_hash } = room.worlds;
    const made: string[] = [];
    const rate = { id: 'worlds', title: 'a queued turn', unit: 'turns/s', over: 'worlds' } as const;
    const row = await trace(rate, WORLDS, async (count) => {
      for (; made.length < count; made.push(`world-${made.length}`))
        await engine.store.worlds.create({ ...MADE, world_slug: `world-${made.length}`, scenario_hash });
      return onStage((stage) => timeQueue(stage, room, made.slice(0, count)));
    });
    return [row];
  });
}

/** Queues turns, and lets a worker do them that has begun to work. @returns turns a second */
async function timeQueue(stage: Stage, room: Room, worlds: readonly string[]): Promise<Measured> {
  const { pid = 0 } = await startWorker(stage, room.variables);
  await doQueued(room, worlds.slice(0, CONCURRENCY), CONCURRENCY);
  const watched = { processes: [pid], database: room.database };
  const cost = await spend(() => doQueued(room, worlds, QUEUED), QUEUED, watched);
  return { y: 1000 / cost.ms, cpu_ms: cpuOf(cost) };
}

async function startWorker(stage: Stage, variables: Variables): Promise<Running> {
  const worker = startProgram(['worker', '--concurrency', String(CONCURRENCY), '--json'], variables);
  stage.after(() => {
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    return gone;
  });
  await once(worker.stdout, 'data');
  worker.stdout.resume();
  return worker;
}

/** Queues so many turns over the worlds, and waits until they are done. */
async function doQueued({ worlds: { engine }, database }: Room, worlds: readonly string[], turns: number) {
  const busy = worlds.slice(0, turns);
  // Those of these worlds alone: looking at all would cost the more, the more there are.
  const countTurns = async (): Promise<number> => {
    const text = 'SELECT coalesce(sum(turn), 0)::int AS count FROM worlds WHERE world_slug = ANY($1)';
    return (await database.query<{ count: number }>(text, [busy])).rows[0]?.count ?? 0;
  };
  const done = (await countTurns()) + turns;
  for (const [index, world_slug] of busy.entries()) {
    const count = Math.floor(turns / busy.length) + (index < turns % busy.length ? 1 : 0);
    await engine.store.inbox.enqueueTurns({ world_slug, inbox_ids: Array.from({ length: count }, () => v7()) });
  }
  while ((await countTurns()) < done) await new Promise((resume) => setTimeout(resume, LOOK_MS));
}

/** Of the world that is copied: one a turn. */
const FIRST_CALLS = 10;
const TABLES = ['attempts', 'source_invocations', 'llm_calls'];

/** The cost of a turn and of a list of calls, over how many calls the database holds. */
async function traceStored(url: string): Promise<readonly Row[]> {
  await inRoom(url, 'stored', {}, async ({ turn }) => {
    for (let count = 0; count < FIRST_CALLS; count += 1) await turn();
  });
  return inRoom(url, 'played', {}, async (room) => {
    const { worlds, database } = room;
    let stored = FIRST_CALLS;
    const lists: Point[] = [];
    const over = 'calls in the database';
    const turns = await trace({ id: 'stored_turn', title: 'a turn', over }, CALLS, async (x) => {
      await copyRows(database, 'stored', TABLES, [stored / FIRST_CALLS, x / FIRST_CALLS - 1]);
      stored = x;
      await database.query('ANALYZE');
      await database.query('CHECKPOINT');
      const measured = await timeTurns(room);
      const list = () => worlds.engine.store.browse.invocations({ limit: 50 });
      lists.push({ x, ...(await measureTimes(database, MEASURED, list)) });
      return measured;
    });
    return [turns, toGrowthRow({ id: 'stored_list', title: 'the newest fifty calls', over }, lists)];
  });
}
