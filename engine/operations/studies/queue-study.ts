import { setTimeout } from 'node:timers/promises';
import type { WorldActivity } from '../../ports/browse.js';
import type { PlayedWorld } from '../../ports/studies.js';
import type { Engine } from '../engine.js';
import { queueTurns } from '../running/run-worker.js';
import { turnsLeft } from './plan-study.js';
import { makeWorld, type WorldEnd } from './play-world.js';
import { openTally, type StudyProgress } from './tally.js';

const LOOK_MS = 1_000;

/** What is to be known of the worlds of a study while workers play them. */
interface Surroundings {
  /** Worlds with turns in their queue. */
  readonly queued: ReadonlySet<string>;
  readonly newest: ReadonlyMap<string, WorldActivity>;
  readonly worlds: ReadonlyMap<string, PlayedWorld>;
}

/**
 * Leaves the turns of a study to the workers of its database: makes each world as soon as the one that it continues has
 * come far enough, queues the turns that it lacks, and waits. What is queued is played also where nobody waits any more.
 */
export async function queueStudy(
  engine: Engine,
  study_label: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: StudyProgress) => void },
): Promise<readonly WorldEnd[]> {
  const tally = await openTally(engine, await engine.store.studies.worlds(study_label));
  /** Those whose turns were queued here: a failure since then is the end of them. */
  const asked = new Set<string>();
  const told = new Set<string>();
  for (;;) {
    const surroundings = await look(engine, study_label);
    const worlds = [...surroundings.worlds.values()];
    const ends = worlds.map((world) => endOf(world, surroundings, asked));
    for (const [index, world] of worlds.entries()) {
      const { world_slug } = world;
      let end = ends[index] as WorldEnd;
      if (end.state === 'stopped' && !signal.aborted) {
        asked.add(world_slug);
        end = await queueWorld(engine, world, end);
        ends[index] = end;
      }
      if (told.has(world_slug) || (end.state !== 'done' && end.state !== 'failed')) continue;
      told.add(world_slug);
      onProgress(await tally(world, end));
    }
    // A world that has not begun waits for one that is under way; where none is, that one has failed.
    const isOver = ends.every(({ state }) => state === 'done' || state === 'failed' || state === 'unbegun');
    // A database that this process alone can open has no workers meanwhile.
    if (isOver || signal.aborted || engine.store.shared === undefined) return ends;
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Reads the queues before the attempts, and those before the turns: a turn that ends meanwhile is seen at least once. */
async function look({ store }: Engine, study_label: string): Promise<Surroundings> {
  const queues = await store.inbox.queues();
  const slugs = (await store.studies.worlds(study_label)).map(({ world_slug }) => world_slug);
  const activity = await store.browse.activity(slugs);
  const worlds = await store.studies.worlds(study_label);
  return {
    queued: new Set(queues.map(({ world_slug }) => world_slug)),
    newest: new Map(activity.map((one) => [one.world_slug, one])),
    worlds: new Map(worlds.map((world) => [world.world_slug, world])),
  };
}

/** `stopped`: its turns are to be queued. */
function endOf(world: PlayedWorld, { queued, newest, worlds }: Surroundings, asked: ReadonlySet<string>): WorldEnd {
  const { world_slug, parent } = world;
  const at = { turn: world.turn ?? 0, turns_played: 0 };
  if (turnsLeft(world) === 0) return { state: 'done', ...at };
  if (parent !== null && (worlds.get(parent.world_slug)?.turn ?? -1) < parent.turn) return { state: 'unbegun', ...at };
  if (queued.has(world_slug)) return { state: 'elsewhere', ...at };
  const { status, failure_class } = newest.get(world_slug) ?? {};
  if (status === 'running') return { state: 'elsewhere', ...at };
  if (status === 'suspended') return { state: 'waits', ...at };
  if (status !== 'failed' || !asked.has(world_slug)) return { state: 'stopped', ...at };
  return { state: 'failed', ...at, because: { code: failure_class ?? '', message: `chukwa attempts ${world_slug}` } };
}

async function queueWorld(engine: Engine, world: PlayedWorld, end: WorldEnd): Promise<WorldEnd> {
  const made = await makeWorld(engine, world);
  const turns = made.ok ? world.until_turn - made.value.turn : 0;
  const queued = made.ok && turns > 0 ? await queueTurns(engine, { world_slug: world.world_slug, turns }) : made;
  if (queued.ok) return { ...end, state: 'elsewhere' };
  const [{ code, message } = { code: '', message: '' }] = queued.problems;
  return { ...end, state: 'failed', because: { code, message } };
}
