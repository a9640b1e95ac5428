import { present } from '../../contract/present.js';
import { backoffMs } from '../../core/inbox/backoff.js';
import type { CommitTurn } from '../../ports/attempts.js';
import type { Claimed, ClaimRequest } from '../../ports/claim.js';
import type { Glance, Lapse } from '../../ports/inbox.js';
import { type Alarm, openAlarm } from './alarm.js';
import { doJob, type Job } from './do-job.js';
import { isOver, type Trouble, worsen } from './trouble.js';
import type { WorkerParts, WorkerSettings } from './worker-parts.js';

// A worker looks into the inbox when a doorbell rings, when one of its jobs ends, and every second by itself: with all
// doorbells silent it is as late as that and misses nothing. A look begins with a glance, one statement that says whether
// there is anything to do; a worker that looks because a hand became free claims at once.
// A commit takes along what is due longest, so that a hand with something to do needs no look. It claims nothing while
// an undriven attempt needs a hand: that is in no inbox, and would wait until all queues are empty.
//
// An attempt that several drivers have died of may be what killed them. It is driven alone, so that no other dies with it:
// a worker that finds such an attempt claims nothing else until its hands are free, and then drives it.

/** How long a worker sleeps at most. */
const LOOK_MS = 1_000;
/** Spreads workers that wait for the end of one lease. */
const SPREAD_MS = 50;
const TIDY_MS = 30_000;
/** The longest time from a claim to the beginning of its attempt: a program may have to be compiled. */
const RESERVE_MS = 5_000;
/** An attempt that so many drivers have left is driven alone. */
const SUSPECT_TAKE_OVERS = 2;
const LEFT_ALONE = { first_ms: 1_000, most_ms: 60_000 };

const EVERYTHING: Glance = { is_due: true, is_expired: true, is_lapsing: true };

/** A worker while it works: the one mutable thing here. */
interface Worker {
  readonly parts: WorkerParts;
  readonly settings: WorkerSettings;
  readonly alarm: Alarm;
  /** Aborted when attempts are to be handed over. */
  readonly leave: AbortController;
  /** The worlds that are driven here. */
  readonly busy: Map<string, Promise<void>>;
  /** Jobs that were claimed while their world was still busy, each with a hand: they begin when the job before them ends. */
  readonly next: Map<string, Job>;
  is_stopping: boolean;
  /** Worlds whose job has ended since the last claim. */
  readonly ended: Set<string>;
  /** `awaited`: claims nothing more, for a suspect attempt waits for free hands. `on`: one is driven, alone. */
  quarantine: 'none' | 'awaited' | 'on';
  /** Attempts without a driver that could not be continued from here, and when to try again. */
  readonly left_alone: Map<string, { readonly tries: number; readonly until: number }>;
  /** The next look begins with a glance. */
  is_called: boolean;
  glanced_at: number;
  tidied_at: number;
  trouble: Trouble | undefined;
  /** Since when the doorbell is silent, and which reason was reported. */
  silent_since: number | undefined;
  reported_fault: string | undefined;
  /** The reason why the worker cannot continue, where one of its jobs has found that. */
  broken: { readonly error: unknown } | undefined;
}

/**
 * Works until it is to stop: claims turns that are due, and continues attempts that have lost their driver. Then it claims
 * nothing more, and lets what is under way end within its grace, or hands it over to another worker.
 */
export async function runWorker(parts: WorkerParts, settings: WorkerSettings, stop: AbortSignal): Promise<void> {
  const worker = openWorker(parts, settings);
  const { alarm, busy } = worker;
  const stopListening = parts.doorbell.listen((world_slug) => answer(worker, world_slug));
  stop.addEventListener('abort', alarm.ring);
  try {
    while (!stop.aborted) {
      const sleep_ms = await look(worker);
      if (!(await alarm.sleep(sleep_ms))) worker.is_called = true;
      if (worker.broken !== undefined) throw worker.broken.error;
    }
  } finally {
    worker.is_stopping = true;
    stopListening();
    stop.removeEventListener('abort', alarm.ring);
    const unbegun = [...worker.next.values()].flatMap(({ claimed }) => claimed ?? []);
    worker.next.clear();
    await Promise.all(unbegun.map((claimed) => giveBack(worker, claimed)));
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
    next: new Map(),
    is_stopping: false,
    ended: new Set(),
    quarantine: 'none',
    left_alone: new Map(),
    is_called: true,
    glanced_at: Number.NEGATIVE_INFINITY,
    tidied_at: Number.NEGATIVE_INFINITY,
    trouble: undefined,
    silent_since: undefined,
    reported_fault: undefined,
    broken: undefined,
  };
}

/**
 * Looks because of a ring. The worker looks anyway when a hand is free again, and when a world is free that is driven here,
 * or has just been.
 */
function answer(worker: Worker, world_slug: string | undefined): void {
  const { busy, ended, alarm } = worker;
  if (countFree(worker) === 0) return;
  if (world_slug !== undefined && (busy.has(world_slug) || ended.has(world_slug))) return;
  worker.is_called = true;
  alarm.ring();
}

/** Claims what there is to do, as far as there are free hands. @returns how long to sleep */
async function look(worker: Worker): Promise<number> {
  reportDoorbell(worker);
  const now = worker.parts.clock.now();
  const wait_ms = (worker.trouble?.until ?? 0) - now;
  if (wait_ms > 0) return wait_ms;
  const ended = [...worker.ended];
  try {
    await tidy(worker);
    const seen = await glance(worker);
    const sleep_ms = await seeLapses(worker, seen);
    if (seen === undefined || seen.is_due) await claimDue(worker);
    if (seen?.is_expired) await expire(worker);
    if (worker.trouble !== undefined && isOver(worker.trouble, now)) recover(worker);
    return sleep_ms;
  } catch (error) {
    return sleepOff(worker, error, false);
  } finally {
    for (const world_slug of ended) worker.ended.delete(world_slug);
  }
}

/** @returns undefined where the worker looks only because a hand became free */
async function glance(worker: Worker): Promise<Glance | undefined> {
  const { parts, quarantine } = worker;
  const now = parts.clock.now();
  const is_needed = worker.is_called || quarantine !== 'none' || now - worker.glanced_at >= LOOK_MS;
  worker.is_called = false;
  // A failing database may still permit reads, so a successful glance proves nothing.
  if (worker.trouble !== undefined) return EVERYTHING;
  if (!is_needed) return undefined;
  worker.glanced_at = now;
  return parts.inbox.glance(LOOK_MS);
}

/**
 * Waits for a failing database; each reason is reported once. A database that may be another process's is left alone.
 * @returns for how long
 * @throws every other error, and a lost lock
 */
function sleepOff(worker: Worker, error: unknown, is_of_job: boolean): number {
  const { parts, trouble } = worker;
  const fault = parts.findFault(error);
  if (fault === undefined || fault.code === 'DATABASE_LOCK_LOST') throw error;
  const { code, message, repair } = fault;
  const reason = repair === undefined ? message : `${message} ${repair}`;
  if (trouble?.reason !== reason) parts.onEvent({ kind: 'database_lost', code, reason });
  const now = parts.clock.now();
  worker.trouble = worsen(trouble, { code, reason, is_of_job }, now, parts.jitter());
  return worker.trouble.until - now;
}

function recover(worker: Worker): void {
  if (worker.trouble !== undefined) worker.parts.onEvent({ kind: 'database_found' });
  worker.trouble = undefined;
}

/** A doorbell is silent while it connects, which is no fault as long as it takes no longer than a look by oneself. */
function reportDoorbell(worker: Worker): void {
  const { parts } = worker;
  const reason = parts.doorbell.findFault();
  const now = parts.clock.now();
  worker.silent_since = reason === undefined ? undefined : (worker.silent_since ?? now);
  const isPassing = worker.silent_since !== undefined && now - worker.silent_since < LOOK_MS;
  if (isPassing || reason === worker.reported_fault) return;
  worker.reported_fault = reason;
  parts.onEvent(reason === undefined ? { kind: 'doorbell_found' } : { kind: 'doorbell_lost', reason });
}

async function tidy(worker: Worker): Promise<void> {
  const { parts } = worker;
  if (parts.clock.now() - worker.tidied_at < TIDY_MS) return;
  const tidied = await parts.inbox.tidy();
  worker.tidied_at = parts.clock.now();
  if (tidied.promoted + tidied.consumed > 0) parts.onEvent({ kind: 'tidied', ...tidied });
}

/** The timeouts that are written now are due now: the next look is at once. */
async function expire(worker: Worker): Promise<void> {
  const { parts, alarm } = worker;
  const calls = await parts.expireCalls();
  if (calls === 0) return;
  parts.onEvent({ kind: 'timed_out', calls });
  worker.is_called = true;
  alarm.ring();
}

function countFree({ settings, busy, next, quarantine }: Worker): number {
  return quarantine === 'none' ? Math.max(0, settings.concurrency - busy.size - next.size) : 0;
}

/** Continues attempts that have lost their driver. @returns how long it is at most until one may lose it */
async function seeLapses(worker: Worker, seen: Glance | undefined): Promise<number> {
  const { parts, busy, left_alone, settings } = worker;
  if (seen === undefined) return LOOK_MS;
  if (!seen.is_lapsing) return seeNone(worker);
  if (worker.quarantine === 'on' || busy.size >= settings.concurrency) {
    // The next look is due as soon as a hand is free.
    worker.is_called = true;
    return LOOK_MS;
  }
  const now = parts.clock.now();
  const most = settings.concurrency + left_alone.size;
  const found = await parts.inbox.lapsed({ most, within_ms: LOOK_MS, ...toWorlds(worker) });
  const lost = new Set(found.map(({ world_slug }) => world_slug));
  for (const world_slug of left_alone.keys()) if (!lost.has(world_slug)) left_alone.delete(world_slug);
  const others = found.filter(({ world_slug }) => !busy.has(world_slug));
  const ripe = others.filter(({ world_slug, in_ms }) => in_ms === 0 && (left_alone.get(world_slug)?.until ?? 0) <= now);
  continueRipe(worker, ripe);
  const next = others.find(({ in_ms }) => in_ms > 0);
  return next === undefined ? LOOK_MS : Math.min(LOOK_MS, next.in_ms + parts.jitter() * SPREAD_MS);
}

function continueRipe(worker: Worker, ripe: readonly Lapse[]): void {
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

function seeNone(worker: Worker): number {
  if (worker.quarantine === 'awaited') worker.quarantine = 'none';
  worker.left_alone.clear();
  return LOOK_MS;
}

async function claimDue(worker: Worker): Promise<void> {
  const most = countFree(worker);
  if (most === 0) return;
  const claimed = await worker.parts.inbox.claim({ most, ...toClaim(worker) });
  for (const one of claimed) start(worker, { world_slug: one.world_slug, claimed: one });
}

function toClaim(worker: Worker): Omit<ClaimRequest, 'most'> {
  return { reserve_ms: RESERVE_MS, ...toWorlds(worker) };
}

function toWorlds({ settings: { worlds } }: Worker): Pick<WorkerSettings, 'worlds'> {
  return present({ worlds });
}

/** Begins a job, at once or when the world is free: the turn after is due as soon as a turn is committed. */
function start(worker: Worker, job: Job): void {
  const { busy, next } = worker;
  const { world_slug } = job;
  if (busy.has(world_slug)) return void next.set(world_slug, job);
  const done = work(worker, job)
    .catch((error: unknown): undefined => {
      worker.broken ??= { error };
    })
    .then((after) => end(worker, world_slug, after));
  busy.set(world_slug, done);
}

/** Starts the claimed messages: the commit's for this hand, and another hand's that waits for the world. */
async function end(worker: Worker, world_slug: string, after: Claimed | undefined): Promise<void> {
  const { busy, next, ended, alarm, is_stopping } = worker;
  busy.delete(world_slug);
  if (worker.quarantine === 'on') worker.quarantine = 'none';
  const waiting = next.get(world_slug);
  next.delete(world_slug);
  if (waiting === undefined) ended.add(world_slug);
  else start(worker, waiting);
  if (after === undefined) alarm.ring();
  else if (is_stopping) await giveBack(worker, after);
  else start(worker, { world_slug: after.world_slug, claimed: after });
}

/** Leaves what was claimed and not begun to another worker, at once. Where that fails, it is due when its reserve is over. */
async function giveBack({ parts }: Worker, claimed: Claimed): Promise<void> {
  const reason = 'the worker that had claimed it has stopped';
  await parts.inbox.defer(claimed, { reason, delay_ms: 0 }).catch(() => {});
  parts.doorbell.ring(claimed.world_slug);
}

/** @returns what its commit reserved for this worker */
async function work(worker: Worker, job: Job): Promise<Claimed | undefined> {
  const { parts, left_alone } = worker;
  const { world_slug } = job;
  const tries = left_alone.get(world_slug)?.tries ?? 0;
  try {
    const goesOn = (): CommitTurn['goes_on'] =>
      worker.quarantine === 'none' && !worker.is_called && !worker.is_stopping ? toClaim(worker) : undefined;
    const end = await doJob(parts, job, { tries, leave: worker.leave.signal, goesOn });
    if (end.kind === 'done' || (end.kind === 'deferred' && job.claimed !== undefined)) {
      left_alone.delete(world_slug);
      recover(worker);
    } else leaveAlone(worker, world_slug, tries);
    return end.kind === 'done' ? end.next : undefined;
  } catch (error) {
    // The attempt stays open: the worker that finds its lease lapsed continues it; this one waits a while before.
    sleepOff(worker, error, true);
    leaveAlone(worker, world_slug, tries);
    return undefined;
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
