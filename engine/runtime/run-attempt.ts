import { setMaxListeners } from 'node:events';
import { present } from '../contract/present.js';
import { unreachable } from '../contract/unreachable.js';
import { advance } from '../core/turn/advance.js';
import type { TurnCommand } from '../core/protocol/command.js';
import type { TurnBegan } from '../core/protocol/event.js';
import { pluginsOf } from '../core/workflow/sources-of.js';
import { TURN_RETRIES } from '../core/inbox/backoff.js';
import type { AttemptLease, BeginOutcome, CallsWrite, LeftWorld } from '../ports/attempts.js';
import type { CallResult } from '../ports/sources.js';
import {
  type Arrival,
  type Attempt,
  abandon,
  announcePatches,
  handleOutcome,
  handleRetrieved,
  isActing,
  isDropped,
  isUnmade,
  openAttempt,
  prepareToLeave,
  recall,
  type Recalled,
  moveTo,
  withdraw,
} from './attempt.js';
import { commit, fail, handOver } from './end-attempt.js';
import type { Fact } from '../core/facts/fact.js';
import { leftBy } from './agent-moves.js';
import { factOfBeginning, factsOfCalls } from './fact-log.js';
import { openArrivals } from './arrivals.js';
import { waitForApproval } from './approvals.js';
import { findUnfit, toBegin, toPast } from './begin.js';
import { findBudgetsBefore } from './budgets-before.js';
import { issue } from './issue-call.js';
import { heartbeatOf } from './interval-heartbeat.js';
import { listKept } from './kept-budgets.js';
import { forget, type Journal, openJournal } from './journal.js';
import { findReported, handleMail, lookForMail, pend, suspend, stop } from './later.js';
import type { AttemptEnd, AttemptRequest } from './attempt-request.js';
import { demand, Overtaken } from './overtaken.js';
import type { AttemptObserver, OnProgress } from './progress.js';
import type { RuntimeParts } from './runtime-parts.js';

/** A world was not as it was left: nothing has been written, and no call made. */
class NotAsLeft extends Error {
  override name = 'NotAsLeft';
  override message = 'the world does not stand as it was left';
}

type Begun = Extract<BeginOutcome, { readonly kind: 'begun' }> & {
  /** What is on record of the attempt. */
  readonly facts: readonly Fact[];
};

/**
 * Tries a world's next turn once: claims the lease, drives the reducer, commits or fails.
 * @throws Overtaken when another driver took the world; every error of a lost database
 */
export async function runAttempt(parts: RuntimeParts, request: AttemptRequest): Promise<AttemptEnd> {
  const end = request.left === undefined ? undefined : await runAsLeft(parts, request, request.left);
  if (end !== undefined) return end;
  const begin = toBegin(parts, request);
  const begun = await parts.attempts.begin(begin, parts.isAlive);
  if (begun.kind === 'other_scenario') throw new Overtaken();
  if (begun.kind !== 'begun') return begun;
  const facts =
    begun.past === undefined ? [factOfBeginning(begun.lease, begin)] : await parts.attempts.facts(begun.lease);
  return runBegun(parts, request, { ...begun, facts });
}

/**
 * Tries a world's next turn without reading the world: takes it by the statement that writes the first calls.
 * @returns undefined where the world is not as it was left, or the message asks for nothing any more: nothing was begun
 * @throws as `runAttempt` does
 */
export async function runAsLeft(
  parts: RuntimeParts,
  request: AttemptRequest,
  left: LeftWorld,
): Promise<AttemptEnd | undefined> {
  const { world_slug, program, until_turn = Infinity } = request;
  // What earlier attempts have spent is to be read, and a reservation needs a lease that others see.
  const isBounded = program.sessions !== undefined || listKept(parts, program, request.world_slug).length > 0;
  if (request.continues_only || isBounded || left.world.turn >= until_turn) return undefined;
  const begin = toBegin(parts, request);
  const { attempt_id } = begin;
  const { request_mark } = left;
  const lease = { attempt_id, world_slug, attempted_turn: left.world.turn + 1, epoch: left.epoch + 1, request_mark };
  const facts = [factOfBeginning(lease, begin)];
  const begun: Begun = { kind: 'begun', lease, world: left.world, heads: left.heads, facts };
  try {
    return await runBegun(parts, request, begun, async (calls) => {
      const written = await parts.attempts.beginAsLeft(begin, left.attempt_id, lease, calls);
      if (written === 'overtaken') throw new NotAsLeft();
    });
  } catch (error) {
    if (error instanceof NotAsLeft) return undefined;
    throw error;
  }
}

/** @param claimWorld claims the world together with the first calls; absent where it is claimed already */
async function runBegun(
  parts: RuntimeParts,
  request: AttemptRequest,
  begun: Begun,
  claimWorld?: (calls: CallsWrite) => Promise<void>,
): Promise<AttemptEnd> {
  const { lease } = begun;
  const { program, turn_retries = TURN_RETRIES, goesOn } = request;
  const ends: (() => void)[] = [];
  const endAll = (): void => ends.splice(0).forEach((end) => end());
  let watch = (): void => {};
  const claimAndWatch = claimWorld && ((calls: CallsWrite) => claimWorld(calls).then(() => watch()));
  const { journal, facts } = openRecord(parts, begun, claimAndWatch);
  const observer = parts.observe?.({ lease, program, facts });
  const onProgress = notifyBoth(request.onProgress, observer?.onProgress);
  const arrivals = openArrivals<Arrival>();
  try {
    const simulation_time = request.simulationTime(lease.attempted_turn);
    const opening = {
      arrivals,
      journal,
      facts,
      lease,
      heads: begun.heads,
      program,
      simulation_time,
      turn_retries,
      is_asked_for: begun.past === undefined ? request.inbox_id !== undefined : undefined,
      goesOn,
      onProgress,
    };
    const attempt = openAttempt(opening);
    ends.push(() => abandon(attempt));
    watch = () => void ends.push(...watchOver(parts, request, attempt, begun));
    if (claimWorld === undefined) watch();
    return await driveFromRecord(parts, attempt, begun, observer);
  } catch (error) {
    endAll();
    const isHeld = !(error instanceof Overtaken || error instanceof NotAsLeft);
    if (isHeld) await leaveBroken(parts, lease, journal, error);
    throw error;
  } finally {
    endAll();
  }
}

/** The journal of an attempt, and the facts that are on record: those of each statement follow when it is written. */
function openRecord(
  parts: RuntimeParts,
  { lease, facts: before }: Begun,
  begin: ((calls: CallsWrite) => Promise<void>) | undefined,
): Pick<Attempt, 'journal' | 'facts'> {
  const facts = [...before];
  const thenKnown = (write: (calls: CallsWrite) => Promise<unknown>) => async (calls: CallsWrite) => {
    await write(calls);
    facts.push(...factsOfCalls(calls));
  };
  const writeCalls = thenKnown(async (calls) => demand(await parts.attempts.writeCalls(lease, calls)));
  return { facts, journal: openJournal({ ...present({ begin: begin && thenKnown(begin) }), writeCalls }) };
}

/** Drives an attempt from where its record ends. */
async function driveFromRecord(
  parts: RuntimeParts,
  attempt: Attempt,
  begun: Begun,
  observer: AttemptObserver | undefined,
): Promise<AttemptEnd> {
  const budgets = await findBudgetsBefore(parts, attempt.program, attempt.lease, begun.past);
  const first = findFirst(parts, attempt, begun, budgets);
  observer?.onRecalled(first.calls);
  announcePatches(attempt, attempt.state.patches);
  const { commands } = first;
  return drive(parts, attempt, begun.past === undefined ? commands : await handleStop(parts, attempt, commands));
}

function notifyBoth(first: OnProgress, second: OnProgress | undefined): OnProgress {
  if (second === undefined) return first;
  return (progress) => {
    first(progress);
    second(progress);
  };
}

/** Notifies watchers that the attempt has begun, keeps its lease and listens for it. @returns what ends each of these */
function watchOver(
  parts: RuntimeParts,
  request: AttemptRequest,
  attempt: Attempt,
  { lease, past, adopts, sets_aside }: Begun,
): readonly (() => void)[] {
  const { attempt_id, attempted_turn } = lease;
  const { simulation_time, onProgress } = attempt;
  const before = { ...toPast(past, adopts), ...present({ sets_aside, waited_ms: request.waited_ms }) };
  onProgress({ kind: 'attempt_began', attempt_id, attempted_turn, simulation_time, ...before });
  const stopListening = listen(attempt, request);
  const stopBeating = heartbeatOf(parts).keep(lease, (why) => {
    attempt.arrivals.put({ kind: 'broken', error: why === 'overtaken' ? new Overtaken() : why });
  });
  return [lookForMail(parts, attempt), stopBeating, stopListening];
}

/** The first commands: of an attempt that is resumed, those that are not on record yet. */
function findFirst(
  parts: RuntimeParts,
  attempt: Attempt,
  { world, past }: Begun,
  budgets: Pick<TurnBegan, 'budgets'>,
): Recalled {
  const began = { kind: 'turn_began', world, simulation_time: attempt.simulation_time, ...budgets } as const;
  if (past === undefined)
    return { commands: moveTo(attempt, advance(attempt.program, attempt.state, began)), calls: [] };
  const failure = findUnfit(parts, past, pluginsOf(attempt.program));
  return failure === undefined ? recall(parts, attempt, began, past) : { commands: [failure], calls: [] };
}

/**
 * Leaves an attempt open whose driver breaks, for the next, which repeats no call that has ended. One that breaks by a
 * fault of the program counts like one that died; one whose database let it down does not. Where even that cannot be
 * written, the next driver finds it as a dead driver left it.
 */
async function leaveBroken(parts: RuntimeParts, lease: AttemptLease, journal: Journal, error: unknown): Promise<void> {
  try {
    await forget(journal);
    await parts.attempts.handOver(lease, { at: parts.clock.now(), has_broken: parts.findFault(error) === undefined });
  } catch {
    // The driver's error is the one to report; this one most likely has the same cause.
  }
}

/**
 * Handles a stop that was requested while nobody drove the attempt, before any call is sent, and the messages that came
 * before it: an accepted report still answers its call.
 * @returns the commands that are left
 */
async function handleStop(
  parts: RuntimeParts,
  attempt: Attempt,
  first: readonly TurnCommand[],
): Promise<readonly TurnCommand[]> {
  if (attempt.state.stage === 'ended') return first;
  const messages = await parts.inbox.messagesOf(attempt.lease);
  if (!messages.some(({ message_type }) => message_type === 'stop')) return first;
  return [...first.filter(({ kind }) => kind !== 'suspend'), ...(await handleMail(parts, attempt, messages))];
}

/** Performs commands and handles their outcomes, until the turn ends. */
async function drive(parts: RuntimeParts, attempt: Attempt, first: readonly TurnCommand[]): Promise<AttemptEnd> {
  const { attempt_id, attempted_turn } = attempt.lease;
  for (let commands = first; ; commands = await handleNext(parts, attempt)) {
    for (const command of commands) {
      switch (command.kind) {
        case 'invoke':
          if (!attempt.is_leaving) issue(parts, attempt, command);
          break;
        case 'commit': {
          const next = await commit(parts, attempt, command);
          return { kind: 'committed', attempt_id, attempted_turn, left: leftBy(attempt), ...present({ next }) };
        }
        case 'fail': {
          const put_off = await fail(parts, attempt, command);
          return { kind: 'failed', attempt_id, attempted_turn, failure: command, ...present({ put_off }) };
        }
        case 'suspend':
          if (await suspend(parts, attempt, command)) return { kind: 'suspended', attempt_id, attempted_turn };
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

async function handleNext(parts: RuntimeParts, attempt: Attempt): Promise<readonly TurnCommand[]> {
  const arrival: Arrival = await attempt.arrivals.next();
  switch (arrival.kind) {
    case 'result':
      return isDropped(attempt, arrival.result.key) ? [] : handleResult(parts, attempt, arrival.result);
    case 'retrieved':
      return handleRetrieved(attempt, arrival);
    case 'mail':
      return handleMail(parts, attempt, arrival.messages);
    case 'withdrawn':
      return withdraw(attempt, arrival.key);
    case 'stop':
      return stop(attempt, arrival.reason);
    case 'leave':
      prepareToLeave(attempt);
      return [];
    case 'broken':
      throw arrival.error;
    default:
      return unreachable(arrival);
  }
}

async function handleResult(
  parts: RuntimeParts,
  attempt: Attempt,
  result: CallResult,
): Promise<readonly TurnCommand[]> {
  if (result.status === 'pending') return pend(parts, attempt, result);
  if (result.status === 'unapproved') return waitForApproval(attempt, result);
  if (isUnmade(attempt, result.key)) return withdraw(attempt, result.key);
  const pended = await findReported(parts, attempt, result);
  return pended === undefined ? handleOutcome(parts, attempt, result) : pend(parts, attempt, pended);
}

function listen(attempt: Attempt, { signal, leave }: AttemptRequest): () => void {
  const reason = 'the attempt was stopped before it had ended';
  const ends = [onAbort(signal, () => attempt.arrivals.put({ kind: 'stop', reason }))];
  if (leave !== undefined) ends.push(onAbort(leave, () => attempt.arrivals.put({ kind: 'leave' })));
  return () => ends.forEach((end) => end());
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // All attempts of a worker listen to one signal, and Node.js takes an eleventh listener for a leak.
  setMaxListeners(0, signal);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}
