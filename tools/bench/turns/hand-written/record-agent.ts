import { v7 as uuid } from 'uuid';
import { insert, insertAll, type Runner, update } from './plain-sql.js';

/** The turn of one agent while it is recorded. */
export interface AgentTurn {
  readonly id: string;
  readonly agent_id: string;
  readonly inbox_id: string;
  readonly output_box_id: string;
  cards: number;
}

interface Begun {
  readonly attempt_id: string;
  readonly agent_id: string;
  readonly turn: number;
  /** The readings of the turn, by their calls. */
  readonly readings: readonly string[];
}

/** Records that an agent is asked for and enters: its message, its turn, what it is shown, and where it writes. */
export async function recordEntry(client: Runner, { attempt_id, agent_id, turn, readings }: Begun): Promise<AgentTurn> {
  const [id, inbox_id, context, output_box_id] = [uuid(), uuid(), uuid(), uuid()];
  await insert(client, 'floor_inbox', { id: inbox_id, attempt_id, agent_id, status: 'pending' });
  await insert(client, 'floor_agent_turns', { id, attempt_id, agent_id, inbox_id, epoch: turn });
  await insertAll(client, 'floor_boxes', [
    { id: output_box_id, agent_turn_id: id, kind: 'output', card_limit: 1_000 },
    { id: context, agent_turn_id: id, kind: 'context', card_limit: readings.length + 2 },
  ]);
  const cards = [
    { kind: 'task.instruction', call_id: null },
    { kind: 'task.result_fields', call_id: null },
    ...readings.map((call_id) => ({ kind: 'ambient.reading', call_id })),
  ];
  await insertAll(
    client,
    'floor_cards',
    cards.map((card, index) => ({ box_id: context, position: index + 1, id: uuid(), ...card })),
  );
  await insertAll(client, 'floor_edges', [
    { agent_turn_id: id, primitive: 'enqueue', phase: 'request', correlation_id: inbox_id },
    { agent_turn_id: id, primitive: 'join', phase: 'request', correlation_id: id },
  ]);
  await recordEvents(client, id, ['wakeup', 'state', 'state']);
  await recordHead(client, agent_id, { status: 'running', turn_id: id, activity: 'thinking', current_tool: null });
  return { id, agent_id, inbox_id, output_box_id, cards: 0 };
}

/** Records that a tool is called. */
export async function recordToolCall(client: Runner, turn: AgentTurn, call_id: string): Promise<void> {
  await putOut(client, turn, { kind: 'tool.call', call_id });
  const edge = { agent_turn_id: turn.id, primitive: 'tool_call', phase: 'request', correlation_id: call_id };
  await insert(client, 'floor_edges', edge);
  await recordEvents(client, turn.id, ['step', 'state']);
  await recordHead(client, turn.agent_id, { activity: 'executing_tool', current_tool: 'tool' });
}

/** Records what it answered. */
export async function recordToolResult(client: Runner, turn: AgentTurn, call_id: string): Promise<void> {
  await putOut(client, turn, { kind: 'tool.result', call_id });
  const edge = { agent_turn_id: turn.id, primitive: 'report', phase: 'response', correlation_id: call_id };
  await insert(client, 'floor_edges', edge);
  await recordEvents(client, turn.id, ['step', 'state']);
  await recordHead(client, turn.agent_id, { activity: 'thinking', current_tool: null });
}

/** Records that the agent has answered with a patch. */
export async function recordAnswer(client: Runner, turn: AgentTurn): Promise<void> {
  await recordEvents(client, turn.id, ['step', 'state']);
  await recordHead(client, turn.agent_id, { activity: null });
}

/** Records the end of an agent's turn and what it leaves. */
export async function recordDelivery(client: Runner, turn: AgentTurn, call_id: string): Promise<void> {
  await putOut(client, turn, { kind: 'task.deliverable', call_id });
  const edge = { agent_turn_id: turn.id, primitive: 'join', phase: 'response', correlation_id: turn.id };
  await insert(client, 'floor_edges', edge);
  await recordEvents(client, turn.id, ['state', 'task']);
  await update(client, 'floor_agent_turns', turn.id, { outcome: 'success', ended_at: new Date() });
  await update(client, 'floor_inbox', turn.inbox_id, { status: 'consumed' });
  await recordHead(client, turn.agent_id, { status: 'idle', turn_id: null });
}

async function putOut(client: Runner, turn: AgentTurn, card: { kind: string; call_id: string }): Promise<void> {
  turn.cards += 1;
  await insert(client, 'floor_cards', { box_id: turn.output_box_id, position: turn.cards, id: uuid(), ...card });
}

async function recordEvents(client: Runner, agent_turn_id: string, kinds: readonly string[]): Promise<void> {
  const payload = JSON.stringify({ agent_turn_id, status: 'running' });
  await insertAll(
    client,
    'floor_agent_events',
    kinds.map((kind) => ({ agent_turn_id, kind, payload })),
  );
}

async function recordHead(client: Runner, agent_id: string, head: Readonly<Record<string, unknown>>): Promise<void> {
  await update(client, 'floor_agents', agent_id, head);
}
