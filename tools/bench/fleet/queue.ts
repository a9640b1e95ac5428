import { v7 } from 'uuid';
import { runWorker, type WorkerEvent } from '../../../engine/operations/run-worker.js';
import { openRoom, type Room } from '../growth/room.js';

/** Worlds of one agent with a generation a turn, one of which `run` drives, and the others a worker of this process. */
interface Queue {
  run(turns: number): Promise<void>;
  /** Deals turns out to the worlds. */
  enqueue(turns: number): Promise<void>;
  /** Works until all of it is done. @param hands how many turns are driven at a time */
  work(hands: number, onEvent?: (event: WorkerEvent) => void): Promise<void>;
  close(): Promise<void>;
}

/** Makes the worlds. Close it. */
export async function openQueue(url: string, name: string, count: number): Promise<Queue> {
  const room = await openRoom(url, name);
  const { scenario_hash, engine } = room;
  const about = { scenario_hash, start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };
  const worlds = Array.from({ length: count }, (_none, index) => `${name}-${index}`);
  for (const world_slug of worlds) await engine.store.worlds.create({ world_slug, ...about });
  let queued = 0;
  return {
    async run(turns) {
      for (let turn = 0; turn < turns; turn += 1) await room.turn();
    },
    async enqueue(turns) {
      for (const [index, world_slug] of worlds.entries()) {
        const length = Math.floor(turns / count) + (index < turns % count ? 1 : 0);
        const inbox_ids = Array.from({ length }, () => v7());
        if (length > 0) await engine.store.inbox.enqueueTurns({ world_slug, inbox_ids });
      }
      queued += turns;
    },
    async work(hands, onEvent = () => {}) {
      await work(room, { turns: queued, hands, onEvent });
      queued = 0;
    },
    close: () => room.close(),
  };
}

interface Shift {
  readonly turns: number;
  readonly hands: number;
  readonly onEvent: (event: WorkerEvent) => void;
}

async function work({ engine }: Room, { turns, hands, onEvent }: Shift): Promise<void> {
  const stop = new AbortController();
  let committed = 0;
  await runWorker(engine, {
    concurrency: hands,
    grace_ms: 10_000,
    lease_ms: 30_000,
    signal: stop.signal,
    onReady: () => {},
    onEvent: (event) => {
      onEvent(event);
      if (event.kind === 'turn_committed') committed += 1;
      if (committed === turns) stop.abort();
      if (event.kind === 'turn_failed') throw new Error('a queued turn failed');
    },
  });
}
