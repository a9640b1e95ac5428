import { present } from '../../contract/present.js';
import type { JsonObject } from '../../contract/json.js';
import { namedUuid } from '../content/uuid.js';
import { stateOf } from '../protocol/work-state.js';
import { agentTurnId, turnMessageId } from './agent-turn.js';
import type { AgentEventRecord, AgentHeadRecord, AgentTurnRecord, CardRecord } from './agent-turn.js';
import type { Call } from '../facts/call.js';
import type { AttemptFailed } from '../facts/fact.js';
import type { RecordedAttempt } from './recorded-attempt.js';

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
  readonly readings: readonly Call[];
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

type Head = Pick<AgentHeadRecord, 'status' | 'activity' | 'current_tool' | 'resume_deadline'>;

const INACTIVE = { activity: null, current_tool: null, resume_deadline: null } as const;

/** An agent turn while the record of its attempt is folded. Each method is something that happened in it, and when. */
export class TurnDraft {
  readonly #attempt: RecordedAttempt;
  readonly #record: DraftRecord;
  #head: Head = { ...INACTIVE, status: 'dispatched' };
  /** The calls that it waits for while it is suspended, by the ids of their invocations. */
  #waiting: readonly string[] = [];
  #answer: Call | undefined;

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

  callTool(at: string, call: Call): void {
    const { source_invocation_id, parent_source_invocation_id: parent_step_id, tool_name } = call.start;
    this.#putOut({ kind: 'tool.call', source_invocation_id });
    const edge = { primitive: 'tool_call', edge_phase: 'request', correlation_id: source_invocation_id } as const;
    this.#addEdge(at, edge, parent_step_id);
    this.#addStep(at, call, 'tool_call');
    this.#become(at, { status: 'running', activity: 'executing_tool', current_tool: tool_name });
  }

  /** A tool's call, or one answered later, has ended. A turn that waits for several resumes with the last. */
  receiveResult(at: string, call: Call): void {
    const { source_invocation_id, tool_name } = call.start;
    if (tool_name !== null) this.#putOut({ kind: 'tool.result', source_invocation_id });
    const waited = this.#record.waiting_tools.findLast((tool) => tool.tool_call_id === source_invocation_id);
    if (waited !== undefined) waited.received_at = at;
    this.#waiting = this.#waiting.filter((id) => id !== source_invocation_id);
    this.#addReport(at, call);
    const goesOn = { status: 'running', activity: 'thinking' } as const;
    this.#become(at, this.#waiting.length === 0 ? goesOn : { ...this.#head, current_tool: null });
  }

  /** A node has its output, which later nodes read. The output of the node that is applied is the deliverable. */
  putOutput({ start: { source_invocation_id, llm_call_id } }: Call): void {
    this.#putOut({ kind: 'node.output', source_invocation_id, llm_call_id });
  }

  /** The gate of a node has decided about an answer. */
  judge(at: string, call: Call): void {
    const { source_invocation_id, llm_call_id } = call.start;
    this.#putOut({ kind: 'gate.verdict', source_invocation_id, llm_call_id });
    this.#addStep(at, call, 'quality_gate');
  }

  /**
   * All awaited calls are answered later. An attempt that is suspended again and waits for the same calls adds nothing.
   * @param resume_deadline the first deadline of these calls
   */
  suspend(at: string, calls: readonly Call[], resume_deadline: string): void {
    const waiting = calls.map(({ start }) => start.source_invocation_id).toSorted();
    const { status, current_tool, resume_deadline: until } = this.#head;
    if (status === 'suspended' && until === resume_deadline && this.#waiting.join() === waiting.join()) return;
    for (const tool_call_id of waiting)
      if (!this.#waiting.includes(tool_call_id))
        this.#record.waiting_tools.push({ tool_call_id, registered_at: at, received_at: null });
    this.#waiting = waiting;
    this.#become(at, { status: 'suspended', activity: 'awaiting_tool_result', current_tool, resume_deadline });
  }

  /** The subject has given its patch; its fate is known when the attempt ends. @param call its generation */
  answer(at: string, call: Call): void {
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

  /** It is told after the turn that a call took place whose end nobody saw, or saw wrong: a card shows what it gave. */
  settle(at: string, call: Call): void {
    const { source_invocation_id, invocation_kind, tool_name } = call.start;
    const kind = tool_name === null ? 'node.output' : 'tool.result';
    const cards = this.#record.output_box.cards.filter((card) => card.source_invocation_id === source_invocation_id);
    if (invocation_kind === 'ambient_context' || cards.some((card) => card.kind === kind)) return;
    this.#putOut({ kind, source_invocation_id });
    if (tool_name !== null) this.#addReport(at, call);
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

  /** A call's answer has come. */
  #addReport(at: string, call: Call): void {
    const { source_invocation_id: correlation_id } = call.start;
    this.#addEdge(at, { primitive: 'report', edge_phase: 'response', correlation_id });
    this.#addStep(at, call, 'tool_result');
  }

  #addEdge(occurred_at: string, edge: Edge, parent_step_id: string | null = null): void {
    this.#record.execution_edges.push({ ...edge, trace_id: this.#record.attempt_id, parent_step_id, occurred_at });
  }

  #addEvent(occurred_at: string, kind: string, payload: JsonObject): void {
    const { agent_id, agent_turn_id } = this.#record;
    const subject = `${kind === 'wakeup' ? 'cmd' : 'evt'}.agent.${agent_id}.${kind}`;
    this.#record.events.push({ subject, occurred_at, payload: { agent_turn_id, ...payload } });
  }

  #addStep(at: string, { start }: Call, phase: string): void {
    this.#addEvent(at, 'step', { step_id: start.source_invocation_id, phase });
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
  const { world_slug, attempt_id, attempted_turn } = attempt.began;
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
    attempt_status: attempt.status,
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
  const ambients = readings.map(({ start: { source_invocation_id } }) => ({
    kind: 'ambient.reading',
    source_invocation_id,
  }));
  const known = components.filter(({ component_hash }) => component_hash !== null);
  return { box_id, cards: [...known, ...ambients].map((card, index) => toCard(box_id, index + 1, card)) };
}

function failureOf({ ended }: RecordedAttempt): AttemptFailed | undefined {
  return ended?.kind === 'attempt_failed' ? ended : undefined;
}

/** An agent that had answered has nothing to do with the failure, and its patch is not applied. */
function outcomeOf(attempt: RecordedAttempt, answer: Call | undefined): AgentTurnRecord['outcome'] {
  const failure = failureOf(attempt);
  if (failure === undefined) return 'success';
  if (answer !== undefined) return 'failed';
  const { failure_class } = failure;
  return failure_class === 'stopped' ? 'stopped' : failure_class === 'timeout' ? 'timed_out' : 'failed';
}

/**
 * How a turn ended, or how far it is. At most one subject makes its attempt fail. The turns of the other subjects end with
 * the attempt, but have not failed. An agent turn that has answered waits for the other subjects of its attempt.
 */
function stateOfTurn(
  attempt: RecordedAttempt,
  { agent_id, outcome, worked_until }: Pick<AgentTurnRecord, 'agent_id' | 'outcome' | 'worked_until'>,
): string {
  const failure = failureOf(attempt);
  if (failure !== undefined && agent_id !== failure.subject_id) return 'not kept';
  if (outcome !== null) return outcome;
  if (worked_until !== null) return 'answered';
  return stateOf(attempt);
}

/** The agent's result: its patch, whether it was applied or not, or the reason why there is none. */
function toDeliverable({ ended, calls }: RecordedAttempt, agent_id: string, answer: Call | undefined): Pointing {
  const kind = 'task.deliverable';
  if (ended?.kind !== 'attempt_failed') {
    const patch = ended?.patches.find(({ subject_id }) => subject_id === agent_id);
    return { kind, ...pointTo(answer), patch_seq: patch?.patch_seq ?? null };
  }
  const { subject_id, source_invocation_id, failure_message: message } = ended;
  const blamed =
    subject_id === agent_id
      ? calls.find(({ start }) => start.source_invocation_id === source_invocation_id)
      : undefined;
  const failure_class = answer === undefined ? ended.failure_class : 'attempt_failed';
  return { kind, ...pointTo(answer ?? blamed), content: { failure_class, message } };
}

function pointTo(call: Call | undefined): Pick<Pointing, 'source_invocation_id' | 'llm_call_id'> {
  return {
    source_invocation_id: call?.start.source_invocation_id ?? null,
    llm_call_id: call?.start.llm_call_id ?? null,
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
