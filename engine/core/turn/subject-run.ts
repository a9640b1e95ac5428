import { present } from '../../contract/present.js';
import { type NodeState, nodeTypeOf } from '../nodes/index.js';
import { callFailed } from '../nodes/node-failure.js';
import { askMemories } from '../nodes/retrieve.js';
import type { AnsweredBy, AnsweredPatch, NodeScope, NodeStep } from '../nodes/node-type.js';
import type { Fail, Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import { isPassedOn, toAbsence } from '../protocol/on-failure.js';
import type { NodeProgram, SubjectProgram } from '../protocol/program.js';
import { injectReadings, type Outputs, type Scope } from '../protocol/scope.js';
import type { Verdict } from '../protocol/verdict.js';
import type { Answered } from '../policy/answer-origins.js';
import type { Retrieved } from '../world/retrieval.js';
import {
  type AmbientAsk,
  askSubjectAmbients,
  listAbsent,
  readingsOfSubject,
  toAnswered,
  visibleTurnReadings,
} from './ambients.js';

/**
 * One subject's way through its workflow, on one world: a value that knows of no other subject. Its calls have the keys
 * of the subject's first run, whatever their keys outside.
 *
 *   ambients → nodes → finished
 */
export interface SubjectRun {
  readonly scope: Scope;
  /** Once-per-turn readings, by key. */
  readonly turn_readings: ReadonlyMap<string, Answered>;
  /** The subject's own, by the id of their binding. */
  readonly readings: ReadonlyMap<string, Answered>;
  readonly stage: 'ambients' | 'nodes' | 'finished';
  readonly awaited: ReadonlyMap<string, Invoke>;
  readonly waiting: ReadonlyMap<string, NodeState>;
  readonly outputs: Outputs;
  /** The calls that gave the outputs, by the ids of their nodes. */
  readonly answered_by: ReadonlyMap<string, AnsweredBy>;
  /** The memories that were retrieved for nodes, by their ids. */
  readonly retrieved: ReadonlyMap<string, Retrieved>;
  readonly patch?: AnsweredPatch & { readonly node_id: string };
  /** The first failure; the run asks nothing more. */
  readonly failure?: Fail;
}

/** The inputs with which a run begins. */
export type RunBase = Pick<Scope, 'world' | 'simulation_time'> & Pick<SubjectRun, 'turn_readings'>;

/** The result of one event in one run. */
interface RunStep {
  readonly run: SubjectRun;
  readonly commands: readonly Invoke[];
  readonly verdict?: Verdict;
}

/** Begins a subject's workflow on a world: asks for its readings, or starts its nodes where there are none. */
export function beginRun(subject: SubjectProgram, { world, simulation_time, turn_readings }: RunBase): RunStep {
  const entity = world.entities.get(subject.subject_id);
  if (entity === undefined) throw new Error(`the subject ${subject.subject_id} is not in the world`);
  const given = injectReadings(visibleTurnReadings(subject.workflow, entity, turn_readings));
  const run: SubjectRun = {
    stage: 'ambients',
    scope: { world, simulation_time, subject: entity, ...given },
    turn_readings,
    awaited: new Map(),
    readings: new Map(),
    waiting: new Map(),
    outputs: new Map(),
    answered_by: new Map(),
    retrieved: new Map(),
  };
  return askAmbients(subject, run, askSubjectAmbients(subject, run.scope));
}

/**
 * Handles the end of a call that the run awaits; no retry follows.
 * @param event names the call by its key in the run
 */
export function handleInRun(subject: SubjectProgram, run: SubjectRun, event: CallEvent): RunStep {
  const command = run.awaited.get(event.key);
  if (command === undefined) return { run, commands: [] };
  const answered = { ...run, awaited: without(run.awaited, event.key) };
  if (run.failure !== undefined) return { run: answered, commands: [] };
  if (command.retrieval !== undefined) return handleRetrieved(subject, answered, command, event);
  return command.node_id === undefined
    ? handleReading(subject, answered, command, event)
    : handleNode(subject, answered, command.node_id, event);
}

function askAmbients(subject: SubjectProgram, run: SubjectRun, asked: AmbientAsk): RunStep {
  if ('kind' in asked) return { run: { ...run, failure: asked }, commands: [] };
  if (asked.length === 0) return beginNodes(subject, run);
  return { run: withAwaited(run, asked), commands: asked };
}

function withAwaited(run: SubjectRun, commands: readonly Invoke[]): SubjectRun {
  const asked = commands.map((command): [string, Invoke] => [command.key, command]);
  return { ...run, awaited: new Map([...run.awaited, ...asked]) };
}

function handleReading(subject: SubjectProgram, run: SubjectRun, command: Invoke, event: CallEvent): RunStep {
  const { call, ambient_id = '' } = command;
  const isAbsent = isPassedOn(call, event);
  if (event.kind !== 'call_answered' && !isAbsent) {
    const failure: Fail = { kind: 'fail', ...callFailed(event), subject_id: subject.subject_id };
    return { run: { ...run, failure }, commands: [] };
  }
  const value = isAbsent ? toAbsence(event) : event.value;
  const read = { ...run, readings: withEntry(run.readings, ambient_id, toAnswered(command, value)) };
  const step = read.awaited.size === 0 ? beginNodes(subject, read) : { run: read, commands: [] };
  return isAbsent ? { ...step, verdict: { key: event.key, passed_on: 'absent', artifacts: [] } } : step;
}

function beginNodes(subject: SubjectProgram, run: SubjectRun): RunStep {
  const own = readingsOfSubject(subject.workflow, run.readings);
  const scope = { ...run.scope, ...injectReadings([...run.scope.readings, ...own]) };
  const begun: SubjectRun = { ...run, stage: 'nodes', scope };
  const first = subject.workflow.nodes.filter((node) => node.after.length === 0);
  return startReadyNodes(subject, begun, first);
}

/** Starts nodes; a node that needs nothing from outside may make others ready. */
function startReadyNodes(subject: SubjectProgram, run: SubjectRun, ready: readonly NodeProgram[]): RunStep {
  let step: RunStep = { run, commands: [] };
  for (const node of ready) {
    const next = startNode(subject, step.run, node);
    step = { run: next.run, commands: [...step.commands, ...next.commands] };
    if (step.run.failure !== undefined) return step;
  }
  return step;
}

/** A node that is shown memories starts once they are retrieved. */
function startNode(subject: SubjectProgram, run: SubjectRun, node: NodeProgram): RunStep {
  const scope = toNodeScope(subject, run, node);
  const asked = scope.retrieved === undefined ? askMemories(node, scope) : undefined;
  if (asked === undefined) return applyNodeStep(subject, run, node, nodeTypeOf(node).start(node, scope));
  if ('failure_class' in asked) return applyNodeStep(subject, run, node, { kind: 'failed', failure: asked });
  return { run: withAwaited(run, [asked]), commands: [asked] };
}

function handleRetrieved(
  subject: SubjectProgram,
  run: SubjectRun,
  { retrieval: query, request_hash, node_id = '' }: Invoke,
  event: CallEvent,
): RunStep {
  const node = nodeOf(subject, node_id);
  if (query === undefined) throw new Error(`node ${node_id} asked for no memories`);
  if (event.kind !== 'call_answered')
    return applyNodeStep(subject, run, node, { kind: 'failed', failure: callFailed(event) });
  const found = event.value as unknown as Retrieved['found'];
  const retrieved = withEntry(run.retrieved, node_id, { request_hash, query, found });
  return startNode(subject, { ...run, retrieved }, node);
}

function nodeOf({ workflow }: SubjectProgram, node_id: string): NodeProgram {
  const node = workflow.nodes.find(({ id }) => id === node_id);
  if (node === undefined) throw new Error(`there is no node ${node_id}`);
  return node;
}

function handleNode(subject: SubjectProgram, run: SubjectRun, nodeId: string, event: CallEvent): RunStep {
  const node = nodeOf(subject, nodeId);
  const waiting = run.waiting.get(nodeId);
  if (waiting === undefined) throw new Error(`no node ${nodeId} waits`);
  const nodeStep = nodeTypeOf(node).handle(node, waiting, event, toNodeScope(subject, run, node));
  const step = applyNodeStep(subject, run, node, nodeStep);
  return nodeStep.verdict === undefined ? step : { ...step, verdict: nodeStep.verdict };
}

function applyNodeStep(
  subject: SubjectProgram,
  run: SubjectRun,
  node: NodeProgram,
  step: NodeStep<NodeState>,
): RunStep {
  switch (step.kind) {
    case 'failed': {
      const failure: Fail = { kind: 'fail', ...step.failure, subject_id: subject.subject_id, node_id: node.id };
      return { run: { ...run, failure }, commands: [] };
    }
    case 'waits': {
      const waiting = withEntry(run.waiting, node.id, step.state);
      return { run: withAwaited({ ...run, waiting }, step.commands), commands: step.commands };
    }
    case 'done':
      return finishNode(subject, withAnswer(run, node, step), node, step.output);
  }
}

function withAnswer(
  run: SubjectRun,
  { id: node_id }: NodeProgram,
  { patch, answered_by }: Extract<NodeStep<NodeState>, { readonly kind: 'done' }>,
): SubjectRun {
  return {
    ...run,
    ...present({ patch: patch && { ...patch, node_id } }),
    ...present({ answered_by: answered_by && withEntry(run.answered_by, node_id, answered_by) }),
  };
}

function finishNode(subject: SubjectProgram, run: SubjectRun, node: NodeProgram, output: Answered): RunStep {
  const finished = {
    ...run,
    waiting: without(run.waiting, node.id),
    outputs: withEntry(run.outputs, node.id, output),
  };
  const { outputs } = finished;
  const { nodes } = subject.workflow;
  const ready = nodes.filter((next) => next.after.includes(node.id) && next.after.every((id) => outputs.has(id)));
  if (ready.length > 0) return startReadyNodes(subject, finished, ready);
  return { run: outputs.size === nodes.length ? { ...finished, stage: 'finished' } : finished, commands: [] };
}

function toNodeScope({ subject_id, workflow }: SubjectProgram, run: SubjectRun, { id }: NodeProgram): NodeScope {
  const { scope: frozen, outputs } = run;
  const nodes = Object.fromEntries([...outputs].map(([id, { value }]) => [id, { output: value }]));
  const retrieved = run.retrieved.get(id);
  const given = { subject_id, workflow_hash: workflow.hash, frozen, absent: listAbsent(frozen), nodes, outputs };
  return { ...given, ...present({ retrieved }) };
}

/** A map with one entry more, or another value of one. */
export function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  return new Map(map).set(key, value);
}

export function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
