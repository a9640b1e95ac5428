import type { AttemptFailureClass } from '../protocol/failure.js';

/** The part of an attempt's record from which the turns of its agents follow. Times are RFC 3339, in UTC. */
export interface RecordedAttempt {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly status: string;
  /** A driver holds it. */
  readonly is_driven: boolean;
  readonly started_at: string;
  /** Null while it is open. */
  readonly ended_at: string | null;
  readonly failure_class: AttemptFailureClass | null;
  readonly failure_message: string | null;
  readonly failed_subject_entity_id: string | null;
  readonly failed_source_invocation_id: string | null;
  /** The agents that have a turn in it, each with the `turn_epoch` with which that began. */
  readonly agents: ReadonlyMap<string, number>;
  /** Its calls and those that it has adopted, in the order of their issue. */
  readonly calls: readonly RecordedCall[];
  /** Its events, in order; adopted calls began and ended in an earlier attempt. */
  readonly timeline: readonly RecordedEvent[];
  /** The patch of each agent that was applied. */
  readonly patches: ReadonlyMap<string, number>;
  /** The agents' tasks, as far as their workflows name them. */
  readonly tasks: ReadonlyMap<string, AgentTask>;
}

/** The task of one agent, as the documents of an attempt have it. */
export interface AgentTask {
  /** The node whose final patch is applied. */
  readonly apply_node: string;
  /** The keys of the once-per-turn readings that the agent is given. */
  readonly turn_reading_keys: readonly string[];
}

export interface RecordedCall {
  readonly source_invocation_id: string;
  readonly llm_call_id: string | null;
  readonly parent_source_invocation_id: string | null;
  readonly command_key: string;
  readonly invocation_kind: string;
  readonly workflow_hash: string | null;
  readonly workflow_node_id: string | null;
  /** Null for a once-per-turn reading. */
  readonly workflow_subject_entity_id: string | null;
  readonly tool_name: string | null;
  readonly status: string;
  readonly model_output_kind: string | null;
  /** Of the schema that a generation was offered. */
  readonly offered_schema_hash: string | null;
  readonly is_adopted: boolean;
}

export interface RecordedEvent {
  readonly event_kind: string;
  readonly occurred_at: string;
  readonly source_invocation_id: string | null;
  /** Of `attempt_suspended`: the first moment at which the attempt resumes, answered or not. */
  readonly resume_deadline?: string;
  /** Of `attempt_continued`: how many drivers have been taken over so far. */
  readonly take_overs?: number;
}
