import type { Outcome } from '../../contract/problem.js';
import { TURN_RETRIES } from '../../core/inbox/backoff.js';
import type { WorkerEvent, WorkRequest } from '../../operations/running/run-worker.js';
import { wholeOption } from './arguments.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { untilStopped } from './interruption.js';
import { leftLines, toSentence, toWorkerJson } from './render/worker.js';
import { printEvent, printLines, printRefused, type Session } from './session.js';

/** A worker by default: attempts at a time, seconds to end them, retries of a queued turn. */
export const WORKER_DEFAULTS = { concurrency: 4, grace: 20, maxRetries: TURN_RETRIES };

export type WorkerOptions = typeof WORKER_DEFAULTS;

/** How long a lease holds without being renewed. */
export const LEASE_MS = 10_000;

const DAY_SECONDS = 86_400;

export const WORKER_OPTIONS = {
  concurrency: wholeOption('--concurrency <n>', 'how many attempts run at a time', [1, 1_000]).default(
    WORKER_DEFAULTS.concurrency,
  ),
  grace: wholeOption(
    '--grace <seconds>',
    'how long attempts may still run after a request to stop; then another worker continues them',
    [0, DAY_SECONDS],
  ).default(WORKER_DEFAULTS.grace),
  maxRetries: wholeOption(
    '--max-retries <n>',
    'how often a queued turn is tried again after a transient failure',
    [0, 1_000],
  ).default(WORKER_DEFAULTS.maxRetries),
};

type WorkSettings = Omit<WorkRequest, 'onReady' | 'worlds' | 'lease_ms'>;

/** Runs a worker until a request to stop, and prints its events; a second request ends the process. */
export async function workUntilStopped(
  session: Session,
  { concurrency, grace, maxRetries }: WorkerOptions,
  work: (settings: WorkSettings) => Promise<Outcome<unknown>>,
): Promise<ExitCode> {
  let under_way: UnderWay = new Map();
  const onEvent = (event: WorkerEvent): void => {
    under_way = afterEvent(under_way, event);
    printEvent(session, toSentence(event), toWorkerJson(event));
  };
  const limits = { concurrency, grace_ms: grace * 1000, turn_retries: maxRetries };
  const worked = await untilStopped(
    session.terminal,
    (signal) => work({ ...limits, signal, onEvent }),
    () => printLines(session.terminal.error, leftLines([...under_way.values()])),
  );
  if (!worked.ok) return printRefused(session, worked);
  printEvent(session, 'stopped', { kind: 'stopped' });
  return EXIT.done;
}

/** The attempts that a worker drives at this moment, by their worlds. */
export type UnderWay = ReadonlyMap<string, string>;

/** The next list after an event of the worker. */
export function afterEvent(under_way: UnderWay, event: WorkerEvent): UnderWay {
  if (!('world_slug' in event)) return under_way;
  const others = [...under_way].filter(([world_slug]) => world_slug !== event.world_slug);
  switch (event.kind) {
    case 'turn_began':
    case 'turn_continued':
      return new Map([...others, [event.world_slug, event.attempt_id]]);
    case 'turn_deferred':
    case 'turn_discarded':
      return under_way;
    default:
      return new Map(others);
  }
}
