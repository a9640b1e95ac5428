import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { simulationTime } from '../../core/world/simulation-time.js';
import type { LeftWorld } from '../../ports/attempts.js';
import type { Doorbell } from '../../ports/doorbell.js';
import type { Tidied } from '../../ports/inbox.js';
import type { OpenHeartbeat } from '../../ports/heartbeat.js';
import { runAsLeft, runAttempt } from '../../runtime/run-attempt.js';
import { runWorker as runWorkerLoop } from '../../runtime/worker/run-worker.js';
import type { WorkerEvent } from '../../runtime/worker/worker-event.js';
import type { Drive, WorkerParts } from '../../runtime/worker/worker-parts.js';
import type { Engine, LoadedScenario } from '../engine.js';
import { checkSources, loadToRun } from './load-program.js';
import type { QueueReport } from './queue.js';
import { expireCalls } from '../settling/reports.js';
import { settleUnhandled } from '../settling/settle-by-report.js';
import { withStudyBudget } from '../studies/study-budget.js';
import { timeAt, unknownWorld } from '../worlds/worlds.js';

export type { WorkerEvent } from '../../runtime/worker/worker-event.js';

export interface WorkRequest {
  readonly concurrency: number;
  /** How long attempts may continue after a stop, before they are handed over. */
  readonly grace_ms: number;
  /** The lease duration, after which a silent driver counts as dead. */
  readonly lease_ms: number;
  /** How often a queued turn is retried after transient failures; a few times by default. */
  readonly turn_retries?: number;
  /** These worlds only; all by default. */
  readonly worlds?: readonly string[];
  readonly signal: AbortSignal;
  readonly onEvent: (event: WorkerEvent) => void;
  /** Called once it runs, with the database and the doorbell. */
  readonly onReady: (about: { readonly database: string; readonly doorbell: string }) => void;
}

/** Claims and runs queued turns, until it is stopped. */
export async function runWorker(engine: Engine, request: WorkRequest): Promise<Outcome<undefined>> {
  const unknown = await findUnknown(engine, request.worlds ?? []);
  if (unknown !== undefined) return unknownWorld(engine, unknown);
  const doorbell = engine.openDoorbell();
  if (!doorbell.ok) return doorbell;
  const heartbeat = engine.startHeartbeat(request);
  try {
    request.onReady({ database: engine.store.database.description, doorbell: doorbell.value.description });
    await runWorkerLoop(toParts(engine, request, doorbell.value, heartbeat), request, request.signal);
    return succeed(undefined);
  } finally {
    await doorbell.value.close();
    await heartbeat?.close();
  }
}

/** The first unknown world; undefined while the database is out of reach, which the worker waits out. */
async function findUnknown(engine: Engine, slugs: readonly string[]): Promise<string | undefined> {
  try {
    for (const slug of slugs) if ((await engine.store.worlds.find(slug)) === undefined) return slug;
    return undefined;
  } catch (error) {
    if (engine.store.database.findFault(error) === undefined) throw error;
    return undefined;
  }
}

function toParts(
  engine: Engine,
  { onEvent, turn_retries }: WorkRequest,
  doorbell: Doorbell,
  heartbeat: OpenHeartbeat | undefined,
): WorkerParts {
  const drive = toDrive(engine, heartbeat);
  return {
    inbox: { ...engine.store.inbox, tidy: () => tidy(engine) },
    doorbell,
    clock: engine.runtime.clock,
    jitter: Math.random,
    drive: (driven) => drive({ ...driven, ...present({ turn_retries }) }),
    expireCalls: () => expireCalls(engine),
    findFault: (error) => engine.store.database.findFault(error),
    onEvent,
  };
}

async function tidy(engine: Engine): Promise<Tidied> {
  await settleUnhandled(engine);
  return engine.store.inbox.tidy();
}

const KNOWN_WORLDS_MAX = 100;

/** A world after a turn that was committed here, and its program. */
interface KnownWorld extends LoadedScenario {
  readonly left: LeftWorld;
}

/**
 * How long a claimed turn is reserved for the worker that compiles its scenario. That occupies the worker's thread, so it
 * cannot renew the reservation meanwhile; if the reservation ended, the next worker would compile the same scenario.
 */
const COMPILE_MS_MAX = 60_000;

/** Drives a world's next or open attempt. A cached world is read again only after another driver's change. */
function toDrive(engine: Engine, heartbeat: OpenHeartbeat | undefined): Drive {
  const parts = heartbeat === undefined ? engine.runtime : { ...engine.runtime, heartbeat };
  const { signal } = new AbortController();
  const known = new Map<string, KnownWorld>();
  const remember = (world_slug: string, world: KnownWorld): void => {
    known.set(world_slug, world);
    const [oldest] = known.keys();
    if (known.size > KNOWN_WORLDS_MAX && oldest !== undefined) known.delete(oldest);
  };
  return async (request) => {
    const { world_slug } = request;
    const toAttempt = ({ scenario, program }: LoadedScenario) => {
      return { ...request, program, signal, simulationTime: (turn: number) => timeAt(scenario, turn) };
    };
    const last = known.get(world_slug);
    known.delete(world_slug);
    if (last !== undefined && simulationTime(last.scenario, last.left.world.turn + 1) !== undefined) {
      const end = await runAsLeft(parts, toAttempt(last), last.left);
      if (end?.kind === 'committed') remember(world_slug, { ...last, left: end.left });
      if (end !== undefined) return end;
    }
    const world = await engine.store.worlds.find(world_slug);
    if (world === undefined) return { kind: 'unknown_world' };
    const { inbox_id } = request;
    if (inbox_id !== undefined && !engine.programs.has(world.scenario_hash))
      await engine.store.inbox.hold({ world_slug, inbox_id }, COMPILE_MS_MAX);
    const loaded = await loadToRun(engine, world.scenario_hash);
    if (!loaded.ok) return { kind: 'unfit', reason: toReason(loaded.problems), is_final: false };
    const ready = await checkSources(engine, loaded.value.program, world_slug);
    if (!ready.ok) return { kind: 'unfit', reason: toReason(ready.problems), is_final: false };
    if (simulationTime(loaded.value.scenario, world.turn + 1) === undefined)
      return { kind: 'unfit', reason: 'the world has come to the end of its calendar', is_final: true };
    const bounded = await withStudyBudget(engine, ready.value, world_slug);
    if (!bounded.ok) return { kind: 'unfit', reason: toReason(bounded.problems), is_final: false };
    const own = { ...loaded.value, program: bounded.value };
    const end = await runAttempt(parts, toAttempt(own));
    if (end.kind === 'committed') remember(world_slug, { ...own, left: end.left });
    return end;
  };
}

function toReason(problems: readonly { readonly code: string; readonly message: string }[]): string {
  return problems.map(({ code, message }) => `${code}: ${message}`).join(' ');
}

/** Resumes the open attempt of a world, as far as it goes now. */
export function continueAttempt(engine: Engine, world_slug: string): ReturnType<Drive> {
  return toDrive(engine, undefined)({ world_slug, continues_only: true, onProgress: () => {} });
}

interface QueueRequest {
  readonly world_slug: string;
  readonly turns: number;
}

/** Appends turns to a world's queue, and rings the doorbell. */
export async function queueTurns(engine: Engine, { world_slug, turns }: QueueRequest): Promise<Outcome<QueueReport>> {
  const doorbell = engine.openDoorbell();
  if (!doorbell.ok) return doorbell;
  try {
    const inbox_ids = Array.from({ length: turns }, () => engine.runtime.clock.uuid());
    const queued = await engine.store.inbox.enqueueTurns({ world_slug, inbox_ids });
    if (queued.kind === 'unknown_world') return unknownWorld(engine, world_slug);
    doorbell.value.ring(world_slug);
    return succeed({ world: world_slug, queued: turns, inbox_ids, waiting: queued.waiting });
  } finally {
    await doorbell.value.close();
  }
}
