import type { Cost } from '../../core/cost/cost.js';
import type { PlayedWorld } from '../../ports/studies.js';
import type { Archive } from '../engine.js';
import { readCosts } from '../costs/read-cost.js';
import { isRun, turnsLeft } from './plan-study.js';
import type { Reason, WorldEnd } from './play-world.js';

/** How far a study has come. */
export interface StudyProgress {
  readonly runs: number;
  readonly runs_done: number;
  readonly runs_failed: number;
  readonly tokens: number;
  readonly usd: number | null;
  /** How long the rest takes if it goes on so; null where nothing was played yet. */
  readonly left_ms: number | null;
  /** The world that has just failed, and why. */
  readonly failed?: { readonly world_slug: string; readonly because: Reason };
}

/** Counts what was done before, and then each world that ends. */
export async function openTally(engine: Archive, worlds: readonly PlayedWorld[]) {
  const began = Date.now();
  const runs = worlds.filter(isRun);
  const costs = new Map<string, Cost>();
  await addCosts(worlds.filter(({ turn }) => turn !== null));
  let turns_left = worlds.reduce((sum, world) => sum + turnsLeft(world), 0);
  let [turns_played, runs_failed] = [0, 0];
  let runs_done = runs.filter((world) => turnsLeft(world) === 0).length;
  return async (world: PlayedWorld, end: WorldEnd): Promise<StudyProgress> => {
    turns_played += end.turns_played;
    turns_left -= turnsLeft(world);
    if (isRun(world) && end.state === 'done') runs_done += 1;
    if (isRun(world) && end.state === 'failed') runs_failed += 1;
    await addCosts([world]);
    const used = [...costs.values()];
    const priced = used.flatMap(({ usd }) => usd ?? []);
    return {
      runs: runs.length,
      runs_done,
      runs_failed,
      tokens: used.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0),
      usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
      left_ms: turns_played === 0 ? null : ((Date.now() - began) / turns_played) * turns_left,
      ...(end.because === undefined ? {} : { failed: { world_slug: world.world_slug, because: end.because } }),
    };
  };

  async function addCosts(some: readonly PlayedWorld[]): Promise<void> {
    const world_slugs = some.map(({ world_slug }) => world_slug);
    if (world_slugs.length === 0) return;
    const costOf = await readCosts(engine, { of: 'worlds', world_slugs });
    for (const slug of world_slugs) costs.set(slug, costOf(slug));
  }
}
