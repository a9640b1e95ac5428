import { once } from 'node:events';
import pg from 'pg';
import { v7 } from 'uuid';
import { runWorker, type WorkerEvent } from '../../../engine/operations/run-worker.js';
import { WAKEUP_CHANNEL } from '../../../engine/store/doorbell/bell.js';
import { openRoom, type Room } from '../growth/room.js';

/** Worlds of one agent with a generation a turn, one of which `run` drives, and the others workers of this process. */
export interface Queue {
  run(turns: number): Promise<void>;
  /** Deals turns out to the worlds: all at once, so that a worker begins none of them before the others are there. */
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
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  return {
    async run(turns) {
      for (let turn = 0; turn < turns; turn += 1) await room.turn();
    },
    async enqueue(turns) {
      await outside.query(ENQUEUE, [worlds, count, Array.from({ length: turns }, () => v7())]);
    },
    startWorker: (hands, onEvent = () => {}) => startWorker(room, hands, onEvent),
    close: async () => {
      await outside.end();
      await room.close();
    },
  };
}

/** The first turn of each world is to be taken up, and the others wait behind it. */
const ENQUEUE = `
  WITH dealt AS (
    INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, next_retry_at)
    SELECT ($1::text[])[1 + (place - 1) % $2::int], inbox_id, 'turn',
      CASE WHEN place <= $2 THEN 'pending'::inbox_status ELSE 'queued' END, CASE WHEN place <= $2 THEN now() END
    FROM unnest($3::uuid[]) WITH ORDINALITY AS row (inbox_id, place)
    RETURNING world_slug)
  SELECT pg_notify('${WAKEUP_CHANNEL}', world_slug) FROM dealt GROUP BY world_slug`;

async function startWorker({ engine }: Room, hands: number, onEvent: (event: WorkerEvent) => void): Promise<Worker> {
  const stop = new AbortController();
  const turns = new EventTarget();
  const seen = { committed: 0, failed: 0 };
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
        if (event.kind === 'turn_committed') seen.committed += 1;
        if (event.kind === 'turn_failed') seen.failed += 1;
        turns.dispatchEvent(new Event('turn'));
      },
    });
  });
  return {
    countCommitted: () => seen.committed,
    async reach(wanted) {
      while (seen.committed < wanted && seen.failed === 0) await once(turns, 'turn');
      if (seen.failed > 0) throw new Error('a queued turn failed');
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
