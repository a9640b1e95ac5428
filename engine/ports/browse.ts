import type { Json } from '../contract/json.js';
import type { AttemptStatus, AttemptSummary, InvocationStatus, InvocationSummary } from './records.js';
import type { Store } from './store.js';
import type { FactReader } from './stream.js';

/** A part of a long list: the rows after one, newest first. */
export interface ListPart {
  /** The id of the last row before this part; left out for the newest. */
  readonly after?: string;
  readonly limit: number;
}

/** The calls of one world, source or workflow. */
export interface InvocationFilter {
  readonly column: 'world_slug' | 'source_hash' | 'workflow_hash';
  readonly value: string;
}

/** A source call as a list shows it. */
export interface ListedInvocation
  extends Pick<
    InvocationSummary,
    | 'source_invocation_id'
    | 'invocation_kind'
    | 'command_key'
    | 'ambient_source_id'
    | 'tool_name'
    | 'workflow_subject_entity_id'
    | 'workflow_node_id'
    | 'failure_class'
    | 'llm_call_id'
    | 'duration_ms'
    | 'is_superseded'
  > {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly status: InvocationStatus;
  readonly started_at: string;
}

/** A generation as a list shows it. */
export interface ListedLlmCall {
  readonly llm_call_id: string;
  readonly source_invocation_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly workflow_subject_entity_id: string;
  readonly workflow_node_id: string;
  readonly model: string | null;
  readonly model_output_kind: string | null;
  readonly status: InvocationStatus;
  readonly is_superseded: boolean;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly started_at: string;
}

/** A message of the inbox that is not over. */
export interface ListedMessage {
  readonly inbox_id: string;
  readonly world_slug: string;
  readonly message_type: string;
  readonly status: string;
  readonly attempt_id: string | null;
  readonly retry_count: number;
  readonly next_retry_at: string | null;
  readonly defer_reason: string | null;
  readonly created_at: string;
}

/** An attempt as a list of many worlds shows it. */
export interface ListedAttempt
  extends Pick<AttemptSummary, 'attempt_id' | 'world_slug' | 'attempted_turn' | 'started_at' | 'ended_at'> {
  readonly status: AttemptStatus;
}

/** What an ambient source said in a committed turn, as redaction lets it be seen. */
export interface WorldReading {
  readonly turn: number;
  readonly ambient_source_id: string;
  readonly source_invocation_id: string;
  readonly response_json: Json;
}

/** Lists that pages show. */
export interface BrowseReader {
  /** Newest first. */
  invocations(part: ListPart, filter?: InvocationFilter): Promise<readonly ListedInvocation[]>;
  /** Newest first. */
  llmCalls(part: ListPart): Promise<readonly ListedLlmCall[]>;
  /** What is to be done, oldest first, at most 200. */
  inbox(): Promise<readonly ListedMessage[]>;
  /** Attempts that wait for an answer that comes later, or have calls in doubt; at most 200. */
  waitingAttempts(): Promise<readonly ListedAttempt[]>;
  /** The latest attempts that made calls by a workflow, at most 20. */
  attemptsOfWorkflow(workflow_hash: string): Promise<readonly ListedAttempt[]>;
  /** In the order of turns. */
  readings(
    world_slug: string,
    turns: { readonly after: number; readonly until: number },
  ): Promise<readonly WorldReading[]>;
}

/** Everything that is stored, with the lists that pages show and the facts that streams tell. */
export interface BrowsableStore extends Store {
  readonly browse: BrowseReader;
  readonly facts: FactReader;
}
