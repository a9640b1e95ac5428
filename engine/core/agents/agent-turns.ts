import type { JsonObject } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { namedUuid } from '../content/uuid.js';
import type { AgentEventRecord, AgentHeadRecord, AgentTurnRecord, CardRecord } from './agent-turn.js';
import type { RecordedAttempt, RecordedCall } from './recorded-attempt.js';
import type { AgentTransition, Ended, Entered, Suspended } from './transition.js';
import { transitionsOf } from './transitions-of.js';

/** An agent turn, and what the agent does just now. */
export interface AgentTurn {
  readonly record: AgentTurnRecord;
  readonly head: AgentHeadRecord;
}

/**
 * The agent turns of an attempt, in the order in which they began: a projection of its record, of which nothing is stored.
 * Turns, boxes and cards have ids that follow from the attempt and the agent.
 */
export function agentTurnsOf(attempt: RecordedAttempt): readonly AgentTurn[] {
  const drafts = new Map<string, Draft>();
  for (const transition of transitionsOf(attempt)) {
    const { agent_id } = transition;
    const draft = drafts.get(agent_id) ?? openDraft(attempt, agent_id, transition.at);
    drafts.set(agent_id, draft);
    apply(attempt, draft, transition);
  }
  return [...drafts.values()].map((draft) => ({
    record: { ...draft.record, state: stateOf(attempt, draft.record) },
    head: toHead(draft),
  }));
}

/** The id of an agent turn. It follows from attempt and agent, so every driver computes the same one. */
export function agentTurnId(attempt_id: string, agent_id: string): string {
  return namedUuid(attempt_id, agent_id);
}

/** The id of the message that asks for an agent turn. */
export function turnMessageId(agent_turn_id: string): string {
  return namedUuid(agent_turn_id, 'inbox');
}

type Mutable<Shape> = { -readonly [Member in keyof Shape]: Shape[Member] };

/** A turn while it is folded. */
interface Draft {
  readonly record: Mutable<
    Omit<AgentTurnRecord, 'state' | 'output_box' | 'execution_edges' | 'events' | 'waiting_tools'>
  > & {
    readonly output_box: { readonly box_id: string; readonly cards: CardRecord[] };
    readonly execution_edges: AgentTurnRecord['execution_edges'][number][];
    readonly events: AgentEventRecord[];
    readonly waiting_tools: Mutable<AgentTurnRecord['waiting_tools'][number]>[];
  };
  status: AgentHeadRecord['status'];
  activity: AgentHeadRecord['activity'];
  current_tool: string | null;
  /** The calls that it waits for while it is suspended, by the ids of their invocations. */
  waiting: readonly string[];
  resume_deadline: string | null;
  answer: RecordedCall | undefined;
}

function openDraft(attempt: RecordedAttempt, agent_id: string, began_at: string): Draft {
  const { world_slug, attempt_id, attempted_turn, status } = attempt;
  const agent_turn_id = agentTurnId(attempt_id, agent_id);
  return {
    record: {
      agent_turn_id,
      agent_id,
      turn_epoch: attempt.agents.get(agent_id) ?? 1,
      outcome: null,
      deliverable_card_id: null,
      began_at,
      worked_until: null,
      ended_at: null,
      world_slug,
      attempt_id,
      attempted_turn,
      attempt_status: status,
      inbox_id: turnMessageId(agent_turn_id),
      context_box: null,
      output_box: { box_id: namedUuid(agent_turn_id, 'output'), cards: [] },
      execution_edges: [],
      events: [],
      waiting_tools: [],
    },
    status: 'dispatched',
    activity: null,
    current_tool: null,
    waiting: [],
    resume_deadline: null,
    answer: undefined,
  };
}

function toHead({ record, status, activity, current_tool, waiting, resume_deadline }: Draft): AgentHeadRecord {
  const { agent_id, turn_epoch, agent_turn_id } = record;
  const active_agent_turn_id = status === 'idle' ? null : agent_turn_id;
  const waiting_tool_count = waiting.length;
  return {
    agent_id,
    status,
    turn_epoch,
    active_agent_turn_id,
    activity,
    current_tool,
    waiting_tool_count,
    resume_deadline,
  };
}

function apply(attempt: RecordedAttempt, draft: Draft, transition: AgentTransition): void {
  const { at } = transition;
  const { inbox_id, agent_turn_id } = draft.record;
  switch (transition.kind) {
    case 'dispatched':
      addEdge(draft, at, { primitive: 'enqueue', edge_phase: 'request', correlation_id: inbox_id });
      addEdge(draft, at, { primitive: 'join', edge_phase: 'request', correlation_id: agent_turn_id });
      addEvent(draft, at, 'wakeup', { inbox_id });
      return addState(draft, at);
    case 'entered':
      draft.record.context_box = toContextBox(draft, transition);
      return goOn(draft, at, 'thinking');
    case 'tool_called':
      return callTool(draft, at, transition.call);
    case 'tool_answered':
      putOut(draft, { kind: 'tool.result', source_invocation_id: transition.call.source_invocation_id });
      return addAnswer(draft, at, transition.call);
    case 'reported':
      return addAnswer(draft, at, transition.call);
    case 'suspended':
      return suspend(draft, transition);
    case 'answered':
      draft.answer = transition.call;
      draft.record.worked_until = at;
      addStep(draft, at, transition.call, 'answered');
      return goOn(draft, at, null);
    case 'taken_over':
      draft.record.turn_epoch += 1;
      return;
    case 'ended':
      return end(attempt, draft, transition);
    default:
      return unreachable(transition);
  }
}

function goOn(draft: Draft, at: string, activity: Draft['activity'], current_tool: string | null = null): void {
  Object.assign(draft, { status: 'running', activity, current_tool, resume_deadline: null });
  addState(draft, at);
}

function toContextBox({ record }: Draft, { workflow_hash, answer_schema_hash, readings }: Entered) {
  const box_id = namedUuid(record.agent_turn_id, 'context');
  const components: readonly Pointing[] = [
    { kind: 'task.instruction', component_hash: workflow_hash },
    { kind: 'task.result_fields', component_hash: answer_schema_hash },
  ];
  const ambients = readings.map(({ source_invocation_id }) => ({ kind: 'ambient.reading', source_invocation_id }));
  const known = components.filter(({ component_hash }) => component_hash !== null);
  return { box_id, cards: [...known, ...ambients].map((card, index) => toCard(box_id, index + 1, card)) };
}

function callTool(draft: Draft, at: string, call: RecordedCall): void {
  const { source_invocation_id, parent_source_invocation_id: parent_step_id } = call;
  putOut(draft, { kind: 'tool.call', source_invocation_id });
  const edge = { primitive: 'tool_call', edge_phase: 'request', correlation_id: source_invocation_id } as const;
  addEdge(draft, at, edge, parent_step_id);
  addStep(draft, at, call, 'tool_call');
  goOn(draft, at, 'executing_tool', call.tool_name);
}

/** A turn that waits for several calls goes on with the last of them. */
function addAnswer(draft: Draft, at: string, call: RecordedCall): void {
  const { source_invocation_id } = call;
  const waited = draft.record.waiting_tools.findLast((tool) => tool.tool_call_id === source_invocation_id);
  if (waited !== undefined) waited.received_at = at;
  draft.waiting = draft.waiting.filter((id) => id !== source_invocation_id);
  addEdge(draft, at, { primitive: 'report', edge_phase: 'response', correlation_id: source_invocation_id });
  addStep(draft, at, call, 'tool_result');
  if (draft.waiting.length === 0) return goOn(draft, at, 'thinking');
  draft.current_tool = null;
  addState(draft, at);
}

/** An attempt that is suspended again and waits for the same calls adds nothing. */
function suspend(draft: Draft, { at, calls, resume_deadline }: Suspended & { readonly at: string }): void {
  const waiting = calls.map(({ source_invocation_id }) => source_invocation_id).toSorted();
  const isSame = draft.resume_deadline === resume_deadline && draft.waiting.join() === waiting.join();
  if (draft.status === 'suspended' && isSame) return;
  for (const tool_call_id of waiting)
    if (!draft.waiting.includes(tool_call_id))
      draft.record.waiting_tools.push({ tool_call_id, registered_at: at, received_at: null });
  Object.assign(draft, { status: 'suspended', activity: 'awaiting_tool_result', waiting, resume_deadline });
  addState(draft, at);
}

function end(attempt: RecordedAttempt, draft: Draft, { at, worked_until }: Ended & { readonly at: string }): void {
  const { record } = draft;
  const outcome = outcomeOf(attempt, draft);
  const { card_id } = putOut(draft, toDeliverable(attempt, draft));
  Object.assign(draft, { status: 'idle', activity: null, current_tool: null, waiting: [], resume_deadline: null });
  addState(draft, at);
  const { box_id: output_box_id } = record.output_box;
  addEvent(draft, at, 'task', { status: outcome, output_box_id, deliverable_card_id: card_id });
  const { agent_turn_id: correlation_id } = record;
  addEdge(draft, at, { primitive: 'join', edge_phase: 'response', correlation_id });
  Object.assign(record, { outcome, deliverable_card_id: card_id, worked_until, ended_at: at });
}

/** An agent that had answered has nothing to do with the failure, and its patch is not applied. */
function outcomeOf({ status, failure_class }: RecordedAttempt, { answer }: Draft): AgentTurnRecord['outcome'] {
  if (status === 'committed') return 'success';
  if (answer !== undefined) return 'failed';
  return failure_class === 'stopped' ? 'stopped' : failure_class === 'timeout' ? 'timed_out' : 'failed';
}

/**
 * How a turn ended, or how far it is. At most one subject makes its attempt fail. The turns of the other subjects end with
 * the attempt, but have not failed. An agent turn that has answered waits for the other subjects of its attempt.
 */
function stateOf(
  { status, failed_subject_entity_id }: RecordedAttempt,
  { agent_id, outcome, worked_until }: Pick<AgentTurnRecord, 'agent_id' | 'outcome' | 'worked_until'>,
): string {
  if (status === 'failed' && agent_id !== failed_subject_entity_id) return 'not kept';
  if (outcome !== null) return outcome;
  if (worked_until !== null) return 'answered';
  return status === 'suspended' ? 'suspended' : 'running';
}

/** What the agent leaves: its patch, whether it was applied or not, or why there is none. */
function toDeliverable(attempt: RecordedAttempt, { answer, record }: Draft): Pointing {
  const isBlamed = attempt.failed_subject_entity_id === record.agent_id;
  const blamed = isBlamed ? findCall(attempt, attempt.failed_source_invocation_id) : undefined;
  const call = answer ?? blamed;
  const message = attempt.failure_message ?? '';
  const failure_class = answer === undefined ? (attempt.failure_class ?? 'interrupted') : 'attempt_failed';
  return {
    kind: 'task.deliverable',
    source_invocation_id: call?.source_invocation_id ?? null,
    llm_call_id: call?.llm_call_id ?? null,
    ...(attempt.status === 'committed'
      ? { patch_seq: attempt.patches.get(record.agent_id) ?? null }
      : { content: { failure_class, message } }),
  };
}

function findCall({ calls }: RecordedAttempt, id: string | null): RecordedCall | undefined {
  return calls.find(({ source_invocation_id }) => source_invocation_id === id);
}

type Pointing = Partial<Omit<CardRecord, 'card_id'>> & Pick<CardRecord, 'kind'>;

/** Puts a card into the turn's output box. */
function putOut({ record }: Draft, card: Pointing): CardRecord {
  const { box_id, cards } = record.output_box;
  const put = toCard(box_id, cards.length + 1, card);
  cards.push(put);
  return put;
}

const NO_POINTER = {
  component_hash: null,
  source_invocation_id: null,
  llm_call_id: null,
  patch_seq: null,
  content: null,
};

function toCard(box_id: string, position: number, card: Pointing): CardRecord {
  return { card_id: namedUuid(box_id, `${position}`), ...NO_POINTER, ...card };
}

type Edge = Pick<AgentTurnRecord['execution_edges'][number], 'primitive' | 'edge_phase' | 'correlation_id'>;

function addEdge({ record }: Draft, occurred_at: string, edge: Edge, parent_step_id: string | null = null): void {
  record.execution_edges.push({ ...edge, trace_id: record.attempt_id, parent_step_id, occurred_at });
}

function addEvent({ record }: Draft, occurred_at: string, kind: string, payload: JsonObject): void {
  const { agent_id, agent_turn_id } = record;
  const subject = `${kind === 'wakeup' ? 'cmd' : 'evt'}.agent.${agent_id}.${kind}`;
  record.events.push({ subject, occurred_at, payload: { agent_turn_id, ...payload } });
}

function addStep(draft: Draft, at: string, { source_invocation_id: step_id }: RecordedCall, phase: string): void {
  addEvent(draft, at, 'step', { step_id, phase });
}

function addState(draft: Draft, at: string): void {
  const { status, activity, current_tool, waiting, record } = draft;
  const metadata = {
    ...(activity === null ? {} : { activity }),
    ...(current_tool === null ? {} : { current_tool }),
    waiting_tool_count: waiting.length,
  };
  addEvent(draft, at, 'state', { status, turn_epoch: record.turn_epoch, metadata });
}
