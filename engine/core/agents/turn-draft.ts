import { present } from '../../contract/present.js';
import type { JsonObject } from '../../contract/json.js';
import { namedUuid } from '../content/uuid.js';
import { stateOf } from '../protocol/work-state.js';
import { agentTurnId, turnMessageId } from './agent-turn.js';
import type { AgentEventRecord, AgentHeadRecord, AgentTurnRecord, CardRecord } from './agent-turn.js';
import type { RecordedAttempt, RecordedCall } from './recorded-attempt.js';

export interface AgentTurn {
  readonly record: AgentTurnRecord;
  readonly head: AgentHeadRecord;
}

/** An agent's task and readings when its nodes begin. */
export interface Task {
  readonly workflow_hash: string | null;
  /** The schema of its answer; null until a model is asked for the answer. */
  readonly answer_schema_hash: string | null;
  /** The calls whose answers it is given. */
  readonly readings: readonly RecordedCall[];
}

type Mutable<Shape> = { -readonly [Member in keyof Shape]: Shape[Member] };

type DraftRecord = Mutable<
  Omit<AgentTurnRecord, 'state' | 'output_box' | 'execution_edges' | 'events' | 'waiting_tools'>
> & {
  readonly output_box: { readonly box_id: string; readonly cards: CardRecord[] };
  readonly execution_edges: AgentTurnRecord['execution_edges'][number][];
  readonly events: AgentEventRecord[];
  readonly waiting_tools: Mutable<AgentTurnRecord['waiting_tools'][number]>[];
};

/** What an agent is doing. */
type Head = Pick<AgentHeadRecord, 'status' | 'activity' | 'current_tool' | 'resume_deadline'>;

const INACTIVE = { activity: null, current_tool: null, resume_deadline: null } as const;

/** An agent turn while the record of its attempt is folded. Each method is something that happened in it, and when. */
export class TurnDraft {
  readonly #attempt: RecordedAttempt;
  readonly #record: DraftRecord;
  #head: Head = { ...INACTIVE, status: 'dispatched' };
  /** The calls that it waits for while it is suspended, by the ids of their invocations. */
  #waiting: readonly string[] = [];
  #answer: RecordedCall | undefined;

  /** The subject was given its turn. */
  constructor(attempt: RecordedAttempt, agent_id: string, at: string) {
    this.#attempt = attempt;
    this.#record = openRecord(attempt, agent_id, at);
    const { inbox_id, agent_turn_id } = this.#record;
    this.#addEdge(at, { primitive: 'enqueue', edge_phase: 'request', correlation_id: inbox_id });
    this.#addEdge(at, { primitive: 'join', edge_phase: 'request', correlation_id: agent_turn_id });
    this.#addEvent(at, 'wakeup', { inbox_id });
    this.#addState(at);
  }

  get has_entered(): boolean {
    return this.#record.context_box !== null;
  }

  /** All that it may know has been gathered, and its nodes begin. */
  enter(at: string, task: Task): void {
    this.#record.context_box = toContextBox(this.#record.agent_turn_id, task);
    this.#become(at, { status: 'running', activity: 'thinking' });
  }

  callTool(at: string, call: RecordedCall): void {
    const { source_invocation_id, parent_source_invocation_id: parent_step_id } = call;
    this.#putOut({ kind: 'tool.call', source_invocation_id });
    const edge = { primitive: 'tool_call', edge_phase: 'request', correlation_id: source_invocation_id } as const;
    this.#addEdge(at, edge, parent_step_id);
    this.#addStep(at, call, 'tool_call');
    this.#become(at, { status: 'running', activity: 'executing_tool', current_tool: call.tool_name });
  }

  /** A tool's call, or one answered later, has ended. A turn that waits for several resumes with the last. */
  receiveResult(at: string, call: RecordedCall): void {
    const { source_invocation_id, tool_name } = call;
    if (tool_name !== null) this.#putOut({ kind: 'tool.result', source_invocation_id });
    const waited = this.#record.waiting_tools.findLast((tool) => tool.tool_call_id === source_invocation_id);
    if (waited !== undefined) waited.received_at = at;
    this.#waiting = this.#waiting.filter((id) => id !== source_invocation_id);
    this.#addEdge(at, { primitive: 'report', edge_phase: 'response', correlation_id: source_invocation_id });
    this.#addStep(at, call, 'tool_result');
    const goesOn = { status: 'running', activity: 'thinking' } as const;
    this.#become(at, this.#waiting.length === 0 ? goesOn : { ...this.#head, current_tool: null });
  }

  /** A node has its output, which later nodes read. The output of the node that is applied is the deliverable. */
  putOutput({ source_invocation_id, llm_call_id }: RecordedCall): void {
    this.#putOut({ kind: 'node.output', source_invocation_id, llm_call_id });
  }

  /** The gate of a node has decided about an answer. */
  judge(at: string, call: RecordedCall): void {
    const { source_invocation_id, llm_call_id } = call;
    this.#putOut({ kind: 'gate.verdict', source_invocation_id, llm_call_id });
    this.#addStep(at, call, 'quality_gate');
  }

  /**
   * All awaited calls are answered later. An attempt that is suspended again and waits for the same calls adds nothing.
   * @param resume_deadline the first deadline of these calls
   */
  suspend(at: string, calls: readonly RecordedCall[], resume_deadline: string): void {
    const waiting = calls.map(({ source_invocation_id }) => source_invocation_id).toSorted();
    const { status, current_tool, resume_deadline: until } = this.#head;
    if (status === 'suspended' && until === resume_deadline && this.#waiting.join() === waiting.join()) return;
    for (const tool_call_id of waiting)
      if (!this.#waiting.includes(tool_call_id))
        this.#record.waiting_tools.push({ tool_call_id, registered_at: at, received_at: null });
    this.#waiting = waiting;
    this.#become(at, { status: 'suspended', activity: 'awaiting_tool_result', current_tool, resume_deadline });
  }

  /** The subject has given its patch; its fate is known when the attempt ends. @param call its generation */
  answer(at: string, call: RecordedCall): void {
    this.#answer = call;
    this.#record.worked_until = at;
    this.#addStep(at, call, 'answered');
    this.#become(at, { status: 'running' });
  }

  /** Another driver has taken the attempt over. */
  takeOver(): void {
    this.#record.turn_epoch += 1;
  }

  /** The attempt has ended, and the turn with it. @param worked_until when the last of the subject's own calls ended */
  end(at: string, worked_until: string): void {
    const record = this.#record;
    const outcome = outcomeOf(this.#attempt, this.#answer);
    const { card_id } = this.#putOut(toDeliverable(this.#attempt, record.agent_id, this.#answer));
    this.#waiting = [];
    this.#become(at, { status: 'idle' });
    const { box_id: output_box_id } = record.output_box;
    this.#addEvent(at, 'task', { status: outcome, output_box_id, deliverable_card_id: card_id });
    this.#addEdge(at, { primitive: 'join', edge_phase: 'response', correlation_id: record.agent_turn_id });
    Object.assign(record, { outcome, deliverable_card_id: card_id, worked_until, ended_at: at });
  }

  /** The turn as far as the record has been folded. */
  toTurn(): AgentTurn {
    const { agent_id, turn_epoch, agent_turn_id } = this.#record;
    return {
      record: { ...this.#record, state: stateOfTurn(this.#attempt, this.#record) },
      head: {
        ...this.#head,
        agent_id,
        turn_epoch,
        active_agent_turn_id: this.#head.status === 'idle' ? null : agent_turn_id,
        waiting_tool_count: this.#waiting.length,
      },
    };
  }

  #become(at: string, head: Pick<Head, 'status'> & Partial<Head>): void {
    this.#head = { ...INACTIVE, ...head };
    this.#addState(at);
  }

  /** Puts a card into the turn's output box. */
  #putOut(card: Pointing): CardRecord {
    const { box_id, cards } = this.#record.output_box;
    const put = toCard(box_id, cards.length + 1, card);
    cards.push(put);
    return put;
  }

  #addEdge(occurred_at: string, edge: Edge, parent_step_id: string | null = null): void {
    this.#record.execution_edges.push({ ...edge, trace_id: this.#record.attempt_id, parent_step_id, occurred_at });
  }

  #addEvent(occurred_at: string, kind: string, payload: JsonObject): void {
    const { agent_id, agent_turn_id } = this.#record;
    const subject = `${kind === 'wakeup' ? 'cmd' : 'evt'}.agent.${agent_id}.${kind}`;
    this.#record.events.push({ subject, occurred_at, payload: { agent_turn_id, ...payload } });
  }

  #addStep(at: string, { source_invocation_id: step_id }: RecordedCall, phase: string): void {
    this.#addEvent(at, 'step', { step_id, phase });
  }

  #addState(at: string): void {
    const { status, activity, current_tool } = this.#head;
    const metadata = {
      ...present({ activity: activity ?? undefined, current_tool: current_tool ?? undefined }),
      waiting_tool_count: this.#waiting.length,
    };
    this.#addEvent(at, 'state', { status, turn_epoch: this.#record.turn_epoch, metadata });
  }
}

function openRecord(attempt: RecordedAttempt, agent_id: string, began_at: string): DraftRecord {
  const { world_slug, attempt_id, attempted_turn, status } = attempt;
  const agent_turn_id = agentTurnId(attempt_id, agent_id);
  return {
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
  };
}

function toContextBox(agent_turn_id: string, { workflow_hash, answer_schema_hash, readings }: Task) {
  const box_id = namedUuid(agent_turn_id, 'context');
  const components: readonly Pointing[] = [
    { kind: 'task.instruction', component_hash: workflow_hash },
    { kind: 'task.result_fields', component_hash: answer_schema_hash },
  ];
  const ambients = readings.map(({ source_invocation_id }) => ({ kind: 'ambient.reading', source_invocation_id }));
  const known = components.filter(({ component_hash }) => component_hash !== null);
  return { box_id, cards: [...known, ...ambients].map((card, index) => toCard(box_id, index + 1, card)) };
}

/** An agent that had answered has nothing to do with the failure, and its patch is not applied. */
function outcomeOf(
  { status, failure_class }: RecordedAttempt,
  answer: RecordedCall | undefined,
): AgentTurnRecord['outcome'] {
  if (status === 'committed') return 'success';
  if (answer !== undefined) return 'failed';
  return failure_class === 'stopped' ? 'stopped' : failure_class === 'timeout' ? 'timed_out' : 'failed';
}

/**
 * How a turn ended, or how far it is. At most one subject makes its attempt fail. The turns of the other subjects end with
 * the attempt, but have not failed. An agent turn that has answered waits for the other subjects of its attempt.
 */
function stateOfTurn(
  { failed_subject_entity_id, ...attempt }: RecordedAttempt,
  { agent_id, outcome, worked_until }: Pick<AgentTurnRecord, 'agent_id' | 'outcome' | 'worked_until'>,
): string {
  if (attempt.status === 'failed' && agent_id !== failed_subject_entity_id) return 'not kept';
  if (outcome !== null) return outcome;
  if (worked_until !== null) return 'answered';
  return stateOf(attempt);
}

/** The agent's result: its patch, whether it was applied or not, or the reason why there is none. */
function toDeliverable(attempt: RecordedAttempt, agent_id: string, answer: RecordedCall | undefined): Pointing {
  const isBlamed = attempt.failed_subject_entity_id === agent_id;
  const { failed_source_invocation_id: failed } = attempt;
  const blamed = isBlamed ? attempt.calls.find((call) => call.source_invocation_id === failed) : undefined;
  const call = answer ?? blamed;
  const message = attempt.failure_message ?? '';
  const failure_class = answer === undefined ? (attempt.failure_class ?? 'interrupted') : 'attempt_failed';
  return {
    kind: 'task.deliverable',
    source_invocation_id: call?.source_invocation_id ?? null,
    llm_call_id: call?.llm_call_id ?? null,
    ...(attempt.status === 'committed'
      ? { patch_seq: attempt.patches.get(agent_id) ?? null }
      : { content: { failure_class, message } }),
  };
}

type Pointing = Partial<Omit<CardRecord, 'card_id'>> & Pick<CardRecord, 'kind'>;

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
