import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import type { AcceptedPatch, TurnCommand } from '../core/protocol/command.js';
import { advance } from '../core/turn/advance.js';
import type { Discarded, Step } from '../core/turn/step.js';
import type { TurnBegan } from '../core/protocol/event.js';
import { refoldAsPlayed } from '../core/turn/speculation/refold-as-played.js';
import { type TurnState, UNBEGUN } from '../core/turn/state.js';
import type { Program } from '../core/protocol/program.js';
import type { FoundMemory } from '../core/world/retrieval.js';
import type { AgentHeads, AttemptLease, AttemptPast, CallFinish, CallStart } from '../ports/attempts.js';
import type { InboxMessage } from '../ports/inbox.js';
import type { CallOutcome, CallResult } from '../ports/sources.js';
import type { Arrivals } from './arrivals.js';
import type { AttemptRequest } from './attempt-request.js';
import { endWaits, type Waits } from './backoff.js';
import { eventOf, toRecorded } from './event-of.js';
import { type CallWrite, type Journal, writeAlone, writeCall } from './journal.js';
import type { Fact } from '../core/facts/fact.js';
import { factsOfSuperseding } from './fact-log.js';
import type { OnProgress, RecalledCall } from './progress.js';
import type { RuntimeParts } from './runtime-parts.js';

/** An attempt in which nothing has happened yet. */
interface Opening {
  readonly lease: AttemptLease;
  readonly simulation_time: string;
  /** How often a queued turn is tried anew after transient failures. */
  readonly turn_retries: number;
  /** Whether a message asks for it; undefined where another driver has begun it. */
  readonly is_asked_for: boolean | undefined;
  readonly goesOn: AttemptRequest['goesOn'];
  readonly onProgress: OnProgress;
  readonly arrivals: Arrivals<Arrival>;
  readonly journal: Journal;
  /** What is on record, as it was written. */
  readonly facts: Fact[];
  /** The state heads of the world's agents, as the last statement that moved them has left them. */
  readonly heads: AgentHeads;
  /** It runs subjects as an earlier driver of the attempt did. */
  program: Program;
}

/** An attempt while it is driven: the one mutable thing of the runtime. */
export interface Attempt extends Opening {
  readonly calls: Map<string, Call>;
  /** The keys of the calls that wait for a person, by the ids of their approvals. */
  readonly approvals: Map<string, string>;
  /** How often each command has been performed, here and by earlier drivers. */
  readonly performances: Map<string, number>;
  /** Calls that have failed and are made again in a while. */
  readonly waits: Waits;
  /** The highest number that a call has. */
  last_invocation_seq: number;
  state: TurnState;
  /** Makes no further call: another driver is to take over. */
  is_leaving: boolean;
}

/** An input of a driver. `withdrawn`: a call is not made again after all. `leave`: another driver is to take over. */
export type Arrival =
  | { readonly kind: 'result'; readonly result: CallResult }
  | { readonly kind: 'retrieved'; readonly key: string; readonly found: readonly FoundMemory[] }
  | { readonly kind: 'mail'; readonly messages: readonly InboxMessage[] }
  | { readonly kind: 'withdrawn'; readonly key: string }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** One issued call. */
export interface Call {
  readonly start: CallStart;
  readonly abort: AbortController;
  /** One that waits for a place has no record; of one that is made the start is on record, or being written. */
  stage: 'waits' | 'made' | 'over';
  /** The performance before this one. */
  readonly former?: Call;
  /** Resolves when its end has been reported to watchers. */
  reported?: Promise<void>;
}

/** An attempt that can be driven. */
export function openAttempt(opening: Opening): Attempt {
  return {
    ...opening,
    state: UNBEGUN,
    is_leaving: false,
    calls: new Map(),
    approvals: new Map(),
    performances: new Map(),
    waits: new Map(),
    last_invocation_seq: 0,
  };
}

/** The commands that are left of a turn, and its calls on record. */
export interface Recalled {
  readonly commands: readonly TurnCommand[];
  readonly calls: readonly RecalledCall[];
}

/** Folds the record up to where the turn was. */
export function recall(parts: RuntimeParts, attempt: Attempt, began: TurnBegan, past: AttemptPast): Recalled {
  const recorded = past.calls.map((call) => ({ call, record: toRecorded(call) }));
  const records = recorded.map(({ record }) => record);
  const { state, commands, asked, answered, discarded, program } = refoldAsPlayed(attempt.program, began, records);
  attempt.program = program;
  attempt.state = state;
  attempt.last_invocation_seq = past.last_invocation_seq;
  const calls: RecalledCall[] = [];
  for (const { call, record } of recorded) {
    if (!record.is_adopted) attempt.performances.set(call.key, call.performance);
    const command = record.is_adopted ? answered.get(record) : asked.get(call.key);
    if (command === undefined) continue;
    calls.push({ command, call });
    attempt.calls.set(command.key, { start: { ...call, command }, abort: new AbortController(), stage: 'over' });
  }
  // The driver before may have died before it noted them.
  supersede(parts, attempt, discarded);
  return { commands, calls };
}

/** One finished call becomes a fact: the core decides, and its commands wait until the record of it is written. */
export function handleOutcome(
  parts: RuntimeParts,
  attempt: Attempt,
  outcome: CallOutcome,
  is_reported = false,
): readonly TurnCommand[] {
  const call = callOf(attempt, outcome.key);
  call.stage = 'over';
  const step = advance(attempt.program, attempt.state, eventOf(outcome));
  const { verdict } = step;
  const { source_invocation_id, llm_call_id, command } = call.start;
  const end = present({ llm_call_id, verdict, is_reported: is_reported ? true : undefined });
  const finish: CallFinish = { source_invocation_id, outcome, ...end };
  const is_ahead = (command.rank ?? 0) > step.state.head ? true : undefined;
  const patches = step.state.patches.slice(attempt.state.patches.length);
  const accepted = patches.find(({ call_key }) => call_key === outcome.key);
  const seen = present({ is_ahead, effects: accepted?.applied.effects, verdict });
  const finished = { kind: 'call_finished', source_invocation_id, command, outcome, ...seen } as const;
  // The record of a side effect is never delayed.
  const can_wait = step.commands.length === 0 && !isAct(call);
  call.reported = writeCall(attempt.journal, toWrite(call, finish, can_wait))
    .then(() => attempt.onProgress(finished))
    .then(() => announcePatches(attempt, patches))
    .catch((error: unknown) => attempt.arrivals.put({ kind: 'broken', error }));
  if (step.discarded !== undefined) supersede(parts, attempt, step.discarded);
  return moveTo(attempt, step);
}

/** Tells watchers of the patches that the working world has taken. */
export function announcePatches({ program, onProgress }: Attempt, patches: readonly AcceptedPatch[]): void {
  for (const patch of patches) {
    const rank = program.subjects.findIndex(({ subject_id }) => subject_id === patch.subject_id);
    onProgress({ kind: 'patch_accepted', patch, rank });
  }
}

/**
 * Aborts the calls of discarded runs that are under way, and records that all of them are superseded. A call that still
 * waited for a place has no record, and is not superseded.
 */
function supersede(parts: RuntimeParts, attempt: Attempt, discarded: readonly Discarded[]): void {
  const keys = discarded.flatMap((run) => run.keys);
  for (const call of keys.flatMap((key) => attempt.calls.get(key) ?? []))
    if (call.stage !== 'over') call.abort.abort('an earlier subject had changed what its subject read');
  for (const key of endWaits(attempt.waits, new Set(keys))) attempt.arrivals.put({ kind: 'withdrawn', key });
  const calls = keys.flatMap((key) => findMade(attempt, key)?.start ?? []);
  if (calls.length === 0) return;
  const issued = calls.toSorted((left, right) => left.invocation_seq - right.invocation_seq);
  const source_invocation_ids = issued.map(({ source_invocation_id }) => source_invocation_id);
  const made = discarded.map((run) => ({ ...run, keys: run.keys.filter((key) => findMade(attempt, key)) }));
  const runs = made.filter((run) => run.keys.length > 0);
  const superseded = { source_invocation_ids, at: parts.clock.now() };
  writeAlone(attempt.journal, () => parts.attempts.supersede(attempt.lease, superseded))
    .then(() => attempt.facts.push(...factsOfSuperseding(attempt.facts, superseded)))
    .then(() => runs.forEach((run) => attempt.onProgress({ kind: 'calls_superseded', ...run })))
    .catch((error: unknown) => attempt.arrivals.put({ kind: 'broken', error }));
}

/** The last performance of a call that is on record. */
function findMade({ calls }: Attempt, key: string): Call | undefined {
  const call = calls.get(key);
  return call?.stage === 'waits' ? call.former : call;
}

/** A call that was refused never started, and is written with its end. */
function toWrite({ start }: Call, finish: CallFinish, can_wait: boolean): CallWrite {
  const is_refused = finish.outcome.status === 'failed' && finish.outcome.refused;
  return is_refused
    ? { kind: 'started', start: { ...start, refused: finish } }
    : { kind: 'finished', finish, can_wait };
}

/** Moves to the next state. After a first failure, reading calls that are under way are no longer wanted. */
export function moveTo(attempt: Attempt, step: Step): readonly TurnCommand[] {
  attempt.state = step.state;
  const { failure } = step.state;
  if (failure !== undefined) {
    abortReads(attempt, failure.failure_class === 'stopped' ? 'the turn was stopped' : 'the turn had failed elsewhere');
    for (const key of endWaits(attempt.waits)) attempt.arrivals.put({ kind: 'withdrawn', key });
  }
  return step.commands;
}

/** Gives a node the memories that it is shown. */
export function handleRetrieved(
  attempt: Attempt,
  { key, found }: Extract<Arrival, { readonly kind: 'retrieved' }>,
): readonly TurnCommand[] {
  if (attempt.is_leaving) return [];
  const value = found as unknown as Json;
  return moveTo(
    attempt,
    advance(attempt.program, attempt.state, { kind: 'call_answered', key, value, duration_ms: 0 }),
  );
}

/** A call that waited to be made is not wanted any more. Nothing of that is on record. */
export function withdraw(attempt: Attempt, key: string): readonly TurnCommand[] {
  const message = 'its answer was not wanted any more before the call was made';
  return moveTo(
    attempt,
    advance(attempt.program, attempt.state, { kind: 'call_refused', key, failure_class: 'stopped', message }),
  );
}

/**
 * Makes no further call, so that another driver can take over. Reads that are under way are dropped, since the next
 * driver repeats them; a call with a side effect runs to its end, which nobody else would see.
 */
export function prepareToLeave(attempt: Attempt): void {
  attempt.is_leaving = true;
  endWaits(attempt.waits);
  abortReads(attempt, 'its driver left it to another');
}

/** Whether a call is under way that changes something outside. */
export function isActing(attempt: Attempt): boolean {
  return [...attempt.calls.values()].some((call) => call.stage !== 'over' && isAct(call));
}

/** Whether a call of a discarded run has ended before it was made: no request was sent. */
export function isUnmade({ calls, state }: Attempt, key: string): boolean {
  return state.dropped.has(key) && calls.get(key)?.stage === 'waits';
}

/** Whether a driver that leaves has dropped the call: its end is not recorded. */
export function isDropped(attempt: Attempt, key: string): boolean {
  return attempt.is_leaving && !isAct(callOf(attempt, key));
}

function isAct({ start }: Call): boolean {
  return start.command.call.effect !== 'read_only';
}

/** Makes no further call: the driver is leaving. */
export function abandon(attempt: Attempt): void {
  endWaits(attempt.waits);
  for (const call of attempt.calls.values()) if (call.stage !== 'over') call.abort.abort('its driver left');
}

/** @param why becomes part of the failure's message */
function abortReads(attempt: Attempt, why: string): void {
  for (const call of attempt.calls.values()) {
    if (call.stage !== 'over' && !isAct(call)) call.abort.abort(why);
  }
}

/** A call that has been issued, here or by an earlier driver. */
export function callOf(attempt: Attempt, key: string): Call {
  const call = attempt.calls.get(key);
  if (call === undefined) throw new Error(`the command ${key} was never issued`);
  return call;
}
