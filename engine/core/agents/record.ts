import type { Json } from '../../contract/json.js';
import type { AgentActivity, AgentStatus, AgentTurnOutcome } from './status.js';
import type { Timed } from './transition.js';

/** Rows that transitions leave, to be written at once and whole, or not at all; each has the time of its own transition. */
export interface AgentRecord {
  readonly heads: readonly HeadChange[];
  readonly turns: readonly BegunTurn[];
  readonly boxes: readonly Box[];
  readonly cards: readonly Card[];
  readonly edges: readonly ExecutionEdge[];
  readonly events: readonly AgentEvent[];
  /** Calls that are waited for from now on, and those that are not any more. */
  readonly waits: readonly WaitingTool[];
  /** Of turns that were told of before. */
  readonly ends: readonly EndedTurn[];
}

/** A state head as it must stand for the rest to be written, and as it stands afterwards. */
export interface HeadChange {
  readonly agent_id: string;
  readonly expected: { readonly turn_epoch: number; readonly agent_turn_id: string | null };
  readonly status: AgentStatus;
  readonly turn_epoch: number;
  readonly agent_turn_id: string | null;
  readonly activity: AgentActivity | null;
  readonly current_tool: string | null;
  readonly waiting_tool_count: number;
  readonly resume_deadline: number | null;
}

/** A member of a turn's waiting set, from now on or not any more. */
export interface WaitingTool extends Timed {
  readonly agent_turn_id: string;
  /** Of the invocation. */
  readonly tool_call_id: string;
  readonly is_awaited: boolean;
}

/** An agent turn with the message that asks for it. */
export interface BegunTurn extends Timed {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly inbox_id: string;
  /** Named from the beginning, and made when the agent enters. */
  readonly context_box_id: string;
  readonly output_box_id: string;
  /** Where it is told of together with its beginning. */
  readonly end?: EndedTurn;
}

/** A context box is read-only: it holds as many cards as it was made with. An output box grows, by one writer. */
export interface Box {
  readonly box_id: string;
  readonly agent_turn_id: string;
  readonly kind: 'context' | 'output';
  readonly card_limit: number;
}

export type CardKind =
  | 'task.instruction'
  | 'task.result_fields'
  | 'ambient.reading'
  | 'tool.call'
  | 'tool.result'
  | 'task.deliverable';

/** A pointer to what is on record elsewhere; content stands only in a deliverable that says why there is no other. */
export interface Card {
  readonly box_id: string;
  readonly agent_turn_id: string;
  /** 1-based, without gaps. */
  readonly position: number;
  readonly card_id: string;
  readonly card_limit: number;
  readonly kind: CardKind;
  readonly component_hash?: string;
  readonly source_invocation_id?: string;
  readonly llm_call_id?: string;
  readonly patch_seq?: number;
  readonly content?: Json;
}

/** What caused what: a request and its response have one correlation. */
export interface ExecutionEdge extends Timed {
  readonly agent_turn_id: string;
  readonly primitive: 'enqueue' | 'tool_call' | 'report' | 'join';
  readonly edge_phase: 'request' | 'response';
  readonly correlation_id: string;
  /** The call out of which it came. */
  readonly parent_step_id?: string;
}

/** `wakeup` is a `cmd.agent.*` subject, the others are `evt.agent.*`. */
export interface AgentEvent extends Timed {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  /** Names the transition in the turn; written once. */
  readonly transition: string;
  readonly kind: 'wakeup' | 'state' | 'step' | 'task';
  readonly payload: Json;
}

/** The end of an agent turn. */
export interface EndedTurn extends Timed {
  readonly agent_turn_id: string;
  readonly outcome: AgentTurnOutcome;
  readonly deliverable_card_id: string;
}
