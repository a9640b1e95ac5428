import type { Json, JsonObject } from '../../contract/json.js';
import { namedUuid } from '../content/uuid.js';

/** An agent's state head. */
export interface AgentHeadRecord {
  readonly agent_id: string;
  readonly status: 'idle' | 'dispatched' | 'running' | 'suspended';
  /** Raised by each turn that it is given, in a failed attempt too, and by each take-over of one. */
  readonly turn_epoch: number;
  readonly active_agent_turn_id: string | null;
  readonly activity: 'thinking' | 'executing_tool' | 'awaiting_tool_result' | null;
  readonly current_tool: string | null;
  readonly waiting_tool_count: number;
  readonly resume_deadline: string | null;
}

/** An agent turn as a list shows it. */
export interface AgentTurnSummary {
  readonly agent_turn_id: string;
  readonly agent_id: string;
  readonly turn_epoch: number;
  /** Null while it is open. */
  readonly outcome: 'success' | 'failed' | 'stopped' | 'timed_out' | null;
  /** The turn's state in a word: its outcome, or another word of docs/terms.md. */
  readonly state: string;
  readonly deliverable_card_id: string | null;
  readonly began_at: string;
  /** When the last of its own calls ended; null while it is at work. The turn itself ends with its attempt. */
  readonly worked_until: string | null;
  readonly ended_at: string | null;
}

export interface AgentTurnRecord extends AgentTurnSummary {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly attempt_status: string;
  readonly inbox_id: string;
  /** The agent's task and readings; null where its nodes never began. */
  readonly context_box: BoxRecord | null;
  /** Its calls and its result. */
  readonly output_box: BoxRecord;
  readonly execution_edges: readonly ExecutionEdgeRecord[];
  readonly events: readonly AgentEventRecord[];
  readonly waiting_tools: readonly WaitingToolRecord[];
}

export interface BoxRecord {
  readonly box_id: string;
  readonly cards: readonly CardRecord[];
}

/** A pointer to what is on record elsewhere. */
export interface CardRecord {
  readonly card_id: string;
  readonly kind: string;
  readonly component_hash: string | null;
  readonly source_invocation_id: string | null;
  readonly llm_call_id: string | null;
  /** The number of the patch among those of the attempt's turn. */
  readonly patch_seq: number | null;
  readonly content: Json;
}

export interface ExecutionEdgeRecord {
  readonly primitive: string;
  readonly edge_phase: 'request' | 'response';
  readonly correlation_id: string;
  readonly trace_id: string;
  readonly parent_step_id: string | null;
  readonly occurred_at: string;
}

export interface AgentEventRecord {
  /** `evt.agent.<agent>.task`, `.step` or `.state`; `cmd.agent.<agent>.wakeup`. It is told in the record, and never sent. */
  readonly subject: string;
  readonly occurred_at: string;
  readonly payload: JsonObject;
}

/** A call that a suspended turn waited for. */
export interface WaitingToolRecord {
  readonly tool_call_id: string;
  readonly registered_at: string;
  readonly received_at: string | null;
}

/** The id of an agent turn. It follows from attempt and agent, so every driver computes the same one. */
export function agentTurnId(attempt_id: string, agent_id: string): string {
  return namedUuid(attempt_id, agent_id);
}

/** The id of the message that asks for an agent turn. */
export function turnMessageId(agent_turn_id: string): string {
  return namedUuid(agent_turn_id, 'inbox');
}
