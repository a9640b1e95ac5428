import { type Done, type Engine, succeed } from './engine.js';
import { unknownWorld } from './worlds.js';

export interface TakenBack {
  readonly world: string;
  readonly taken_back: number;
  /** The open attempt, which continues. */
  readonly under_way: string | null;
}

const TAKEN_BACK = 'it was cancelled on request';

/** Removes a world's queued turns that have no attempt yet; an open one continues. */
export async function takeBackTurns(engine: Engine, world_slug: string): Promise<Done<TakenBack>> {
  const taken_back = await engine.store.inbox.takeBack(world_slug, TAKEN_BACK);
  if (taken_back === undefined) return unknownWorld(engine, world_slug);
  const attempts = await engine.store.records.attempts(world_slug);
  const open = attempts.find(({ status }) => status === 'running' || status === 'suspended');
  return succeed({ world: world_slug, taken_back, under_way: open?.attempt_id ?? null });
}
