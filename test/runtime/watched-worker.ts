import type { TestContext } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Claimed, ClaimRequest } from '../../engine/ports/claim.js';
import type { Glance, Inbox } from '../../engine/ports/inbox.js';
import { runWorker } from '../../engine/runtime/worker/run-worker.js';
import type { WorkerEvent } from '../../engine/runtime/worker/worker-event.js';
import type { Drive, DriveEnd, WorkerParts } from '../../engine/runtime/worker/worker-parts.js';

export const NOTHING: Glance = { is_due: false, is_expired: false, is_lapsing: false };

export interface Watched {
  readonly events: WorkerEvent[];
  readonly claims: ClaimRequest[];
  readonly driven: string[];
  /** How often the worker has looked into its inbox. */
  readonly looks: () => number;
  /** Lets time pass, with all consequences. */
  readonly pass: (ms: number) => Promise<void>;
  /** Asks it to stop, and lets all follow that needs no time. */
  readonly stop: () => Promise<void>;
}

interface Surroundings {
  readonly seen?: () => Glance;
  readonly inbox?: Partial<Inbox>;
  readonly parts?: Partial<WorkerParts>;
}

/** A worker whose time passes by hand, on an inbox with fixed answers. */
export async function watchWorker(
  t: TestContext,
  { seen = () => NOTHING, inbox = {}, parts = {} }: Surroundings,
): Promise<Watched> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const events: WorkerEvent[] = [];
  const claims: ClaimRequest[] = [];
  const driven: string[] = [];
  const stopping = new AbortController();
  let [now, looks] = [0, 0];
  const drive: Drive = async ({ world_slug }) => {
    driven.push(world_slug);
    return { kind: 'not_asked_for' };
  };
  const all: Partial<Inbox> = {
    glance: async () => {
      looks += 1;
      return seen();
    },
    tidy: async () => ({ promoted: 0, consumed: 0 }),
    lapsed: async () => [],
    claim: async (request) => {
      claims.push(request);
      return [];
    },
    ...inbox,
  };
  const working = runWorker(
    {
      inbox: all as Inbox,
      doorbell: openProcessDoorbell(),
      clock: { now: () => now, uuid: () => 'id' },
      jitter: () => 0,
      drive,
      expireCalls: async () => 0,
      findFault: () => undefined,
      onEvent: (event) => void events.push(event),
      ...parts,
    },
    { concurrency: 2, grace_ms: 0 },
    stopping.signal,
  );
  t.after(async () => {
    stopping.abort();
    await working;
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await pause();
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await settle();
  };
  await settle();
  return { events, claims, driven, looks: () => looks, pass, stop };
}

/** A turn of a world, as it is claimed. */
export const toClaimed = (world_slug: string): Claimed => {
  return { world_slug, inbox_id: `message to ${world_slug}`, message_type: 'turn', retry_count: 0, waited_ms: 0 };
};

/** Drives that end by hand, and the requests of those that have begun. */
export function holdDrives() {
  const requests = new Map<string, Parameters<Drive>[0]>();
  const ends = new Map<string, (end: DriveEnd) => void>();
  const drive: Drive = (request) => {
    requests.set(request.world_slug, request);
    return new Promise((resolve) => ends.set(request.world_slug, resolve));
  };
  const end = (world_slug: string, as: DriveEnd = { kind: 'not_asked_for' }): void => ends.get(world_slug)?.(as);
  return { requests, drive, end };
}

/** An inbox in which turns of these worlds are due, each once. */
export function claimsOf(...worlds: readonly string[]): Inbox['claim'] {
  const due = worlds.map(toClaimed);
  return async ({ most }) => due.splice(0, most);
}
