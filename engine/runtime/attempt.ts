import type { CallPointer } from '../core/agents/book.js';
import type { Commit, Fail, Invoke, TurnCommand } from '../core/turn/command.js';
import { advance, type Step } from '../core/turn/advance.js';
import type { TurnBegan } from '../core/turn/event.js';
import { refold } from '../core/turn/refold.js';
import type { TurnState } from '../core/turn/state.js';
import type { Verdict } from '../core/turn/verdict.js';
import type { Program } from '../core/workflow/program.js';
import type { AttemptLease, AttemptPast, CallFinish, CallStart, Written } from '../ports/attempts.js';
import type { InboxMessage } from '../ports/inbox.js';
import type { CallOutcome, CallPended, CallResult } from '../ports/sources.js';
import { type AgentNotes, note, writeEnding, writeNoted } from './agent-notes.js';
import { type Arrivals, openArrivals } from './arrivals.js';
import { eventOf } from './event-of.js';
import type { OnProgress } from './progress.js';
import type { RuntimeParts } from './runtime-parts.js';

/** Another driver took the world over; this one has written nothing since, and must not go on. */
export class Overtaken extends Error {
  override name = 'Overtaken';
  override message = 'another driver has taken this world over';
}

/** An attempt while it is driven: the one mutable thing of the runtime. */
export interface Attempt {
  readonly lease: AttemptLease;
  readonly program: Program;
  readonly simulation_time: string;
  readonly onProgress: OnProgress;
  readonly arrivals: Arrivals<Arrival>;
  readonly calls: Map<string, Call>;
  readonly notes: AgentNotes;
  /** The highest number that a call has. */
  last_invocation_seq: number;
  state: TurnState;
  /** Asks nothing more: another driver is to go on. */
  is_leaving: boolean;
}

/** What reaches a driver: the end of a call or that it comes later, messages, a request to stop or to leave it to another, or something broken. */
export type Arrival =
  | { readonly kind: 'ended'; readonly outcome: CallOutcome }
  | { readonly kind: 'pended'; readonly pended: CallPended }
  | { readonly kind: 'mail'; readonly messages: readonly InboxMessage[] }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** One issued call. */
interface Call {
  readonly start: CallStart;
  readonly abort: AbortController;
  under_way: boolean;
  /** Whether its row is written, or is being written. */
  has_row: boolean;
}

/** An attempt that has heard nothing yet. */
export function openAttempt(
  opening: Pick<Attempt, 'lease' | 'program' | 'simulation_time' | 'onProgress' | 'state' | 'notes'>,
): Attempt {
  return { ...opening, is_leaving: false, arrivals: openArrivals(), calls: new Map(), last_invocation_seq: 0 };
}

/** Takes up what is on record, and comes back to where the turn stood. @returns what is left to do */
export function recall(attempt: Attempt, began: TurnBegan, past: AttemptPast): readonly TurnCommand[] {
  const records = past.calls.map(({ fact, ...call }) => ({ ...call, ...(fact ? { event: eventOf(fact) } : {}) }));
  const { state, commands, asked, agents } = refold(attempt.program, began, records);
  attempt.state = state;
  note(attempt.notes, agents);
  attempt.last_invocation_seq = past.last_invocation_seq;
  const wanted = new Set(commands.map((command) => (command.kind === 'invoke' ? command.key : undefined)));
  for (const call of past.calls) {
    const command = asked.get(call.key);
    if (command === undefined || wanted.has(call.key)) continue;
    const start = { ...call, command };
    attempt.calls.set(call.key, { start, abort: new AbortController(), under_way: false, has_row: true });
  }
  return commands;
}

/** One finished call becomes a fact: the core decides, the record is written, and only then does anything follow. */
export async function hear(
  parts: RuntimeParts,
  attempt: Attempt,
  outcome: CallOutcome,
  is_reported = false,
): Promise<readonly TurnCommand[]> {
  const call = callOf(attempt, outcome.key);
  call.under_way = false;
  const step = advance(attempt.program, attempt.state, eventOf(outcome));
  note(attempt.notes, step.agents);
  await writeFinish(parts, attempt, call, toFinish(call, { outcome, is_reported, verdict: step.verdict }));
  attempt.onProgress({
    kind: 'call_finished',
    source_invocation_id: call.start.source_invocation_id,
    command: call.start.command,
    outcome,
    ...(step.verdict === undefined ? {} : { verdict: step.verdict }),
  });
  return moveTo(attempt, step);
}

/** Moves to the next state, and has still to write what that means for agents. */
export function take(attempt: Attempt, step: Step): readonly TurnCommand[] {
  note(attempt.notes, step.agents);
  return moveTo(attempt, step);
}

/** After a first failure, reading calls that are under way are no longer wanted. */
function moveTo(attempt: Attempt, step: Step): readonly TurnCommand[] {
  attempt.state = step.state;
  if (step.state.failure !== undefined) abortReads(attempt);
  return step.commands;
}

/** Asks a source; what came of it arrives later. */
export function issue(parts: RuntimeParts, attempt: Attempt, command: Invoke): void {
  const start = toStart(parts, attempt, command);
  const call: Call = { start, abort: new AbortController(), under_way: true, has_row: false };
  if (attempt.calls.has(command.key)) throw new Error(`the command ${command.key} was issued twice`);
  attempt.calls.set(command.key, call);
  perform(parts, attempt, call).then(
    (result) => attempt.arrivals.put(toArrival(result)),
    (error: unknown) => attempt.arrivals.put({ kind: 'broken', error }),
  );
}

function toArrival(result: CallResult): Arrival {
  return result.status === 'pending' ? { kind: 'pended', pended: result } : { kind: 'ended', outcome: result };
}

/** Does what the core asked for and reports what came of it. */
function perform(parts: RuntimeParts, attempt: Attempt, call: Call): Promise<CallResult> {
  const { lease } = attempt;
  const { command, llm_call_id } = call.start;
  return parts.callSource(
    command,
    {
      client_request_id: `${lease.world_slug}/turn-${lease.attempted_turn}/${command.key}`,
      correlation_id: call.start.source_invocation_id,
      signal: call.abort.signal,
    },
    {
      async started() {
        await tell(attempt, call, (told) => parts.attempts.startCall(lease, { ...call.start, ...told }));
        attempt.onProgress({ kind: 'call_started', source_invocation_id: call.start.source_invocation_id, command });
      },
      async flushed(batch) {
        if (llm_call_id !== undefined) demand(await parts.attempts.flushChunks(lease, llm_call_id, batch));
      },
    },
  );
}

async function writeFinish(
  { attempts }: RuntimeParts,
  attempt: Attempt,
  call: Call,
  finish: CallFinish,
): Promise<void> {
  const { lease } = attempt;
  const refused = finish.outcome.status === 'failed' && finish.outcome.refused;
  await tell(attempt, call, (told) =>
    refused
      ? attempts.startCall(lease, { ...call.start, refused: finish, ...told })
      : attempts.finishCall(lease, { ...finish, ...told }),
  );
}

interface Heard {
  readonly outcome: CallOutcome;
  readonly is_reported: boolean;
  readonly verdict: Verdict | undefined;
}

function toFinish({ start }: Call, { outcome, is_reported, verdict }: Heard): CallFinish {
  return {
    source_invocation_id: start.source_invocation_id,
    ...(start.llm_call_id === undefined ? {} : { llm_call_id: start.llm_call_id }),
    outcome,
    ...(verdict === undefined ? {} : { verdict }),
    ...(is_reported ? { is_reported } : {}),
  };
}

/** Writes the row of a call, or its end, together with what there is to tell of agents. */
async function tell(attempt: Attempt, call: Call, write: (told: Told) => Promise<Written>): Promise<void> {
  call.has_row = true;
  await writeNoted(attempt.notes, pointersOf(attempt), async (agents) => demand(await write(toTold(agents))));
}

type Told = Pick<CallFinish, 'agents'>;

/** What a statement tells of agents, where it tells anything. */
export function toTold(agents: Told['agents']): Told {
  return agents === undefined ? {} : { agents };
}

/** Finds the record of a call, where it has one. */
export function pointersOf({ calls }: Attempt): (call_key: string) => CallPointer | undefined {
  return (call_key) => {
    const call = calls.get(call_key);
    return call?.has_row === true ? call.start : undefined;
  };
}

/** Makes the working world turn N, at once and whole. */
export async function commit(parts: RuntimeParts, attempt: Attempt, command: Commit): Promise<void> {
  const patches = command.patches.map((patch) => {
    const { start } = callOf(attempt, patch.call_key);
    if (start.llm_call_id === undefined) throw new Error(`the patch of ${patch.call_key} was not said by a model`);
    return {
      ...patch,
      source_invocation_id: start.source_invocation_id,
      llm_call_id: start.llm_call_id,
      source_hash: start.command.call.source.hash,
    };
  });
  const { simulation_time, lease } = attempt;
  const turn = { patches, simulation_time, ended_at: parts.clock.now() };
  await writeEnding(attempt.notes, command, pointersOf(attempt), async (agents) =>
    demand(await parts.attempts.commit(lease, { ...turn, ...toTold(agents) })),
  );
  attempt.onProgress({
    kind: 'turn_committed',
    attempt_id: lease.attempt_id,
    attempted_turn: lease.attempted_turn,
    patches: command.patches,
  });
}

/** Ends the attempt; the world stays at T(N-1) and every trace is kept. */
export async function fail(parts: RuntimeParts, attempt: Attempt, failure: Fail): Promise<void> {
  const { lease } = attempt;
  const call = failure.call_key === undefined ? undefined : callOf(attempt, failure.call_key);
  const by = call === undefined ? {} : { source_invocation_id: call.start.source_invocation_id };
  const ended = { status: 'failed', failure, ended_at: parts.clock.now(), ...by } as const;
  await writeEnding(attempt.notes, failure, pointersOf(attempt), async (agents) =>
    demand(await parts.attempts.fail(lease, { ...ended, ...toTold(agents) })),
  );
  attempt.onProgress({
    kind: 'attempt_failed',
    attempt_id: lease.attempt_id,
    attempted_turn: lease.attempted_turn,
    failure,
    ...by,
  });
}

/**
 * Asks nothing more, so that another driver can go on. Reads that are under way are dropped, for whoever goes on reads
 * again; a call that changes something runs to its end, which nobody else would see.
 */
export function prepareToLeave(attempt: Attempt): void {
  attempt.is_leaving = true;
  abortReads(attempt);
}

/** Whether a call is under way that changes something outside. */
export function isActing(attempt: Attempt): boolean {
  return [...attempt.calls.values()].some((call) => call.under_way && isAct(call));
}

/** Whether the end of a call is none, because it was dropped on leaving. */
export function isDropped(attempt: Attempt, key: string): boolean {
  return attempt.is_leaving && !isAct(callOf(attempt, key));
}

function isAct({ start }: Call): boolean {
  return start.command.call.effect !== 'read_only';
}

/** Gives the world back with the attempt still open. */
export async function handOver(parts: RuntimeParts, attempt: Attempt): Promise<void> {
  abandon(attempt);
  demand(await parts.attempts.handOver(attempt.lease, parts.clock.now()));
}

/** Wants nothing any more: the driver is leaving. */
export function abandon(attempt: Attempt): void {
  for (const call of attempt.calls.values()) call.abort.abort();
}

function abortReads(attempt: Attempt): void {
  for (const call of attempt.calls.values()) {
    if (call.under_way && !isAct(call)) call.abort.abort();
  }
}

function toStart(parts: RuntimeParts, attempt: Attempt, command: Invoke): CallStart {
  const parent = command.parent_key === undefined ? undefined : callOf(attempt, command.parent_key);
  return {
    source_invocation_id: parts.clock.uuid(),
    ...(command.generation === undefined ? {} : { llm_call_id: parts.clock.uuid() }),
    invocation_seq: ++attempt.last_invocation_seq,
    command,
    ...(parent === undefined ? {} : { parent_source_invocation_id: parent.start.source_invocation_id }),
    started_at: parts.clock.now(),
  };
}

/** A call that has been issued, here or by an earlier driver. */
export function callOf(attempt: Attempt, key: string): Call {
  const call = attempt.calls.get(key);
  if (call === undefined) throw new Error(`the command ${key} was never issued`);
  return call;
}

/**
 * Goes on only with a write that landed.
 * @throws Overtaken where it did not
 */
export function demand(written: Written): void {
  if (written === 'overtaken') throw new Overtaken();
}
