import { backoffMs } from '../../core/inbox/backoff.js';
import type { Glance, Lapse } from '../../ports/inbox.js';
import { type Alarm, openAlarm } from './alarm.js';
import { doJob, type Job } from './do-job.js';
import type { WorkerParts, WorkerSettings } from './worker-parts.js';

// What several drivers have died of may be the attempt itself. It is driven alone, so that no other dies with it: a worker
// that sees such a one takes nothing else until its hands are free, and then it, unless another worker has.

// A worker looks into the inbox when a bell rings, when one of its attempts ends, and every second by itself: with all
// bells silent it is as late as that and misses nothing. It looks earlier where a lease of somebody else is about to end.
// A look that nobody called for is one statement, unless there is something to do.

/** How long nobody rang before a worker looks by itself; drivers that are gone are looked for as often. */
const LOOK_MS = 1_000;
/** Those who wait for the end of one lease come one after the other. */
const SPREAD_MS = 50;
const TIDY_MS = 30_000;
/** From a claim to the beginning of its attempt lies the compiling of a program, at most. */
const RESERVE_MS = 5_000;
const DATABASE_LOST = { first_ms: 500, most_ms: 15_000 };
/** An attempt that so many drivers have left is driven alone. */
const SUSPECT_TAKE_OVERS = 2;
const LEFT_ALONE = { first_ms: 1_000, most_ms: 60_000 };

const EVERYTHING: Glance = { is_due: true, is_expired: true, is_lapsing: true };

/** What keeps statements from being done, and how often it has. */
interface Trouble {
  readonly reason: string;
  readonly times: number;
}

/** A worker while it works: the one mutable thing here. */
interface Worker {
  readonly parts: WorkerParts;
  readonly settings: WorkerSettings;
  readonly alarm: Alarm;
  /** Aborted when attempts are to be handed over. */
  readonly leave: AbortController;
  /** The worlds that are driven here. */
  readonly busy: Map<string, Promise<void>>;
  /** `awaited`: takes nothing more, for a suspect attempt waits for free hands. `on`: one is driven, alone. */
  quarantine: 'none' | 'awaited' | 'on';
  /** Attempts without a driver that could not be gone on with from here, and when to try again. */
  readonly left_alone: Map<string, { readonly tries: number; readonly until: number }>;
  tidied_at: number;
  trouble: Trouble | undefined;
  /** Since when the doorbell cannot be heard, and what was said of that. */
  silent_since: number | undefined;
  told_fault: string | undefined;
  /** Why the worker cannot go on, where one of its jobs has found that. */
  broken: { readonly error: unknown } | undefined;
}

/**
 * Works until it is told to stop: takes turns that are due, goes on with attempts that have lost their driver. Then
 * takes nothing more, and lets what is under way end within its grace, or hands it over to another worker.
 */
export async function runWorker(parts: WorkerParts, settings: WorkerSettings, stop: AbortSignal): Promise<void> {
  const worker = openWorker(parts, settings);
  const { alarm, busy } = worker;
  const stopListening = parts.doorbell.listen(() => alarm.ring());
  stop.addEventListener('abort', alarm.ring);
  try {
    for (let is_called = true; !stop.aborted; ) {
      const rest_ms = await look(worker, is_called);
      is_called = await alarm.sleep(rest_ms);
      if (worker.broken !== undefined) throw worker.broken.error;
    }
  } finally {
    stopListening();
    stop.removeEventListener('abort', alarm.ring);
    if (busy.size > 0) await leave(worker);
  }
}

function openWorker(parts: WorkerParts, settings: WorkerSettings): Worker {
  return {
    parts,
    settings,
    alarm: openAlarm(),
    leave: new AbortController(),
    busy: new Map(),
    quarantine: 'none',
    left_alone: new Map(),
    tidied_at: Number.NEGATIVE_INFINITY,
    trouble: undefined,
    silent_since: undefined,
    told_fault: undefined,
    broken: undefined,
  };
}

/**
 * Takes what there is to do, as far as there are hands.
 * @param is_called somebody says that there is something; otherwise a glance tells
 * @returns how long to sleep
 */
async function look(worker: Worker, is_called: boolean): Promise<number> {
  tellOfDoorbell(worker);
  try {
    await tidy(worker);
    // What only reads may be allowed to where nothing else is.
    const seen = is_called || worker.trouble !== undefined ? EVERYTHING : await worker.parts.inbox.glance(LOOK_MS);
    const rest_ms = seen.is_lapsing ? await takeLapsed(worker) : seeNobodyLost(worker);
    if (seen.is_due) await takeDue(worker);
    if (seen.is_expired) await expire(worker);
    if (worker.trouble !== undefined) worker.parts.onEvent({ kind: 'database_found' });
    worker.trouble = undefined;
    return rest_ms;
  } catch (error) {
    return sleepOff(worker, error);
  }
}

/**
 * A database that cannot do what it should is waited for; each reason is said once. One that may be another process's is
 * left. @throws everything else
 */
function sleepOff(worker: Worker, error: unknown): number {
  const { parts } = worker;
  const fault = parts.findFault(error);
  if (fault === undefined || fault.code === 'DATABASE_LOCK_LOST') throw error;
  const { code, message, repair } = fault;
  const reason = repair === undefined ? message : `${message} ${repair}`;
  const { trouble } = worker;
  if (trouble?.reason !== reason) parts.onEvent({ kind: 'database_lost', code, reason });
  const times = (trouble?.times ?? 0) + 1;
  worker.trouble = { reason, times };
  return backoffMs(DATABASE_LOST, times - 1, parts.jitter());
}

/** A doorbell is silent while it connects, which is no fault as long as it takes no longer than a look by oneself. */
function tellOfDoorbell(worker: Worker): void {
  const { parts } = worker;
  const reason = parts.doorbell.findFault();
  const now = parts.clock.now();
  worker.silent_since = reason === undefined ? undefined : (worker.silent_since ?? now);
  const isPassing = worker.silent_since !== undefined && now - worker.silent_since < LOOK_MS;
  if (isPassing || reason === worker.told_fault) return;
  worker.told_fault = reason;
  parts.onEvent(reason === undefined ? { kind: 'doorbell_found' } : { kind: 'doorbell_lost', reason });
}

async function tidy(worker: Worker): Promise<void> {
  const { parts } = worker;
  if (parts.clock.now() - worker.tidied_at < TIDY_MS) return;
  const tidied = await parts.inbox.tidy();
  worker.tidied_at = parts.clock.now();
  if (tidied.promoted + tidied.consumed > 0) parts.onEvent({ kind: 'tidied', ...tidied });
}

/** What is told now is due now: the next look is at once. */
async function expire({ parts, alarm }: Worker): Promise<void> {
  const calls = await parts.expireCalls();
  if (calls === 0) return;
  parts.onEvent({ kind: 'timed_out', calls });
  alarm.ring();
}

function countFree({ settings, busy, quarantine }: Worker): number {
  return quarantine === 'none' ? Math.max(0, settings.concurrency - busy.size) : 0;
}

/** @returns how long it may be before a driver is gone */
async function takeLapsed(worker: Worker): Promise<number> {
  const { parts, busy, left_alone, settings } = worker;
  if (worker.quarantine === 'on' || busy.size >= settings.concurrency) return LOOK_MS;
  const now = parts.clock.now();
  const most = settings.concurrency + left_alone.size;
  const found = await parts.inbox.lapsed({ most, within_ms: LOOK_MS, ...toWorlds(worker) });
  const lost = new Set(found.map(({ world_slug }) => world_slug));
  for (const world_slug of left_alone.keys()) if (!lost.has(world_slug)) left_alone.delete(world_slug);
  const others = found.filter(({ world_slug }) => !busy.has(world_slug));
  const ripe = others.filter(({ world_slug, in_ms }) => in_ms === 0 && (left_alone.get(world_slug)?.until ?? 0) <= now);
  takeRipe(worker, ripe);
  const next = others.find(({ in_ms }) => in_ms > 0);
  return next === undefined ? LOOK_MS : Math.min(LOOK_MS, next.in_ms + parts.jitter() * SPREAD_MS);
}

function takeRipe(worker: Worker, ripe: readonly Lapse[]): void {
  const suspect = ripe.find(({ take_overs }) => take_overs >= SUSPECT_TAKE_OVERS);
  if (suspect === undefined) {
    worker.quarantine = 'none';
    for (const { world_slug } of ripe.slice(0, countFree(worker))) start(worker, { world_slug });
  } else if (worker.busy.size > 0) worker.quarantine = 'awaited';
  else {
    worker.quarantine = 'on';
    start(worker, { world_slug: suspect.world_slug });
  }
}

function seeNobodyLost(worker: Worker): number {
  if (worker.quarantine === 'awaited') worker.quarantine = 'none';
  worker.left_alone.clear();
  return LOOK_MS;
}

async function takeDue(worker: Worker): Promise<void> {
  const most = countFree(worker);
  if (most === 0) return;
  const claimed = await worker.parts.inbox.claim({ most, reserve_ms: RESERVE_MS, ...toWorlds(worker) });
  for (const one of claimed) start(worker, { world_slug: one.world_slug, claimed: one });
}

function toWorlds({ settings: { worlds } }: Worker): Pick<WorkerSettings, 'worlds'> {
  return worlds === undefined ? {} : { worlds };
}

/** What is claimed for a world that is driven here already is due again when that attempt ends. */
function start(worker: Worker, job: Job): void {
  const { busy, alarm } = worker;
  if (busy.has(job.world_slug)) return;
  const done = work(worker, job)
    .catch((error: unknown) => {
      worker.broken ??= { error };
    })
    .finally(() => {
      busy.delete(job.world_slug);
      if (worker.quarantine === 'on') worker.quarantine = 'none';
      alarm.ring();
    });
  busy.set(job.world_slug, done);
}

async function work(worker: Worker, job: Job): Promise<void> {
  const { parts, left_alone } = worker;
  const { world_slug } = job;
  const tries = left_alone.get(world_slug)?.tries ?? 0;
  try {
    const end = await doJob(parts, job, tries, worker.leave.signal);
    if (end === 'done' || (end === 'deferred' && job.claimed !== undefined)) left_alone.delete(world_slug);
    else leaveAlone(worker, world_slug, tries);
  } catch (error) {
    // The attempt stays open, and whoever finds its lease lapsed goes on with it; here, after a while.
    sleepOff(worker, error);
    leaveAlone(worker, world_slug, tries);
  }
}

function leaveAlone({ parts, left_alone }: Worker, world_slug: string, tries: number): void {
  const until = parts.clock.now() + backoffMs(LEFT_ALONE, tries, parts.jitter());
  left_alone.set(world_slug, { tries: tries + 1, until });
}

/** Lets attempts end within the grace; those that have not are handed over. */
async function leave({ parts, settings, busy, leave: leaving }: Worker): Promise<void> {
  const { grace_ms } = settings;
  const ended = Promise.all(busy.values());
  parts.onEvent({ kind: 'leaving', busy: busy.size, grace_ms });
  const timer = setTimeout(() => {
    parts.onEvent({ kind: 'handing_over', busy: busy.size });
    leaving.abort();
  }, grace_ms);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}
