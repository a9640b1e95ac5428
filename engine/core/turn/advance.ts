import type { Json } from '../../contract/json.js';
import { type NodeState, nodeTypeOf } from '../nodes/index.js';
import { callFailed } from '../nodes/node-failure.js';
import type { NodeFailure, NodeScope, NodeStep } from '../nodes/node-type.js';
import { applyPatch } from '../world/apply-patch.js';
import { recentEvents } from '../world/recent-events.js';
import type { NodeProgram, Program, SubjectProgram } from '../protocol/program.js';
import {
  type AmbientAsk,
  askSubjectAmbients,
  askTurnAmbients,
  listAbsent,
  readingsOfSubject,
  visibleTurnReadings,
} from './ambients.js';
import type { Fail, Invoke, Suspend, TurnCommand } from '../protocol/command.js';
import type { CallEvent, CallPended, TurnEvent } from '../protocol/event.js';
import { isPassedOn, toAbsence } from '../protocol/on-failure.js';
import { decideRetry } from './retry.js';
import { injectReadings } from '../protocol/scope.js';
import type { Asker, SubjectState, TurnState } from './state.js';
import type { Verdict } from '../protocol/verdict.js';

/** What follows from one event. */
export interface Step {
  readonly state: TurnState;
  readonly commands: readonly TurnCommand[];
  /** What to write beside the end of the call. */
  readonly verdict?: Verdict;
}

/** The whole meaning of a turn: pure, total, idempotent; it ignores events of calls that it does not await. */
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
      });
    case 'stopped':
      return failTurn(state, stopFailure(program, state, event.reason));
    case 'call_pended':
      return handlePended(state, event);
    default:
      return handleCall(program, state, event);
  }
}

function handleCall(program: Program, state: TurnState, event: CallEvent): Step {
  const asker = state.awaited.get(event.key);
  if (asker === undefined) return { state, commands: [] };
  // A service that answers a call later is not asked again.
  const isFinal =
    event.kind === 'call_answered' ||
    (event.kind === 'call_failed' && event.is_final === true) ||
    state.failure !== undefined ||
    state.pended.has(event.key);
  if (isFinal) return handleEnd(program, state, asker, withRetries(asker.command, event));
  const after = decideRetry(asker.command, event);
  if (after.kind === 'final') return handleEnd(program, state, asker, after.event);
  const { command } = after;
  return {
    state: { ...state, awaited: withEntry(state.awaited, event.key, { ...asker, command }) },
    commands: [command],
  };
}

/** To whoever asked for it, a call that was made several times took as long as all of that. */
function withRetries({ retry }: Invoke, event: CallEvent): CallEvent {
  if (event.kind !== 'call_answered' || retry === undefined) return event;
  return { ...event, duration_ms: event.duration_ms + retry.spent_ms };
}

/** No retry follows. */
function handleEnd(program: Program, state: TurnState, asker: Asker, event: CallEvent): Step {
  const ended = { ...state, awaited: without(state.awaited, event.key), pended: unpended(state, event.key) };
  if (state.failure !== undefined) return settle(ended);
  return asker.kind === 'node'
    ? handleInNode(program, ended, asker.node_id, event)
    : handleReading(program, ended, asker, event);
}

function handleReading(
  program: Program,
  state: TurnState,
  asker: Exclude<Asker, { readonly kind: 'node' }>,
  event: CallEvent,
): Step {
  const isAbsent = isPassedOn(asker.command.call, event);
  if (event.kind !== 'call_answered' && !isAbsent) return failTurn(state, ambientFailure(program, state, event));
  const value = isAbsent ? toAbsence(event) : event.value;
  const step = goOn(
    program,
    asker.kind === 'turn_ambient'
      ? { ...state, readings: withEntry(state.readings, event.key, value) }
      : withSubject(state, (subject) => ({
          ...subject,
          readings: withEntry(subject.readings, asker.ambient_id, value),
        })),
  );
  return isAbsent ? { ...step, verdict: { key: event.key, passed_on: 'absent', artifacts: [] } } : step;
}

/** The call stays awaited; all that has changed is that nobody needs to wait beside it. */
function handlePended(state: TurnState, { key, deadline }: CallPended): Step {
  if (!state.awaited.has(key) || state.pended.has(key)) return { state, commands: [] };
  return settle({ ...state, pended: withEntry(state.pended, key, deadline) });
}

function unpended({ pended }: TurnState, key: string): TurnState['pended'] {
  return pended.has(key) ? without(pended, key) : pended;
}

/** The order to suspend, where something is awaited and all of it comes later. */
export function suspensionOf({ stage, awaited, pended }: TurnState): Suspend | undefined {
  if (stage === 'ended' || awaited.size === 0 || awaited.size > pended.size) return undefined;
  return { kind: 'suspend', resume_deadline: Math.min(...pended.values()) };
}

function beginTurn(program: Program, state: TurnState): Step {
  return askAll(program, state, askTurnAmbients(program, state), 'turn_ambient');
}

/** Goes as far as it can without another event. */
function goOn(program: Program, state: TurnState): Step {
  if (state.awaited.size > 0) return { state, commands: [] };
  switch (state.stage) {
    case 'turn_ambients':
      return beginSubject(program, state);
    case 'subject_ambients':
      return beginNodes(program, state);
    case 'nodes':
      return endOrNextSubject(program, state);
    default:
      return { state, commands: [] };
  }
}

function beginSubject(program: Program, state: TurnState): Step {
  const current = program.subjects[state.subject_index];
  if (current === undefined)
    return { state: { ...state, stage: 'ended' }, commands: [{ kind: 'commit', patches: state.patches }] };
  const entity = state.world.entities.get(current.subject_id);
  if (entity === undefined) throw new Error(`the subject ${current.subject_id} is not in the world`);
  const ambient = injectReadings({}, visibleTurnReadings(current.workflow, entity, state.readings));
  const subject: SubjectState = {
    scope: { world: state.world, simulation_time: state.simulation_time, subject: entity, ambient },
    readings: new Map(),
    waiting: new Map(),
    outputs: new Map(),
  };
  const begun: TurnState = { ...state, stage: 'subject_ambients', subject };
  return askAll(program, begun, askSubjectAmbients(current, subject.scope), 'subject_ambient');
}

function beginNodes(program: Program, state: TurnState): Step {
  const current = subjectProgram(program, state);
  const begun = withSubject({ ...state, stage: 'nodes' }, (subject) => ({
    ...subject,
    scope: {
      ...subject.scope,
      ambient: injectReadings(subject.scope.ambient, readingsOfSubject(current.workflow, subject.readings)),
    },
  }));
  return startReadyNodes(
    program,
    begun,
    current.workflow.nodes.filter((node) => node.after.length === 0),
  );
}

function endOrNextSubject(program: Program, state: TurnState): Step {
  const { subject: _finished, ...rest } = state;
  return beginSubject(program, { ...rest, subject_index: state.subject_index + 1 });
}

/** Starts nodes; a node that needs nothing from outside may make others ready. */
function startReadyNodes(program: Program, state: TurnState, ready: readonly NodeProgram[]): Step {
  let step: Step = { state, commands: [] };
  for (const node of ready) {
    const next = applyNodeStep(program, step.state, node, nodeTypeOf(node).start(node, nodeScope(program, step.state)));
    step = { state: next.state, commands: [...step.commands, ...next.commands] };
    if (step.state.failure !== undefined) return step;
  }
  return step;
}

function handleInNode(program: Program, state: TurnState, nodeId: string, event: CallEvent): Step {
  const node = subjectProgram(program, state).workflow.nodes.find((candidate) => candidate.id === nodeId);
  const waiting = subjectState(state).waiting.get(nodeId);
  if (node === undefined || waiting === undefined) throw new Error(`no node ${nodeId} waits`);
  const nodeStep = nodeTypeOf(node).handle(node, waiting, event, nodeScope(program, state));
  const step = applyNodeStep(program, state, node, nodeStep);
  return nodeStep.verdict === undefined ? step : { ...step, verdict: nodeStep.verdict };
}

function applyNodeStep(program: Program, state: TurnState, node: NodeProgram, step: NodeStep<NodeState>): Step {
  switch (step.kind) {
    case 'failed':
      return failTurn(state, toFail(step.failure, subjectProgram(program, state).subject_id, node.id));
    case 'waits': {
      const waits = withSubject(state, (subject) => ({
        ...subject,
        waiting: withEntry(subject.waiting, node.id, step.state),
      }));
      const askers = step.commands.map((command): [string, Asker] => [command.key, toAsker(node, command)]);
      return { state: { ...waits, awaited: new Map([...waits.awaited, ...askers]) }, commands: step.commands };
    }
    case 'done':
      return finishNode(
        program,
        step.patch === undefined ? state : acceptPatch(program, state, node, step.patch),
        node,
        step.output,
      );
  }
}

function toAsker(node: NodeProgram, command: Invoke): Asker {
  return { kind: 'node', command, node_id: node.id };
}

function finishNode(program: Program, state: TurnState, node: NodeProgram, output: Json): Step {
  const finished = withSubject(state, (subject) => ({
    ...subject,
    waiting: without(subject.waiting, node.id),
    outputs: withEntry(subject.outputs, node.id, output),
  }));
  const { outputs } = subjectState(finished);
  const { nodes } = subjectProgram(program, finished).workflow;
  const ready = nodes.filter((next) => next.after.includes(node.id) && next.after.every((id) => outputs.has(id)));
  if (ready.length > 0) return startReadyNodes(program, finished, ready);
  return outputs.size === nodes.length ? goOn(program, finished) : { state: finished, commands: [] };
}

function acceptPatch(
  program: Program,
  state: TurnState,
  node: NodeProgram,
  said: NonNullable<Extract<NodeStep<NodeState>, { kind: 'done' }>['patch']>,
): TurnState {
  const { subject_id, workflow } = subjectProgram(program, state);
  const { world, applied } = applyPatch(state.world, said.patch);
  const accepted = {
    patch_seq: state.patches.length + 1,
    subject_id,
    node_id: node.id,
    workflow_hash: workflow.hash,
    call_key: said.call_key,
    applied,
  };
  const event = { turn: world.turn + 1, subject_id, patch: said.patch };
  return {
    ...state,
    world: { ...world, events: [...world.events, event] },
    patches: [...state.patches, accepted],
  };
}

/** Asks for readings, or goes on at once where there are none. */
function askAll(program: Program, state: TurnState, asked: AmbientAsk, kind: 'turn_ambient' | 'subject_ambient'): Step {
  if (!asked.ok) return failTurn(state, asked.failure);
  if (asked.commands.length === 0) return goOn(program, state);
  const askers = asked.commands.map((command): [string, Asker] => [
    command.key,
    kind === 'turn_ambient' ? { kind, command } : { kind, command, ambient_id: command.ambient_id ?? '' },
  ]);
  return { state: { ...state, awaited: new Map(askers) }, commands: asked.commands };
}

/** The first failure stops new commands; the attempt ends when nothing is awaited any more but answers that come later. */
function failTurn(state: TurnState, failure: Fail): Step {
  return settle({ ...state, failure: state.failure ?? failure });
}

function settle(state: TurnState): Step {
  if (state.failure === undefined || state.awaited.size > state.pended.size) return { state, commands: [] };
  return { state: { ...state, stage: 'ended' }, commands: [state.failure] };
}

/** A stop is nobody's fault; the record says all the same whose turn it was and what was awaited. */
function stopFailure(program: Program, state: TurnState, message: string): Fail {
  const [call_key, asker] = [...state.awaited][0] ?? [];
  return {
    kind: 'fail',
    failure_class: 'stopped',
    message,
    ...(state.subject === undefined ? {} : { subject_id: subjectProgram(program, state).subject_id }),
    ...(asker?.kind === 'node' ? { node_id: asker.node_id } : {}),
    ...(call_key === undefined ? {} : { call_key }),
  };
}

function ambientFailure(
  program: Program,
  state: TurnState,
  event: Exclude<CallEvent, { kind: 'call_answered' }>,
): Fail {
  const subject = state.subject === undefined ? {} : { subject_id: subjectProgram(program, state).subject_id };
  return { kind: 'fail', ...callFailed(event), ...subject };
}

function toFail(failure: NodeFailure, subjectId: string, nodeId: string): Fail {
  return { kind: 'fail', ...failure, subject_id: subjectId, node_id: nodeId };
}

function nodeScope(program: Program, state: TurnState): NodeScope {
  const { subject_id, workflow } = subjectProgram(program, state);
  const subject = subjectState(state);
  const nodes = Object.fromEntries([...subject.outputs].map(([id, output]) => [id, { output }]));
  const absent = listAbsent(workflow, state);
  return { subject_id, workflow_hash: workflow.hash, frozen: subject.scope, absent, world: state.world, nodes };
}

function subjectProgram(program: Program, state: TurnState): SubjectProgram {
  const current = program.subjects[state.subject_index];
  if (current === undefined) throw new Error(`there is no subject ${state.subject_index}`);
  return current;
}

function subjectState(state: TurnState): SubjectState {
  if (state.subject === undefined) throw new Error('no subject runs');
  return state.subject;
}

function withSubject(state: TurnState, change: (subject: SubjectState) => SubjectState): TurnState {
  return { ...state, subject: change(subjectState(state)) };
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): ReadonlyMap<string, Value> {
  return new Map(map).set(key, value);
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
