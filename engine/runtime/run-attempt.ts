import { unreachable } from '../contract/unreachable.js';
import { advance } from '../core/turn/advance.js';
import type { Fail, TurnCommand } from '../core/turn/command.js';
import { UNBEGUN } from '../core/turn/state.js';
import { RENDERER_VERSION } from '../core/prompt/renderer-version.js';
import type { Program } from '../core/workflow/program.js';
import type { BeginOutcome } from '../ports/attempts.js';
import { type Arrival, type Attempt, abandon, commit, fail, hear, issue, openAttempt, take } from './attempt.js';
import type { OnProgress } from './progress.js';
import type { RuntimeParts } from './runtime-parts.js';

/** How long a lease lasts without a heartbeat, in milliseconds. */
const LEASE_MS = 30_000;

export interface AttemptRequest {
  readonly world_slug: string;
  readonly program: Program;
  /** RFC 3339, by turn. */
  readonly simulationTime: (turn: number) => string;
  /** Aborted when a person wants the attempt to stop. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** How an attempt ended, or why there was none. */
export type AttemptEnd =
  | { readonly kind: 'committed'; readonly attempt_id: string; readonly attempted_turn: number }
  | { readonly kind: 'failed'; readonly attempt_id: string; readonly attempted_turn: number; readonly failure: Fail }
  | Exclude<BeginOutcome, { kind: 'begun' }>;

/**
 * Tries a world's next turn once: takes the lease, drives the reducer, commits or fails.
 * @throws Overtaken when another driver took the world; whatever the database throws when it is gone
 */
export async function runAttempt(parts: RuntimeParts, request: AttemptRequest): Promise<AttemptEnd> {
  const attempt_id = parts.clock.uuid();
  const begun = await parts.attempts.begin(toBegin(parts, request, attempt_id), parts.isAlive);
  if (begun.kind !== 'begun') return begun;
  const { lease, world } = begun;
  const simulation_time = request.simulationTime(lease.attempted_turn);
  const attempt = openAttempt({
    lease,
    program: request.program,
    simulation_time,
    onProgress: request.onProgress,
    state: UNBEGUN,
  });
  request.onProgress({
    kind: 'attempt_began',
    attempt_id,
    attempted_turn: lease.attempted_turn,
    simulation_time,
    interrupted_attempts: begun.interrupted_attempts,
  });
  const stopListening = listenForStop(attempt, request.signal);
  const stopBeating = beat(parts, attempt);
  try {
    const first = take(
      attempt,
      advance(request.program, attempt.state, { kind: 'turn_began', world, simulation_time }),
    );
    return await drive(parts, attempt, first);
  } catch (error) {
    abandon(attempt);
    throw error;
  } finally {
    stopBeating();
    stopListening();
  }
}

/** Performs commands and hears what comes of them, until the turn ends. */
async function drive(parts: RuntimeParts, attempt: Attempt, first: readonly TurnCommand[]): Promise<AttemptEnd> {
  const { attempt_id, attempted_turn } = attempt.lease;
  for (let commands = first; ; commands = await hearNext(parts, attempt)) {
    for (const command of commands) {
      switch (command.kind) {
        case 'invoke':
          issue(parts, attempt, command);
          break;
        case 'commit':
          await commit(parts, attempt, command);
          return { kind: 'committed', attempt_id, attempted_turn };
        case 'fail':
          await fail(parts, attempt, command);
          return { kind: 'failed', attempt_id, attempted_turn, failure: command };
        default:
          return unreachable(command);
      }
    }
  }
}

async function hearNext(parts: RuntimeParts, attempt: Attempt): Promise<readonly TurnCommand[]> {
  const arrival: Arrival = await attempt.arrivals.next();
  switch (arrival.kind) {
    case 'ended':
      return hear(parts, attempt, arrival.outcome);
    case 'stop':
      return take(attempt, advance(attempt.program, attempt.state, { kind: 'stopped', reason: arrival.reason }));
    case 'broken':
      throw arrival.error;
    default:
      return unreachable(arrival);
  }
}

function toBegin(parts: RuntimeParts, request: AttemptRequest, attempt_id: string) {
  return {
    attempt_id,
    world_slug: request.world_slug,
    holder: parts.holder,
    started_at: parts.clock.now(),
    lease_ms: LEASE_MS,
    renderer_version: RENDERER_VERSION,
    plugin_versions: parts.plugin_versions,
  };
}

function listenForStop(attempt: Attempt, signal: AbortSignal): () => void {
  const stop = () => attempt.arrivals.put({ kind: 'stop', reason: 'the attempt was stopped before it had ended' });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}

/** Keeps the lease while a call takes long: slow is not dead. */
function beat(parts: RuntimeParts, attempt: Attempt): () => void {
  const timer = setInterval(() => {
    parts.attempts
      .renew(attempt.lease, parts.clock.now() + LEASE_MS)
      .catch((error: unknown) => attempt.arrivals.put({ kind: 'broken', error }));
  }, LEASE_MS / 3);
  return () => clearInterval(timer);
}
