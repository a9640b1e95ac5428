import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import { v7 } from 'uuid';
import { startLoopbackServer } from '../../fixtures/toys/loopback-server.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { withClient, withDatabases } from './databases.js';
import { inFolder, type Scene, toAnswers, writeScene } from './documents.js';
import { median, say, type Spent, spendCpu } from './measures.js';
import { renderNumber, type Row, toRow } from './row.js';
import { timeSubjects } from './subjects/measure.js';
import { openWorlds, type Variables, type Worlds } from './worlds.js';

const ENTITIES = [10, 100, 1_000, 10_000, 100_000];
const MEMORIES = [1, 10, 100, 1_000, 10_000, 100_000];
const TOOL_CALLS = [1, 2, 5, 10, 20, 50];
const TURNS = [10, 100, 1_000, 10_000];
const SUBJECTS = [1, 10, 100, 1_000, 10_000];
const WORLDS = [1, 10, 100, 1_000, 10_000];
const WORKERS = [1, 2, 3, 4];
const CALLS = [1_000, 10_000, 100_000, 1_000_000, 5_000_000];

/** Fresh rows are not in memory yet, and their pages are still to be written. */
const WARM_UP = 20;
const MEASURED = 31;
const MEASURED_UNKNOWN = 5;

/**
 * How the time and the CPU of a turn grow: with its world, its past, itself, workers, and all that is stored.
 * @param program the compiled program
 */
export async function measureGrowth(program: string): Promise<readonly Row[]> {
  const families = [traceTurns, traceSubjects, (url: string) => traceFleet(program, url), traceStored];
  const rows: Row[] = [];
  for (const trace of families) rows.push(...(await withDatabases(async (make) => trace(await make('growth')))));
  return rows;
}

/** A figure, and the CPU of it: engine, services and database. */
interface Measured {
  readonly y: number;
  readonly cpu_ms: number;
}

interface Point extends Measured {
  readonly x: number;
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

/** The figure is the growth of the CPU from the first point to the last; the note has every point. */
function toGrowthRow({ id, title, over, unit }: Curve, points: readonly Point[]): Row {
  const said = points.map(
    ({ x, y, cpu_ms }) =>
      `${x.toLocaleString('en')}: ${renderNumber(y)} ${unit ?? 'ms'}, ${renderNumber(cpu_ms)} ms of CPU`,
  );
  return toRow({
    id: `growth_${id}`,
    what: `${title}, CPU over ${over}: ${points.at(-1)?.x.toLocaleString('en')} over ${points[0]?.x.toLocaleString('en')}`,
    value: (points.at(-1)?.cpu_ms ?? Number.NaN) / (points[0]?.cpu_ms ?? Number.NaN),
    unit: 'x',
    note: said.join('; '),
  });
}

const sumOf = ({ own, others, database }: Spent): number => own + others + database;

/** Does something a number of times. @returns the median of the times, and the mean of the CPU */
async function measureTimes(outside: pg.Client, count: number, task: () => Promise<unknown>): Promise<Measured> {
  const { value: times, spent } = await spendCpu(outside, [], async () => {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const began = performance.now();
      await task();
      times.push(performance.now() - began);
    }
    return times;
  });
  return { y: median(times), cpu_ms: sumOf(spent) / count };
}

/** A world of one agent in a room, with its services in this process. */
interface Room {
  readonly worlds: Worlds;
  readonly services: Variables;
  readonly outside: pg.Client;
}

function withRoom<Value>(
  url: string,
  slug: string,
  size: Omit<Scene, 'places'>,
  task: (room: Room) => Promise<Value>,
): Promise<Value> {
  const scene = { places: ['room'], ...size };
  return inFolder(async (folder) => {
    await writeScene(folder, scene);
    const model = await startScriptedModel(toAnswers(scene));
    const bell = await startLoopbackServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end('{"sound":"ding"}');
    });
    const access = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
    const services = { ...access, CHUKWA_BELL_URL: bell.url };
    const played = { folder, scenario: 'scenario.json', world_slugs: [slug] };
    const worlds = await openWorlds({ CHUKWA_DATABASE_URL: url }, services, played);
    try {
      return await withClient(url, (outside) => task({ worlds, services, outside }));
    } finally {
      await worlds.close();
      await model.close();
      await bell.close();
    }
  });
}

async function timeTurns({ worlds, outside }: Room, warm_up = WARM_UP): Promise<Measured> {
  for (let turn = 0; turn < warm_up; turn += 1) await worlds.turn();
  return measureTimes(outside, MEASURED, () => worlds.turn());
}

async function timeUnknown({ worlds, outside }: Room): Promise<Measured> {
  for (let turn = 0; turn < 2; turn += 1) await worlds.turn();
  return measureTimes(outside, MEASURED_UNKNOWN, () => worlds.turn(0, false));
}

/** The cost of a turn that calls one agent, over the size of its world, of the turn itself and of its past. */
async function traceTurns(url: string): Promise<readonly Row[]> {
  const inRoom =
    (name: string, toSize: (size: number) => Omit<Scene, 'places'>, measure: (room: Room) => Promise<Measured>) =>
    (size: number): Promise<Measured> =>
      withRoom(url, `${name}-${size}`, toSize(size), measure);
  const ofEntities = (entities: number) => ({ entities });
  const over = 'entities';
  const read = { id: 'entities_read', title: 'a turn, the world read first', over };
  const rounds = { id: 'rounds', title: 'a round of generation and tool', over: 'tool calls in a turn' };
  return [
    await trace({ id: 'entities', title: 'a turn', over }, ENTITIES, inRoom('e', ofEntities, timeTurns)),
    await trace(read, ENTITIES, inRoom('er', ofEntities, timeUnknown)),
    await trace(
      { id: 'memories', title: 'a turn', over: 'memories of the agent' },
      MEMORIES,
      inRoom('m', (memories) => ({ memories }), timeTurns),
    ),
    await trace(rounds, TOOL_CALLS, async (tool_calls) => {
      const { y, cpu_ms } = await withRoom(url, `r-${tool_calls}`, { tool_calls }, timeTurns);
      return { y: y / (tool_calls + 1), cpu_ms: cpu_ms / (tool_calls + 1) };
    }),
    await withRoom(url, 'long', {}, (room) => {
      let turn = 0;
      return trace({ id: 'turns', title: 'a turn', over: 'turns before it' }, TURNS, async (before) => {
        const measured = await timeTurns(room, before - turn);
        turn = before + MEASURED;
        return measured;
      });
    }),
  ];
}

async function traceSubjects(url: string): Promise<readonly Row[]> {
  const curve = { id: 'subjects', title: 'a turn, models of 200 ms', over: 'concurrent subjects', unit: 's' } as const;
  const row = await trace(curve, SUBJECTS, async (subjects) => {
    const { seconds, cpu_seconds } = await timeSubjects(url, subjects, subjects > 1_000 ? 2 : 5);
    return { y: median(seconds), cpu_ms: median(cpu_seconds) * 1000 };
  });
  return [row];
}

/** Turns that are queued, dealt out to the worlds in turn. */
const QUEUED = 400;
const CONCURRENCY = 8;
const WORLDS_OF_WORKERS = 64;
const LOOK_MS = 20;

/** Turns a second of workers in processes of their own, over how many workers there are, and how many worlds. */
function traceFleet(program: string, url: string): Promise<readonly Row[]> {
  return withRoom(url, 'first', {}, async (room) => {
    const made: string[] = [];
    const time = async (worlds: number, workers: number): Promise<Measured> => {
      const about = { start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };
      for (; made.length < worlds; made.push(`world-${made.length}`)) {
        const world = { ...about, world_slug: `world-${made.length}`, scenario_hash: room.worlds.scenario_hash };
        await room.worlds.engine.store.worlds.create(world);
      }
      return timeQueue(room, made.slice(0, worlds), () => startWorker(program, url, room.services), workers);
    };
    const rate = { title: 'a queued turn', unit: 'turns/s' } as const;
    return [
      await trace({ id: 'workers', over: 'workers', ...rate }, WORKERS, (count) => time(WORLDS_OF_WORKERS, count)),
      await trace({ id: 'worlds', over: 'worlds', ...rate }, WORLDS, (count) => time(count, 1)),
    ];
  });
}

/** Queues turns, and lets workers do them that have begun to work. @returns turns a second */
async function timeQueue(
  room: Room,
  worlds: readonly string[],
  start: () => Promise<ChildProcess>,
  count: number,
): Promise<Measured> {
  const workers = await Promise.all(Array.from({ length: count }, start));
  try {
    await doQueued(room, worlds.slice(0, CONCURRENCY), CONCURRENCY * count);
    const pids = workers.map(({ pid }) => pid ?? 0);
    const began = performance.now();
    const { spent } = await spendCpu(room.outside, pids, () => doQueued(room, worlds, QUEUED));
    return { y: (QUEUED / (performance.now() - began)) * 1000, cpu_ms: sumOf(spent) / QUEUED };
  } finally {
    for (const worker of workers) {
      const gone = once(worker, 'exit');
      worker.kill('SIGKILL');
      await gone;
    }
  }
}

async function startWorker(program: string, url: string, services: Variables): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, 'worker', '--concurrency', String(CONCURRENCY), '--json'], {
    env: { ...process.env, ...services, CHUKWA_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  worker.stdout.resume();
  return worker;
}

/** Queues so many turns over the worlds, and waits until they are done. */
async function doQueued({ worlds: { engine }, outside }: Room, worlds: readonly string[], turns: number) {
  const busy = worlds.slice(0, turns);
  // Those of these worlds alone: looking at all would cost the more, the more there are.
  const countTurns = async (): Promise<number> => {
    const text = 'SELECT coalesce(sum(turn), 0)::int AS count FROM worlds WHERE world_slug = ANY($1)';
    return (await outside.query<{ count: number }>(text, [busy])).rows[0]?.count ?? 0;
  };
  const done = (await countTurns()) + turns;
  for (const [index, world_slug] of busy.entries()) {
    const count = Math.floor(turns / busy.length) + (index < turns % busy.length ? 1 : 0);
    await engine.store.inbox.enqueueTurns({ world_slug, inbox_ids: Array.from({ length: count }, () => v7()) });
  }
  while ((await countTurns()) < done) await new Promise((resume) => setTimeout(resume, LOOK_MS));
}

/** Of the world whose calls are copied: one a turn. */
const FIRST_CALLS = 10;

/** The cost of a turn and of a list of calls, over how many calls the database holds. */
function traceStored(url: string): Promise<readonly Row[]> {
  return withRoom(url, 'stored', {}, async (room) => {
    const { worlds, outside } = room;
    for (let turn = 0; turn < FIRST_CALLS; turn += 1) await worlds.turn();
    let stored = FIRST_CALLS;
    const lists: Point[] = [];
    const over = 'calls in the database';
    const turns = await trace({ id: 'stored_turn', title: 'a turn', over }, CALLS, async (x) => {
      await copyCalls(outside, stored, x);
      stored = x;
      await outside.query('ANALYZE');
      await outside.query('CHECKPOINT');
      const measured = await timeTurns(room);
      const list = () => worlds.engine.store.browse.invocations({ limit: 50 });
      lists.push({ x, ...(await measureTimes(outside, MEASURED, list)) });
      return measured;
    });
    return [turns, toGrowthRow({ id: 'stored_list', title: 'the newest fifty calls', over }, lists)];
  });
}

/**
 * Copies the calls of the first world, with their attempts, into worlds that are not there otherwise. Triggers and foreign
 * keys are left out: only the size of tables and indexes is measured.
 */
async function copyCalls(outside: pg.Client, from: number, to: number): Promise<void> {
  await outside.query("SET session_replication_role = 'replica'");
  for (const table of ['attempts', 'source_invocations', 'llm_calls']) {
    const { rows } = await outside.query<{ columns: string }>(COLUMNS, [table]);
    const columns = rows[0]?.columns ?? '';
    await outside.query(toCopy(table, columns), [from / FIRST_CALLS, to / FIRST_CALLS - 1]);
  }
  await outside.query("SET session_replication_role = 'origin'");
}

const COLUMNS = `
  SELECT string_agg(quote_ident(attname), ', ') AS columns
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

/** Each copy has a world of its own; its ids are those of the first with the copy's number in their first digits. */
function toCopy(table: string, columns: string): string {
  const values = columns
    .split(', ')
    .map((column) => {
      if (column === 'world_slug') return "'copy-' || copy";
      if (['attempt_id', 'source_invocation_id', 'llm_call_id'].includes(column))
        return `overlay(${column}::text PLACING lpad(to_hex(copy), 8, '0') FROM 1 FOR 8)::uuid`;
      return `original.${column}`;
    })
    .join(', ');
  return `INSERT INTO ${table} (${columns})
    SELECT ${values} FROM ${table} original, generate_series($1::int, $2::int) copy
    WHERE world_slug = 'stored' AND attempt_id IN (
      SELECT attempt_id FROM attempts WHERE world_slug = 'stored' AND attempted_turn <= ${FIRST_CALLS})`;
}
