import type { WorldQueue } from '../../ports/inbox.js';
import type { Archive } from '../engine.js';

export type QueuedTurns = Omit<WorldQueue, 'world_slug'>;

/** The queued turns of a world that have no attempt yet. */
export async function findQueue({ store }: Archive, world_slug: string): Promise<QueuedTurns> {
  return toQueued(await store.inbox.queues(world_slug), world_slug);
}

/** The queue of one world out of many. */
export function toQueued(queues: readonly WorldQueue[], world_slug: string): QueuedTurns {
  const queue = queues.find((one) => one.world_slug === world_slug);
  return { queued_turns: queue?.queued_turns ?? 0, put_off: queue?.put_off ?? null };
}

/** Turns that have been queued. */
export interface QueueReport {
  readonly world: string;
  readonly queued: number;
  /** The messages, in queue order. */
  readonly inbox_ids: readonly string[];
  /** The length of the world's queue, with these turns. */
  readonly waiting: number;
}
