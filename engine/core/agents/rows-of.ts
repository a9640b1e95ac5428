import type { JsonObject } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { namedUuid } from '../content/uuid.js';
import { type AgentBook, type AgentTurn, type CallPointer, namesOf } from './book.js';
import type { AgentEvent, BegunTurn, Box, Card, EndedTurn, ExecutionEdge, WaitingTool } from './record.js';
import { type AgentStep, findNextAgentStatus } from './status.js';
import type {
  AgentTransition,
  Answered,
  Dispatched,
  Ended,
  Entered,
  Reported,
  Suspended,
  ToolAnswered,
  ToolCalled,
} from './transition.js';

/** Finds the record of a call by its key. */
export type PointerOf = (call_key: string) => CallPointer;

/** What one transition leaves: the turn as it goes on, none once it has ended, and rows, which do not say when yet. */
export interface Left {
  readonly turn: AgentTurn | undefined;
  readonly turns?: readonly Omit<BegunTurn, 'at'>[];
  readonly boxes?: readonly Box[];
  readonly cards?: readonly Card[];
  readonly edges?: readonly Omit<ExecutionEdge, 'at'>[];
  readonly events: readonly Omit<AgentEvent, 'at' | 'transition'>[];
  readonly waits?: readonly Omit<WaitingTool, 'at'>[];
  readonly ends?: readonly Omit<EndedTurn, 'at'>[];
}

/** How many cards an output box can hold. */
const UNLIMITED = 2_147_483_647;

/**
 * What a transition makes of an agent's turn, and the rows that it leaves.
 * @throws Error where the agent stands elsewhere than the transition begins
 */
export function rowsOf(book: AgentBook, transition: AgentTransition, pointerOf: PointerOf): Left {
  switch (transition.kind) {
    case 'dispatched':
      return dispatch(book, transition);
    case 'entered':
      return enter(book, transition, pointerOf);
    case 'tool_called':
      return callTool(book, transition, pointerOf(transition.call_key));
    case 'tool_answered':
      return hearTool(book, transition, pointerOf(transition.call_key));
    case 'reported':
      return hearReport(book, transition, pointerOf(transition.call_key));
    case 'suspended':
      return suspend(book, transition, pointerOf);
    case 'answered':
      return answer(book, transition, pointerOf(transition.call_key));
    case 'ended':
      return end(book, transition, pointerOf);
    default:
      return unreachable(transition);
  }
}

function dispatch(book: AgentBook, { subject_id }: Dispatched): Left {
  const status = findNextAgentStatus(book.turns.get(subject_id)?.status ?? 'idle', 'dispatch');
  if (status === undefined || status === 'idle') throw new Error(`${subject_id} has a turn already`);
  const { agent_turn_id, inbox_id, context_box_id, output_box_id } = namesOf(book.attempt_id, subject_id);
  const begun = { agent_id: subject_id, agent_turn_id, turn_epoch: (book.turn_epochs.get(subject_id) ?? 0) + 1 };
  const turn: AgentTurn = {
    ...begun,
    status,
    activity: null,
    current_tool: null,
    waiting: [],
    resume_deadline: null,
    suspensions: 0,
    output_cards: 0,
    answer: null,
  };
  return {
    turn,
    turns: [{ ...begun, inbox_id, context_box_id, output_box_id }],
    boxes: [{ box_id: output_box_id, agent_turn_id, kind: 'output', card_limit: UNLIMITED }],
    edges: [
      { agent_turn_id, primitive: 'enqueue', edge_phase: 'request', correlation_id: inbox_id },
      { agent_turn_id, primitive: 'join', edge_phase: 'request', correlation_id: agent_turn_id },
    ],
    events: [toEvent(turn, 'wakeup', { inbox_id }), toState(turn)],
  };
}

function enter(book: AgentBook, entered: Entered, pointerOf: PointerOf): Left {
  const turn: AgentTurn = { ...step(book, entered.subject_id, 'enter'), activity: 'thinking' };
  const { agent_turn_id } = turn;
  const cards: readonly Pointing[] = [
    { kind: 'task.instruction', component_hash: entered.workflow_hash },
    { kind: 'task.result_fields', component_hash: entered.answer_schema_hash },
    ...entered.reading_keys.map((key): Pointing => {
      const { source_invocation_id } = pointerOf(key);
      return { kind: 'ambient.reading', source_invocation_id };
    }),
  ];
  const box_id = namesOf(book.attempt_id, turn.agent_id).context_box_id;
  const box = { box_id, agent_turn_id, card_limit: cards.length };
  return {
    turn,
    boxes: [{ ...box, kind: 'context' }],
    cards: cards.map((card, index) => toCard(box, index + 1, card)),
    events: [toState(turn)],
  };
}

function callTool(book: AgentBook, { subject_id, tool_name }: ToolCalled, call: CallPointer): Left {
  const { source_invocation_id, parent_source_invocation_id: parent } = call;
  const [put, card] = putOut(book, step(book, subject_id, 'work'), { kind: 'tool.call', source_invocation_id });
  const turn: AgentTurn = { ...put, activity: 'executing_tool', current_tool: tool_name };
  const { agent_turn_id } = turn;
  const edge = { agent_turn_id, primitive: 'tool_call', edge_phase: 'request' } as const;
  return {
    turn,
    cards: [card],
    edges: [
      { ...edge, correlation_id: source_invocation_id, ...(parent === undefined ? {} : { parent_step_id: parent }) },
    ],
    events: [toStep(turn, source_invocation_id, 'tool_call'), toState(turn)],
  };
}

function hearTool(book: AgentBook, { subject_id }: ToolAnswered, { source_invocation_id }: CallPointer): Left {
  const before = getTurn(book, subject_id);
  const [turn, card] = putOut(book, hear(before, source_invocation_id), { kind: 'tool.result', source_invocation_id });
  return { ...report(before, turn, source_invocation_id), cards: [card] };
}

function hearReport(book: AgentBook, { subject_id }: Reported, { source_invocation_id }: CallPointer): Left {
  const before = getTurn(book, subject_id);
  return report(before, hear(before, source_invocation_id), source_invocation_id);
}

/** A turn that waits for several goes on with the last of them. */
function hear(turn: AgentTurn, source_invocation_id: string): AgentTurn {
  const waiting = turn.waiting.filter((id) => id !== source_invocation_id);
  const back = { ...turn, waiting, current_tool: null };
  if (turn.status !== 'suspended') return { ...take(back, 'work'), activity: 'thinking' };
  return waiting.length > 0 ? back : { ...take(back, 'resume'), activity: 'thinking', resume_deadline: null };
}

function report({ waiting }: AgentTurn, turn: AgentTurn, source_invocation_id: string): Left {
  const { agent_turn_id } = turn;
  const edge = { agent_turn_id, primitive: 'report', edge_phase: 'response' } as const;
  return {
    turn,
    edges: [{ ...edge, correlation_id: source_invocation_id }],
    waits: waiting
      .filter((id) => id === source_invocation_id)
      .map((tool_call_id) => ({ agent_turn_id, tool_call_id, is_awaited: false })),
    events: [toStep(turn, source_invocation_id, 'tool_result'), toState(turn)],
  };
}

function suspend(book: AgentBook, { subject_id, call_keys, resume_deadline }: Suspended, pointerOf: PointerOf): Left {
  const before = getTurn(book, subject_id);
  const waiting = call_keys.map((key) => pointerOf(key).source_invocation_id).toSorted();
  const isSame = before.resume_deadline === resume_deadline && before.waiting.join() === waiting.join();
  if (before.status === 'suspended' && isSame) return { turn: before, events: [] };
  const turn: AgentTurn = {
    ...take(before, 'suspend'),
    activity: 'awaiting_tool_result',
    waiting,
    resume_deadline,
    suspensions: before.suspensions + 1,
  };
  const { agent_turn_id } = turn;
  const isNew = (id: string): boolean => !before.waiting.includes(id);
  return {
    turn,
    waits: waiting.filter(isNew).map((tool_call_id) => ({ agent_turn_id, tool_call_id, is_awaited: true })),
    events: [toState(turn)],
  };
}

function answer(book: AgentBook, { subject_id }: Answered, call: CallPointer): Left {
  const turn: AgentTurn = { ...step(book, subject_id, 'work'), activity: null, current_tool: null, answer: call };
  return { turn, events: [toStep(turn, call.source_invocation_id, 'answered'), toState(turn)] };
}

function end(book: AgentBook, ended: Ended, pointerOf: PointerOf): Left {
  const turn = getTurn(book, ended.subject_id);
  if (findNextAgentStatus(turn.status, 'deliver') !== 'idle') throw new Error(`${turn.agent_id} is ${turn.status}`);
  const { agent_turn_id, turn_epoch } = turn;
  const { output_box_id } = namesOf(book.attempt_id, turn.agent_id);
  const [, card] = putOut(book, turn, toDeliverable(turn, ended, pointerOf));
  const deliverable_card_id = card.card_id;
  return {
    turn: undefined,
    cards: [card],
    edges: [{ agent_turn_id, primitive: 'join', edge_phase: 'response', correlation_id: agent_turn_id }],
    events: [
      toEvent(turn, 'state', { status: 'idle', turn_epoch, metadata: { waiting_tool_count: 0 } }),
      toEvent(turn, 'task', { status: ended.outcome, output_box_id, deliverable_card_id }),
    ],
    ends: [{ agent_turn_id, outcome: ended.outcome, deliverable_card_id }],
  };
}

/** What the agent leaves: its patch, whether it was applied or not, or why there is none. */
function toDeliverable(turn: AgentTurn, { patch_seq, failure }: Ended, pointerOf: PointerOf): Pointing {
  const blamed = failure?.call_key === undefined ? undefined : pointerOf(failure.call_key);
  const call = turn.answer ?? blamed;
  return {
    kind: 'task.deliverable',
    ...(call === undefined ? {} : { source_invocation_id: call.source_invocation_id }),
    ...(call?.llm_call_id === undefined ? {} : { llm_call_id: call.llm_call_id }),
    ...(patch_seq === undefined ? {} : { patch_seq }),
    ...(failure === undefined ? {} : { content: { failure_class: failure.failure_class, message: failure.message } }),
  };
}

function step(book: AgentBook, agent_id: string, taken: AgentStep): AgentTurn {
  return take(getTurn(book, agent_id), taken);
}

function take(turn: AgentTurn, taken: AgentStep): AgentTurn {
  const status = findNextAgentStatus(turn.status, taken);
  if (status === undefined || status === 'idle') throw new Error(`${turn.agent_id} is ${turn.status}: no ${taken}`);
  return { ...turn, status };
}

function getTurn(book: AgentBook, agent_id: string): AgentTurn {
  const turn = book.turns.get(agent_id);
  if (turn === undefined) throw new Error(`${agent_id} has no turn`);
  return turn;
}

type Pointing = Omit<Card, 'box_id' | 'agent_turn_id' | 'position' | 'card_id' | 'card_limit'>;

/** Lays a card into the turn's output box. */
function putOut(book: AgentBook, turn: AgentTurn, card: Pointing): readonly [AgentTurn, Card] {
  const { output_box_id: box_id } = namesOf(book.attempt_id, turn.agent_id);
  const output_cards = turn.output_cards + 1;
  const box = { box_id, agent_turn_id: turn.agent_turn_id, card_limit: UNLIMITED };
  return [{ ...turn, output_cards }, toCard(box, output_cards, card)];
}

function toCard(box: Pick<Card, 'box_id' | 'agent_turn_id' | 'card_limit'>, position: number, card: Pointing): Card {
  return { ...box, position, card_id: namedUuid(box.box_id, `${position}`), ...card };
}

function toEvent(turn: AgentTurn, kind: AgentEvent['kind'], payload: JsonObject): Left['events'][number] {
  return { agent_id: turn.agent_id, agent_turn_id: turn.agent_turn_id, kind, payload };
}

function toStep(turn: AgentTurn, step_id: string, phase: string): Left['events'][number] {
  return toEvent(turn, 'step', { step_id, phase });
}

function toState(turn: AgentTurn): Left['events'][number] {
  const { status, turn_epoch, activity, current_tool, waiting } = turn;
  const metadata = {
    ...(activity === null ? {} : { activity }),
    ...(current_tool === null ? {} : { current_tool }),
    waiting_tool_count: waiting.length,
  };
  return toEvent(turn, 'state', { status, turn_epoch, metadata });
}
