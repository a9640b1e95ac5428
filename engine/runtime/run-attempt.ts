import { setMaxListeners } from 'node:events';
import { unreachable } from '../contract/unreachable.js';
import { type Adoption, adopt, type LeftTurn } from '../core/turn/adopt.js';
import { advance } from '../core/turn/advance.js';
import type { Fail, TurnCommand } from '../core/protocol/command.js';
import { RENDERER_VERSION } from '../core/prompt/renderer-version.js';
import { pluginsOf } from '../core/workflow/plugins-of.js';
import type { Program } from '../core/protocol/program.js';
import { mismatch } from '../core/turn/refold.js';
import { TURN_RETRIES } from '../core/inbox/backoff.js';
import type {
  AttemptLease,
  AttemptPast,
  BeginAttempt,
  BeginOutcome,
  CallsWrite,
  LeftAttempt,
  LeftWorld,
  PutOff,
} from '../ports/attempts.js';
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
  leftBy,
  NotAsLeft,
  demand,
  openAttempt,
  Overtaken,
  prepareToLeave,
  recall,
  take,
  withdraw,
} from './attempt.js';
import { openArrivals } from './arrivals.js';
import { toRecorded } from './event-of.js';
import { beatAtIntervals } from './interval-heartbeat.js';
import { forget, type Journal, openJournal } from './journal.js';
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
  /** Begins anew: adopts nothing of the attempt before, and sets aside what of it is in doubt. */
  readonly anew?: boolean;
  /** How often a queued turn is tried anew after transient failures; `TURN_RETRIES` where it is left out. */
  readonly turn_retries?: number;
  /** The world as the turn before has left it, where it ran here: it need not be read, if nobody has been there since. */
  readonly left?: LeftWorld;
}

/** How an attempt ended, or why there was none. */
export type AttemptEnd =
  | {
      readonly kind: 'committed';
      readonly attempt_id: string;
      readonly attempted_turn: number;
      readonly left: LeftWorld;
    }
  | {
      readonly kind: 'failed';
      readonly attempt_id: string;
      readonly attempted_turn: number;
      readonly failure: Fail;
      /** The queued turn that asked for it is tried anew. */
      readonly put_off?: PutOff;
    }
  | { readonly kind: 'suspended'; readonly attempt_id: string; readonly attempted_turn: number }
  | { readonly kind: 'handed_over'; readonly attempt_id: string; readonly attempted_turn: number }
  | Exclude<BeginOutcome, { kind: 'begun' | 'other_scenario' }>;

type BeatingParts = RuntimeParts & Required<Pick<RuntimeParts, 'heartbeat'>>;

type Begun = Extract<BeginOutcome, { readonly kind: 'begun' }>;

/**
 * Tries a world's next turn once: takes the lease, drives the reducer, commits or fails.
 * @throws Overtaken when another driver took the world; whatever the database throws when it is gone
 */
export async function runAttempt(parts: RuntimeParts, request: AttemptRequest): Promise<AttemptEnd> {
  const end = request.left === undefined ? undefined : await runAsLeft(parts, request, request.left);
  if (end !== undefined) return end;
  const beating = withHeartbeat(parts);
  const begun = await parts.attempts.begin(toBegin(beating, request, parts.clock.uuid()), parts.isAlive);
  if (begun.kind === 'other_scenario') throw new Overtaken();
  return begun.kind === 'begun' ? runBegun(beating, request, begun) : begun;
}

function withHeartbeat(parts: RuntimeParts): BeatingParts {
  return { ...parts, heartbeat: parts.heartbeat ?? beatAtIntervals(parts.attempts) };
}

/**
 * Tries a world's next turn without reading the world: takes it by the statement that writes the first calls.
 * @returns undefined where the world is not as it was left, or the message asks for nothing any more: nothing was begun
 * @throws as `runAttempt` does
 */
export async function runAsLeft(
  given: RuntimeParts,
  request: AttemptRequest,
  left: LeftWorld,
): Promise<AttemptEnd | undefined> {
  const { world_slug } = request;
  if (request.continues_only) return undefined;
  const parts = withHeartbeat(given);
  const begin = toBegin(parts, request, parts.clock.uuid());
  const { attempt_id } = begin;
  const lease = { attempt_id, world_slug, attempted_turn: left.world.turn + 1, epoch: left.epoch + 1 };
  const begun: Begun = { kind: 'begun', lease, world: left.world, heads: left.heads };
  try {
    return await runBegun(parts, request, begun, async (calls) => {
      if ((await parts.attempts.beginAsLeft(begin, lease, calls)) === 'overtaken') throw new NotAsLeft();
    });
  } catch (error) {
    if (error instanceof NotAsLeft) return undefined;
    throw error;
  }
}

/** @param takeWorld takes the world together with the first calls; left out where it has been taken */
async function runBegun(
  parts: BeatingParts,
  request: AttemptRequest,
  begun: Begun,
  takeWorld?: (calls: CallsWrite) => Promise<void>,
): Promise<AttemptEnd> {
  const { lease } = begun;
  const { program, onProgress, turn_retries = TURN_RETRIES } = request;
  const ends: (() => void)[] = [];
  const endAll = (): void => ends.splice(0).forEach((end) => end());
  let watch = (): void => {};
  const takeAndWatch = takeWorld && ((calls: CallsWrite) => takeWorld(calls).then(() => watch()));
  const arrivals = openArrivals<Arrival>();
  const writeCalls = async (calls: CallsWrite): Promise<void> => demand(await parts.attempts.writeCalls(lease, calls));
  const journal = openJournal({ ...(takeAndWatch === undefined ? {} : { begin: takeAndWatch }), writeCalls });
  try {
    const simulation_time = request.simulationTime(lease.attempted_turn);
    const opening = {
      arrivals,
      journal,
      lease,
      heads: begun.heads,
      program,
      simulation_time,
      turn_retries,
      onProgress,
    };
    const attempt = openAttempt(opening);
    ends.push(() => abandon(attempt));
    watch = () => void ends.push(...watchOver(parts, request, attempt, begun));
    if (takeWorld === undefined) watch();
    return await drive(parts, attempt, findFirst(parts, attempt, begun));
  } catch (error) {
    endAll();
    const isHeld = !(error instanceof Overtaken || error instanceof NotAsLeft);
    if (isHeld) await leaveBroken(parts, lease, { journal, error });
    throw error;
  } finally {
    endAll();
  }
}

/** Tells that the attempt has begun, keeps its lease and listens for it. @returns what ends each of these */
function watchOver(
  parts: BeatingParts,
  request: AttemptRequest,
  attempt: Attempt,
  { lease, past, adopts, sets_aside }: Begun,
): readonly (() => void)[] {
  const { attempt_id, attempted_turn } = lease;
  const { simulation_time, onProgress } = attempt;
  const before = { ...toPast(past, adopts), ...(sets_aside === undefined ? {} : { sets_aside }) };
  onProgress({ kind: 'attempt_began', attempt_id, attempted_turn, simulation_time, ...before });
  const stopListening = listen(attempt, request);
  const stopBeating = parts.heartbeat.keep(lease, (why) => {
    attempt.arrivals.put({ kind: 'broken', error: why === 'overtaken' ? new Overtaken() : why });
  });
  return [lookForMail(parts, attempt), stopBeating, stopListening];
}

/** What there is to do first: for an attempt that goes on, whatever is not on record yet. */
function findFirst(parts: RuntimeParts, attempt: Attempt, { world, past }: Begun): readonly TurnCommand[] {
  const began = { kind: 'turn_began', world, simulation_time: attempt.simulation_time } as const;
  if (past === undefined) return take(attempt, advance(attempt.program, attempt.state, began));
  const failure = findUnfit(parts, past, pluginsOf(attempt.program));
  return failure === undefined ? recall(attempt, began, past) : [failure];
}

/** Why an attempt does not go on, where it does not. */
function findUnfit(parts: RuntimeParts, past: AttemptPast, plugins: ReadonlySet<string>): Fail | undefined {
  if (past.take_overs > TAKE_OVERS_MAX) {
    const message = `${past.take_overs} drivers have died or broken of this attempt; the next one would most likely be no luckier`;
    return { kind: 'fail', failure_class: 'poisoned', message };
  }
  const versions = Object.entries(parts.plugin_versions).filter(([name]) => plugins.has(name));
  const ours = { renderer: RENDERER_VERSION, ...Object.fromEntries(versions) };
  const theirs: Readonly<Record<string, string>> = { renderer: past.renderer_version, ...past.plugin_versions };
  const changed = Object.entries(ours).find(([name, version]) => (theirs[name] ?? version) !== version);
  if (changed === undefined) return undefined;
  const [name, version] = changed;
  return mismatch(`the attempt began with ${name} ${theirs[name]}, and this program has ${version}`);
}

function toPast(
  past: AttemptPast | undefined,
  adopts: string | undefined,
): Pick<Extract<Progress, { kind: 'attempt_began' }>, 'continued' | 'adopts'> {
  if (past === undefined) return {};
  if (adopts !== undefined) return { adopts: { attempt_id: adopts, calls: past.calls.length } };
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
          return { kind: 'committed', attempt_id, attempted_turn, left: leftBy(attempt) };
        case 'fail': {
          const put_off = await fail(parts, attempt, command);
          const failed = { kind: 'failed', attempt_id, attempted_turn, failure: command } as const;
          return put_off === undefined ? failed : { ...failed, put_off };
        }
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

async function hearEnd(parts: RuntimeParts, attempt: Attempt, outcome: CallOutcome): Promise<readonly TurnCommand[]> {
  const pended = await findReported(parts, attempt, outcome);
  return pended === undefined ? hear(attempt, outcome) : pend(parts, attempt, pended);
}

function toBegin(parts: BeatingParts, request: AttemptRequest, attempt_id: string): BeginAttempt {
  return {
    attempt_id,
    world_slug: request.world_slug,
    scenario_hash: request.program.scenario_hash,
    holder: parts.holder,
    started_at: parts.clock.now(),
    lease_ms: parts.heartbeat.lease_ms,
    renderer_version: RENDERER_VERSION,
    plugin_versions: parts.plugin_versions,
    event_turns: request.program.event_turns,
    ...(request.inbox_id === undefined ? {} : { inbox_id: request.inbox_id }),
    ...(request.continues_only === undefined ? {} : { continues_only: request.continues_only }),
    ...(request.anew === undefined ? {} : { anew: request.anew }),
    adopt: (left) => adoptFrom(request, left),
  };
}

/** What a new attempt adopts of the one before. */
function adoptFrom(
  { program, simulationTime }: AttemptRequest,
  { world, attempted_turn, attempt_id, calls, ...left }: LeftAttempt,
): Adoption {
  const simulation_time = simulationTime(attempted_turn);
  const began = { kind: 'turn_began', world, simulation_time } as const;
  const ended = calls.find(({ source_invocation_id }) => source_invocation_id === left.failed_source_invocation_id);
  const failure: LeftTurn['failure'] = {
    failure_class: left.failure_class,
    ...(left.is_transient ? { is_transient: true } : {}),
    ...(ended === undefined ? {} : { call_key: ended.key }),
  };
  const records = calls.map((call) => toRecorded({ ...call, adopted_from: call.adopted_from ?? attempt_id }));
  return adopt(program, began, { scenario_hash: left.scenario_hash, failure, records });
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
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
