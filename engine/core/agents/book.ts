import { namedUuid } from '../content/uuid.js';
import type { AgentActivity, AgentStatus } from './status.js';

/** The record of a call, to which what happens in an agent turn points. */
export interface CallPointer {
  readonly source_invocation_id: string;
  /** Present for generations. */
  readonly llm_call_id?: string;
  /** The generation that elected it. */
  readonly parent_source_invocation_id?: string;
}

/** An agent turn that goes on. */
export interface AgentTurn {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly status: Exclude<AgentStatus, 'idle'>;
  readonly activity: AgentActivity | null;
  readonly current_tool: string | null;
  /** The calls that it waits for while it is suspended, by the ids of their invocations. */
  readonly waiting: readonly string[];
  /** While it is suspended: when the first of them is given up, in milliseconds since 1970. */
  readonly resume_deadline: number | null;
  /** How often it has been suspended. */
  readonly suspensions: number;
  /** How many cards its output box holds. */
  readonly output_cards: number;
  /** The generation that said its patch, once it has. */
  readonly answer: CallPointer | null;
}

/** What an attempt knows of its agents: a projection, from which nothing in the world follows. */
export interface AgentBook {
  readonly attempt_id: string;
  /** The `turn_epoch` of each agent's state head. */
  readonly turn_epochs: ReadonlyMap<string, number>;
  /** The turns that go on, by agent. */
  readonly turns: ReadonlyMap<string, AgentTurn>;
  /** The transitions that are on record, as `entryKey` names them. */
  readonly recorded: ReadonlySet<string>;
}

/** The book of an attempt of which nothing is on record. */
export function openBook(attempt_id: string, turn_epochs: AgentBook['turn_epochs']): AgentBook {
  return { attempt_id, turn_epochs, turns: new Map(), recorded: new Set() };
}

/** The names of an agent's turn in an attempt and of what belongs to it, the same whoever drives it. */
export function namesOf(attempt_id: string, agent_id: string) {
  const agent_turn_id = namedUuid(attempt_id, agent_id);
  return {
    agent_turn_id,
    inbox_id: namedUuid(agent_turn_id, 'inbox'),
    context_box_id: namedUuid(agent_turn_id, 'context'),
    output_box_id: namedUuid(agent_turn_id, 'output'),
  };
}

/** Names a transition of an agent turn in the book. */
export function entryKey(agent_turn_id: string, transition: string): string {
  return `${agent_turn_id} ${transition}`;
}
