import { present } from '../../contract/present.js';
import type { Fail, Invoke, Suspend } from '../protocol/command.js';
import type { ApprovalAsked, ApprovalDecided, CallEvent, CallPended, TurnEvent } from '../protocol/event.js';
import { callFailed } from '../nodes/node-failure.js';
import { isPassedOn, toAbsence } from '../protocol/on-failure.js';
import type { Program, SubjectProgram } from '../protocol/program.js';
import { applyPatch } from '../world/apply-patch.js';
import { recentEvents } from '../world/recent-events.js';
import { askTurnAmbients, toAnswered } from './ambients.js';
import { listRemembered, type RememberedPatch } from './remember.js';
import { decideRetry } from './retry.js';
import type { Asker } from './asker.js';
import { openBudgets, reserveCall, settleCall } from './budgets.js';
import type { StartedRun, TurnState } from './state.js';
import { releaseHeld } from './speculation/held-calls.js';
import { withOutcome } from './speculation/outcomes.js';
import { beginAhead, updateLater } from './speculation/runs-ahead.js';
import { withEntry, without } from './subject-run.js';
import { type Step, join } from './step.js';
import { beginHead, handleInSubject, subjectAt } from './subjects.js';

/** The whole meaning of a turn: pure, total, and idempotent: an event that it has handled, or awaits no more, changes nothing. */
export function advance(program: Program, state: TurnState, event: TurnEvent): Step {
  if (state.stage === 'ended') return { state, commands: [] };
  const step = handle(program, state, event);
  const suspension = step.state === state ? undefined : suspensionOf(step.state);
  return suspension === undefined ? step : { ...step, commands: [suspension] };
}

function handle(program: Program, state: TurnState, event: TurnEvent): Step {
  switch (event.kind) {
    case 'turn_began':
      if (state.stage !== 'unbegun') return { state, commands: [] };
      return beginTurn(program, {
        ...state,
        stage: 'turn_ambients',
        world: { ...event.world, events: recentEvents(event.world, program.event_turns) },
        simulation_time: event.simulation_time,
        budgets: openBudgets(program, event.budgets),
      });
    case 'stopped':
      return failTurn(state, stopFailure(program, state, event.reason));
    case 'call_pended':
    case 'approval_asked':
      return handlePended(state, event);
    case 'approval_decided':
      return handleDecided(state, event);
    default:
      return handleCall(program, state, event);
  }
}

function handleCall(program: Program, before: TurnState, event: CallEvent): Step {
  const state = settleCall(program, before, event);
  if (state.dropped.has(event.key)) return handleDropped(program, state, event);
  const asker = state.awaited.get(event.key);
  if (asker === undefined) return { state, commands: [] };
  const isFinal =
    event.kind === 'call_answered' ||
    (event.kind === 'call_failed' && (event.is_final === true || event.was_pending === true)) ||
    state.failure !== undefined;
  if (isFinal) return handleEnd(program, state, asker, withRetries(asker.command, event));
  const after = decideRetry(asker.command, event);
  if (after.kind !== 'invoke') return handleEnd(program, state, asker, withRetries(asker.command, after));
  return retry(program, state, { ...asker, command: after }, event);
}

/** A retry is a call of its own for a budget: it waits until others are settled, or the call stays failed. */
function retry(program: Program, state: TurnState, asker: Asker, failed: CallEvent): Step {
  const passed = reserveCall(program, state, asker.command);
  if (passed.kind === 'refused') {
    const message = `${'message' in failed ? failed.message : ''} (no retry follows: ${passed.failure.message})`;
    return handleEnd(program, state, asker, withRetries(asker.command, { ...failed, message } as CallEvent));
  }
  if (passed.kind === 'waits' && asker.kind === 'subject') {
    const held = state.held.with(asker.index, [...(state.held.get(asker.index) ?? []), asker]);
    return { state: { ...state, awaited: state.awaited.without(failed.key), held }, commands: [] };
  }
  const { budgets, command } = passed.kind === 'granted' ? passed : { ...state, ...asker };
  const awaited = state.awaited.with(failed.key, { ...asker, command });
  return { state: { ...state, awaited, budgets }, commands: [command] };
}

/** The asker sees the duration of all performances of a call together. */
function withRetries({ retry }: Invoke, event: CallEvent): CallEvent {
  if (event.kind === 'call_refused' || retry === undefined) return event;
  return { ...event, duration_ms: (event.duration_ms ?? 0) + retry.spent_ms };
}

/** The call's answer has no effect; but the turn ends only when all of its calls have. */
function handleDropped(program: Program, state: TurnState, { key }: CallEvent): Step {
  const ended = { ...state, dropped: state.dropped.without(key) };
  return state.failure === undefined ? goOn(program, ended) : settle(ended);
}

/** No retry follows. */
function handleEnd(program: Program, state: TurnState, asker: Asker, event: CallEvent): Step {
  const pended = state.pended.has(event.key) ? without(state.pended, event.key) : state.pended;
  const ended = { ...state, awaited: state.awaited.without(event.key), pended };
  if (state.failure !== undefined) return settle(ended);
  if (asker.kind === 'turn_ambient') return handleTurnReading(program, ended, asker.command, event);
  const answered = handleInSubject(program, ended, asker, event);
  const step = join(answered, updateLater(program, answered.state, asker.index));
  return join(step, goOn(program, step.state));
}

function handleTurnReading(program: Program, state: TurnState, command: Invoke, event: CallEvent): Step {
  const isAbsent = isPassedOn(command.call, event);
  if (event.kind !== 'call_answered' && !isAbsent) return failTurn(state, { kind: 'fail', ...callFailed(event) });
  const value = isAbsent ? toAbsence(event) : event.value;
  const step = goOn(program, { ...state, readings: withEntry(state.readings, event.key, toAnswered(command, value)) });
  return isAbsent ? { ...step, verdict: { key: event.key, passed_on: 'absent', artifacts: [] } } : step;
}

/** The call stays awaited; only its driver need not wait for it. */
function handlePended(state: TurnState, { key, deadline }: CallPended | ApprovalAsked): Step {
  if (!state.awaited.has(key) || state.pended.has(key)) return { state, commands: [] };
  return settle({ ...state, pended: withEntry(state.pended, key, deadline) });
}

/** The call is issued again: the driver finds what was decided of it. */
function handleDecided(state: TurnState, { key }: ApprovalDecided): Step {
  const asker = state.awaited.get(key);
  if (asker === undefined || !state.pended.has(key)) return { state, commands: [] };
  return { state: { ...state, pended: without(state.pended, key) }, commands: [asker.command] };
}

/** The command to suspend, where calls are awaited and all of them are answered later. */
export function suspensionOf({ stage, awaited, pended, dropped }: TurnState): Suspend | undefined {
  if (stage === 'ended' || awaited.size === 0 || awaited.size > pended.size || dropped.size > 0) return undefined;
  return { kind: 'suspend', resume_deadline: Math.min(...pended.values()) };
}

/** Asks for readings, or advances at once where there are none. */
function beginTurn(program: Program, state: TurnState): Step {
  const commands = askTurnAmbients(program, state);
  if ('kind' in commands) return failTurn(state, commands);
  if (commands.length === 0) return goOn(program, state);
  let { awaited } = state;
  for (const command of commands) awaited = awaited.with(command.key, { kind: 'turn_ambient', command });
  return { state: { ...state, awaited }, commands };
}

/** Advances as far as possible without another event. */
function goOn(program: Program, state: TurnState): Step {
  if (state.stage !== 'turn_ambients') return goOnFromHead(program, { state, commands: [] });
  if (state.awaited.size > 0) return { state, commands: [] };
  return goOnFromHead(program, beginAhead(program, { ...state, stage: 'subjects' }));
}

/** Accepts the patches of subjects that are done, in their order, up to the first that is not. */
function goOnFromHead(program: Program, sofar: Step): Step {
  for (let step = sofar; ; ) {
    step = join(step, beginHead(program, step.state));
    const head = step.state.runs.get(step.state.head);
    if (head === undefined) return join(step, endTurn(step.state));
    const { failure, stage } = head.run;
    if (failure !== undefined) return join(step, failTurn(step.state, toOutside(failure, head)));
    if (stage !== 'finished') return goOnWithHeld(program, step);
    step = { ...step, state: acceptHead(program, step.state, head) };
  }
}

/** Makes held calls; the head fails where its budget has nothing left for one. */
function goOnWithHeld(program: Program, sofar: Step): Step {
  const step = join(sofar, releaseHeld(program, sofar.state));
  const head = step.state.runs.get(step.state.head);
  const failure = head?.run.failure;
  return head === undefined || failure === undefined
    ? step
    : join(step, failTurn(step.state, toOutside(failure, head)));
}

/** All subjects are done; the calls of discarded runs must have ended, too. */
function endTurn(state: TurnState): Step {
  if (state.dropped.size > 0) return { state, commands: [] };
  return { state: { ...state, stage: 'ended' }, commands: [{ kind: 'commit', patches: state.patches }] };
}

/** The working world takes the patch of the head; the next subject is the head. */
function acceptHead(program: Program, state: TurnState, { run, keys }: StartedRun): TurnState {
  const subject = subjectAt(program, state.head);
  const next = {
    ...state,
    head: state.head + 1,
    runs: state.runs.without(state.head),
    outcomes: withOutcome(state.outcomes, state.head, undefined),
  };
  if (run.patch === undefined) return next;
  const { patch, origins } = run.patch;
  const { world, patches } = acceptPatch(next, { subject, keys, given: run.patch });
  const event = { turn: world.turn + 1, subject_id: subject.subject_id, patch, origins };
  const accepted = { ...next, world: { ...world, events: [...world.events, event] }, patches };
  return listRemembered(subject, run).reduce<TurnState>(
    (remembering, given) => ({ ...remembering, ...acceptPatch(remembering, { subject, keys, given }) }),
    accepted,
  );
}

interface GivenPatch extends Pick<StartedRun, 'keys'> {
  readonly subject: SubjectProgram;
  readonly given: Omit<RememberedPatch, 'sources'> & Partial<Pick<RememberedPatch, 'sources'>>;
}

function acceptPatch(
  state: TurnState,
  { subject: { subject_id, workflow }, keys, given }: GivenPatch,
): Pick<TurnState, 'world' | 'patches'> {
  const { node_id, patch, call_key, origins, sources } = given;
  const { world, applied } = applyPatch(state.world, patch, origins);
  const accepted = {
    patch_seq: state.patches.length + 1,
    subject_id,
    node_id,
    workflow_hash: workflow.hash,
    call_key: keys.get(call_key) ?? call_key,
    applied:
      sources === undefined
        ? applied
        : { ...applied, effects: applied.effects.map((effect) => ({ ...effect, sources })) },
    origins,
  };
  return { world, patches: [...state.patches, accepted] };
}

function toOutside(failure: Fail, { keys }: StartedRun): Fail {
  const { call_key } = failure;
  return call_key === undefined ? failure : { ...failure, call_key: keys.get(call_key) ?? call_key };
}

/** The first failure stops new commands; the attempt ends when nothing is awaited any more but answers that come later. */
function failTurn(state: TurnState, failure: Fail): Step {
  return settle({ ...state, failure: state.failure ?? failure });
}

function settle(state: TurnState): Step {
  const isOpen = state.failure === undefined || state.awaited.size > state.pended.size || state.dropped.size > 0;
  if (state.failure === undefined || isOpen) return { state, commands: [] };
  return { state: { ...state, stage: 'ended' }, commands: [state.failure] };
}

/** A stop is nobody's fault; the record names the acting subject and the awaited calls all the same. */
function stopFailure(program: Program, { awaited, head, runs }: TurnState, message: string): Fail {
  const { run, keys } = runs.get(head) ?? {};
  const ofHead = [...(run?.awaited.keys() ?? [])].map((key) => keys?.get(key) ?? key);
  const candidates = [...ofHead, ...program.turn_ambients.map(({ key }) => key), ...awaited.keys()];
  const call_key = candidates.find((key) => awaited.has(key));
  const asker = call_key === undefined ? undefined : awaited.get(call_key);
  const { node_id } = asker?.command ?? {};
  const subject_id = runs.size === 0 ? undefined : subjectAt(program, head).subject_id;
  return present({ kind: 'fail', failure_class: 'stopped', message, subject_id, node_id, call_key });
}
