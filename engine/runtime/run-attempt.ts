import { unreachable } from '../contract/unreachable.js';
import { advance } from '../core/turn/advance.js';
import type { Fail, TurnCommand } from '../core/turn/command.js';
import { RENDERER_VERSION } from '../core/prompt/renderer-version.js';
import type { Program } from '../core/workflow/program.js';
import { mismatch } from '../core/turn/refold.js';
import type { AttemptLease, AttemptPast, BeginOutcome } from '../ports/attempts.js';
import type { CallOutcome } from '../ports/sources.js';
import {
  type Arrival,
  type Attempt,
  abandon,
  commit,
  fail,
  handOver,
  hear,
  isActing,
  isDropped,
  issue,
  openAttempt,
  openJournalOf,
  Overtaken,
  prepareToLeave,
  recall,
  take,
} from './attempt.js';
import { openArrivals } from './arrivals.js';
import { beatAtIntervals } from './interval-heartbeat.js';
import { close, forget, type Journal } from './journal.js';
import { findReported, hearMail, lookForMail, pend, rest, stop } from './later.js';
import type { OnProgress, Progress } from './progress.js';
import type { RuntimeParts } from './runtime-parts.js';

/** How many drivers an attempt may outlive. */
const TAKE_OVERS_MAX = 5;

export interface AttemptRequest {
  readonly world_slug: string;
  readonly program: Program;
  /** RFC 3339, by turn. */
  readonly simulationTime: (turn: number) => string;
  /** Aborted when a person wants the attempt to stop. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** Aborted when another driver is to go on: the attempt stays open. */
  readonly leave?: AbortSignal;
  /** The message that asks for the attempt; left out where a person runs it. */
  readonly inbox_id?: string;
  /** Goes on with an attempt that another driver left, and begins none. */
  readonly continues_only?: boolean;
}

/** How an attempt ended, or why there was none. */
export type AttemptEnd =
  | { readonly kind: 'committed'; readonly attempt_id: string; readonly attempted_turn: number }
  | { readonly kind: 'failed'; readonly attempt_id: string; readonly attempted_turn: number; readonly failure: Fail }
  | { readonly kind: 'suspended'; readonly attempt_id: string; readonly attempted_turn: number }
  | { readonly kind: 'handed_over'; readonly attempt_id: string; readonly attempted_turn: number }
  | Exclude<BeginOutcome, { kind: 'begun' }>;

type BeatingParts = RuntimeParts & Required<Pick<RuntimeParts, 'heartbeat'>>;

type Begun = Extract<BeginOutcome, { readonly kind: 'begun' }>;

/**
 * Tries a world's next turn once: takes the lease, drives the reducer, commits or fails.
 * @throws Overtaken when another driver took the world; whatever the database throws when it is gone
 */
export async function runAttempt(parts: RuntimeParts, request: AttemptRequest): Promise<AttemptEnd> {
  const attempt_id = parts.clock.uuid();
  const heartbeat = parts.heartbeat ?? beatAtIntervals(parts.attempts);
  const begun = await parts.attempts.begin(toBegin(parts, request, attempt_id, heartbeat.lease_ms), parts.isAlive);
  if (begun.kind !== 'begun') return begun;
  const arrivals = openArrivals<Arrival>();
  const journal = openJournalOf(parts, begun, arrivals);
  try {
    return await runBegun({ ...parts, heartbeat }, request, begun, { arrivals, journal });
  } catch (error) {
    if (!(error instanceof Overtaken)) await leaveBroken(parts, begun.lease, { journal, error });
    throw error;
  } finally {
    close(journal);
  }
}

async function runBegun(
  parts: BeatingParts,
  request: AttemptRequest,
  begun: Begun,
  own: Pick<Attempt, 'arrivals' | 'journal'>,
): Promise<AttemptEnd> {
  const { lease, past } = begun;
  const { attempt_id, attempted_turn } = lease;
  const { program, onProgress } = request;
  const simulation_time = request.simulationTime(attempted_turn);
  const attempt = openAttempt({ ...own, lease, program, simulation_time, onProgress });
  onProgress({ kind: 'attempt_began', attempt_id, attempted_turn, simulation_time, ...toContinued(past) });
  const stopListening = listen(attempt, request);
  const stopBeating = parts.heartbeat.keep(lease, (why) => {
    attempt.arrivals.put({ kind: 'broken', error: why === 'overtaken' ? new Overtaken() : why });
  });
  const stopLooking = lookForMail(parts, attempt);
  try {
    return await drive(parts, attempt, findFirst(parts, attempt, begun));
  } catch (error) {
    abandon(attempt);
    throw error;
  } finally {
    stopLooking();
    stopBeating();
    stopListening();
  }
}

/** What there is to do first: for an attempt that goes on, whatever is not on record yet. */
function findFirst(parts: RuntimeParts, attempt: Attempt, { world, past }: Begun): readonly TurnCommand[] {
  const began = { kind: 'turn_began', world, simulation_time: attempt.simulation_time } as const;
  if (past === undefined) return take(attempt, advance(attempt.program, attempt.state, began), parts.clock.now());
  const failure = findUnfit(parts, past);
  return failure === undefined ? recall(attempt, began, past) : [failure];
}

/** Why an attempt does not go on, where it does not. */
function findUnfit(parts: RuntimeParts, past: AttemptPast): Fail | undefined {
  if (past.take_overs > TAKE_OVERS_MAX) {
    const message = `${past.take_overs} drivers have died or broken of this attempt; the next one would most likely be no luckier`;
    return { kind: 'fail', failure_class: 'poisoned', message };
  }
  const ours = { renderer: RENDERER_VERSION, ...parts.plugin_versions };
  const theirs: Readonly<Record<string, string>> = { renderer: past.renderer_version, ...past.plugin_versions };
  const changed = Object.entries(ours).find(([name, version]) => (theirs[name] ?? version) !== version);
  if (changed === undefined) return undefined;
  const [name, version] = changed;
  return mismatch(`the attempt began with ${name} ${theirs[name]}, and this program has ${version}`);
}

function toContinued(past: AttemptPast | undefined): Pick<Extract<Progress, { kind: 'attempt_began' }>, 'continued'> {
  if (past === undefined) return {};
  const interrupted = past.calls.filter(({ fact }) => fact === undefined).length;
  const pending = past.calls.filter(({ fact }) => fact?.status === 'pending').length;
  return { continued: { answered: past.calls.length - interrupted - pending, interrupted } };
}

interface Broken {
  readonly journal: Journal;
  readonly error: unknown;
}

/**
 * Leaves an attempt open whose driver breaks, for the next, which repeats nothing that has ended. One that breaks by a
 * fault of the program counts like one that died; one whose database let it down does not. Where even that cannot be
 * written, whoever comes next finds it as a dead driver left it.
 */
async function leaveBroken(parts: RuntimeParts, lease: AttemptLease, { journal, error }: Broken): Promise<void> {
  try {
    await forget(journal);
    await parts.attempts.handOver(lease, { at: parts.clock.now(), has_broken: parts.findFault(error) === undefined });
  } catch {
    // What broke the driver is the error to hear of, and what broke this is most likely the same.
  }
}

/** Performs commands and hears what comes of them, until the turn ends. */
async function drive(parts: RuntimeParts, attempt: Attempt, first: readonly TurnCommand[]): Promise<AttemptEnd> {
  const { attempt_id, attempted_turn } = attempt.lease;
  for (let commands = first; ; commands = await hearNext(parts, attempt)) {
    for (const command of commands) {
      switch (command.kind) {
        case 'invoke':
          if (!attempt.is_leaving) issue(parts, attempt, command);
          break;
        case 'commit':
          await commit(parts, attempt, command);
          return { kind: 'committed', attempt_id, attempted_turn };
        case 'fail':
          await fail(parts, attempt, command);
          return { kind: 'failed', attempt_id, attempted_turn, failure: command };
        case 'suspend':
          if (await rest(parts, attempt, command)) return { kind: 'suspended', attempt_id, attempted_turn };
          break;
        default:
          return unreachable(command);
      }
    }
    if (attempt.is_leaving && !isActing(attempt)) {
      await handOver(parts, attempt);
      return { kind: 'handed_over', attempt_id, attempted_turn };
    }
  }
}

async function hearNext(parts: RuntimeParts, attempt: Attempt): Promise<readonly TurnCommand[]> {
  const arrival: Arrival = await attempt.arrivals.next();
  switch (arrival.kind) {
    case 'ended':
      return isDropped(attempt, arrival.outcome.key) ? [] : hearEnd(parts, attempt, arrival.outcome);
    case 'pended':
      return isDropped(attempt, arrival.pended.key) ? [] : pend(parts, attempt, arrival.pended);
    case 'mail':
      return hearMail(parts, attempt, arrival.messages);
    case 'stop':
      return stop(parts, attempt, arrival.reason);
    case 'leave':
      prepareToLeave(attempt);
      return [];
    case 'broken':
      throw arrival.error;
    default:
      return unreachable(arrival);
  }
}

async function hearEnd(parts: RuntimeParts, attempt: Attempt, outcome: CallOutcome): Promise<readonly TurnCommand[]> {
  const pended = await findReported(parts, attempt, outcome);
  return pended === undefined ? hear(attempt, outcome) : pend(parts, attempt, pended);
}

function toBegin(parts: RuntimeParts, request: AttemptRequest, attempt_id: string, lease_ms: number) {
  return {
    attempt_id,
    world_slug: request.world_slug,
    holder: parts.holder,
    started_at: parts.clock.now(),
    lease_ms,
    renderer_version: RENDERER_VERSION,
    plugin_versions: parts.plugin_versions,
    ...(request.inbox_id === undefined ? {} : { inbox_id: request.inbox_id }),
    ...(request.continues_only === undefined ? {} : { continues_only: request.continues_only }),
  };
}

function listen(attempt: Attempt, { signal, leave }: AttemptRequest): () => void {
  const reason = 'the attempt was stopped before it had ended';
  const ends = [onAbort(signal, () => attempt.arrivals.put({ kind: 'stop', reason }))];
  if (leave !== undefined) ends.push(onAbort(leave, () => attempt.arrivals.put({ kind: 'leave' })));
  return () => ends.forEach((end) => end());
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
