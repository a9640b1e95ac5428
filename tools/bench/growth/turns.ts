import pg from 'pg';
import type { ProgressLine } from '../progress.js';
import { type Curve, type Measured, type Point, trace } from './curve.js';
import { measureTimes } from './measure-times.js';
import { openRoom, type Room, type RoomSize } from './room.js';

const ENTITIES = [10, 100, 1_000, 10_000, 100_000];
const MEMORIES = [1, 10, 100, 1_000, 10_000, 100_000];
const TOOL_CALLS = [1, 2, 5, 10, 20, 50];
const TURNS = [10, 100, 1_000, 10_000];

const WARM_UP = 10;
const MEASURED = 31;
const MEASURED_UNKNOWN = 5;

/** The cost of a turn that calls one agent, over the size of its world, of its past and of the turn itself. */
export async function traceTurns(url: string, progress: ProgressLine): Promise<readonly Curve[]> {
  const say = (text: string): void => progress.say(text);
  const inRoom = (name: string, toSize: (size: number) => RoomSize, measure: Measure) => {
    return (size: number) => useRoom(url, `${name}-${size}`, toSize(size), measure);
  };
  const ofEntities = (entities: number): RoomSize => ({ entities });
  const ofMemories = (memories: number): RoomSize => ({ memories });
  const over = { over: 'entities', unit: 'ms' } as const;
  return [
    await trace({ id: 'entities', title: 'a turn', ...over }, ENTITIES, inRoom('e', ofEntities, timeTurns), say),
    await trace(
      { id: 'entities_read', title: 'a turn, the world read first', ...over },
      ENTITIES,
      inRoom('er', ofEntities, timeUnknown),
      say,
    ),
    await trace(
      { id: 'memories', title: 'a turn', over: 'memories of the agent', unit: 'ms' },
      MEMORIES,
      inRoom('m', ofMemories, timeTurns),
      say,
    ),
    await trace(
      { id: 'rounds', title: 'a round of generation and tool', over: 'tool calls in a turn', unit: 'ms' },
      TOOL_CALLS,
      (tool_calls) =>
        useRoom(url, `r-${tool_calls}`, { tool_calls }, async (room, outside) => {
          const { y, cpu_ms = 0 } = await timeTurns(room, outside);
          return { y: y / (tool_calls + 1), cpu_ms: cpu_ms / (tool_calls + 1) };
        }),
      say,
    ),
    await useRoom(url, 'long', {}, (room, outside) => tracePast(room, outside, say)),
  ];
}

type Measure = (room: Room, outside: pg.Client) => Promise<Measured>;

async function useRoom<Value>(
  url: string,
  slug: string,
  size: RoomSize,
  measure: (room: Room, outside: pg.Client) => Promise<Value>,
): Promise<Value> {
  const room = await openRoom(url, slug, size);
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  try {
    return await measure(room, outside);
  } finally {
    await outside.end();
    await room.close();
  }
}

async function timeTurns(room: Room, outside: pg.Client): Promise<Measured> {
  for (let turn = 0; turn < WARM_UP; turn += 1) await room.turn();
  return measureTimes(outside, MEASURED, () => room.turn());
}

async function timeUnknown(room: Room, outside: pg.Client): Promise<Measured> {
  for (let turn = 0; turn < 2; turn += 1) await room.turn();
  return measureTimes(outside, MEASURED_UNKNOWN, () => room.turn(false));
}

async function tracePast(room: Room, outside: pg.Client, say: (text: string) => void): Promise<Curve> {
  const points: Point[] = [];
  let turn = 0;
  for (const x of TURNS) {
    say(`a turn: after ${x.toLocaleString('en')} turns of its world`);
    for (; turn < x; turn += 1) await room.turn();
    points.push({ x, ...(await measureTimes(outside, MEASURED, () => room.turn())) });
    turn += MEASURED;
  }
  return { id: 'turns', title: 'a turn', over: 'turns before it', unit: 'ms', points };
}
