import { once } from 'node:events';
import { v7 } from 'uuid';
import { runWorker, type WorkerEvent } from '../../../engine/operations/run-worker.js';
import { openRoom, type Room } from '../growth/room.js';

/** Worlds of one agent with a generation a turn, one of which `run` drives, and the others workers of this process. */
export interface Queue {
  run(turns: number): Promise<void>;
  /** Deals turns out to the worlds. */
  enqueue(turns: number): Promise<void>;
  /** Starts a worker. @param hands how many turns it drives at a time @returns once it listens */
  startWorker(hands: number, onEvent?: (event: WorkerEvent) => void): Promise<Worker>;
  close(): Promise<void>;
}

/** A worker at work. Stop it. */
export interface Worker {
  /** How many turns it has committed. */
  countCommitted(): number;
  /** Waits until it has committed so many, from its start. */
  reach(committed: number): Promise<void>;
  stop(): Promise<void>;
}

/** Makes the worlds. Close it. */
export async function openQueue(url: string, name: string, count: number): Promise<Queue> {
  const room = await openRoom(url, name);
  const { scenario_hash, engine } = room;
  const about = { scenario_hash, start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };
  const worlds = Array.from({ length: count }, (_none, index) => `${name}-${index}`);
  for (const world_slug of worlds) await engine.store.worlds.create({ world_slug, ...about });
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
    },
    startWorker: (hands, onEvent = () => {}) => startWorker(room, hands, onEvent),
    close: () => room.close(),
  };
}

async function startWorker({ engine }: Room, hands: number, onEvent: (event: WorkerEvent) => void): Promise<Worker> {
  const stop = new AbortController();
  const turns = new EventTarget();
  let committed = 0;
  let broken: Error | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((onReady) => {
    ended = runWorker(engine, {
      concurrency: hands,
      grace_ms: 10_000,
      lease_ms: 30_000,
      signal: stop.signal,
      onReady: () => onReady(),
      onEvent: (event) => {
        onEvent(event);
        if (event.kind === 'turn_committed') committed += 1;
        if (event.kind === 'turn_failed') broken = new Error('a queued turn failed');
        turns.dispatchEvent(new Event('turn'));
      },
    });
  });
  return {
    countCommitted: () => committed,
    async reach(wanted) {
      while (committed < wanted && broken === undefined) await once(turns, 'turn');
      if (broken !== undefined) throw broken;
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
