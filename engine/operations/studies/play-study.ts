import type { PlayedWorld } from '../../ports/studies.js';
import type { Engine } from '../engine.js';
import { type PlaySettings, playWorld, type WorldEnd } from './play-world.js';

export interface StudyPlay extends PlaySettings {
  /** How many worlds are played at once. */
  readonly concurrency: number;
  readonly onEnd: (world: PlayedWorld, end: WorldEnd) => Promise<void>;
}

/**
 * Plays the worlds of a study, some at once, each as soon as the world that it continues has come far enough. One that
 * fails stays as it is, and the others go on.
 */
export async function playStudy(
  engine: Engine,
  worlds: readonly PlayedWorld[],
  { concurrency, onEnd, ...settings }: StudyPlay,
): Promise<readonly WorldEnd[]> {
  const inSlot = openSlots(concurrency);
  const ends = new Map<string, Promise<WorldEnd>>();
  for (const world of worlds) {
    const { world_slug, parent } = world;
    const before = parent === null ? undefined : ends.get(parent.world_slug);
    ends.set(world_slug, playAfter(before, world));
  }
  // One that threw, as of a lost database, waits for the others.
  const settled = await Promise.allSettled(ends.values());
  return settled.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });

  async function playAfter(before: Promise<WorldEnd> | undefined, world: PlayedWorld): Promise<WorldEnd> {
    const parent = await before;
    const turn = world.turn ?? 0;
    if (turn >= world.until_turn) return { state: 'done', turn, turns_played: 0 };
    if (parent !== undefined && world.parent !== null && parent.turn < world.parent.turn)
      return { state: 'unbegun', turn: 0, turns_played: 0 };
    return inSlot(async () => {
      if (settings.signal.aborted) return { state: 'stopped', turn, turns_played: 0 };
      const end = await playWorld(engine, world, settings);
      await onEnd(world, end);
      return end;
    });
  }
}

/** Lets so many tasks run at once; the others wait in the order in which they came. */
function openSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return async <Value>(task: () => Promise<Value>): Promise<Value> => {
    if (free === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    else free -= 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
