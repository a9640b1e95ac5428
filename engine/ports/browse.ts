import type { Json } from '../contract/json.js';
import type { AttemptStatus, AttemptSummary, InvocationStatus, InvocationSummary } from './records.js';

/** A part of a long list: the rows after one, in the order of the list. */
export interface ListPart {
  /** The key of the last row before this part; absent for the first. */
  readonly after?: string;
  readonly limit: number;
}

export interface CallsPart extends ListPart {
  /** Those that are open, have failed or are in doubt; of such calls, the most urgent first; or calls by their ids. */
  readonly only?: 'unfinished' | 'urgent' | readonly string[];
}

/** Which calls a list shows; all where nothing is named. */
export interface CallFilter {
  readonly world_slug?: string;
  readonly status?: string;
  readonly subject?: string;
  readonly failure_class?: string;
  /** The label of their source. */
  readonly source_label?: string;
}

/** Which attempts of a world a list shows; all where nothing is named. */
export interface AttemptFilter {
  readonly world_slug: string;
  readonly status?: string;
  readonly turn?: number;
  readonly failure_class?: string;
}

/** The rows that are counted by their status: so many of the latest. */
export interface CountedRows {
  readonly seen: number;
}

export interface CountedCalls extends CountedRows {
  /** Generations alone. */
  readonly kind?: 'llm_generation';
}

/** How many of the latest rows have each status. */
export interface StatusCount {
  readonly status: AttemptStatus | InvocationStatus;
  readonly count: number;
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
    | 'is_driven'
    | 'status'
  > {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly started_at: string;
}

/** A generation as a list shows it. */
export interface ListedLlmCall
  extends Pick<
    InvocationSummary,
    'source_invocation_id' | 'model_output_kind' | 'status' | 'is_superseded' | 'is_driven'
  > {
  readonly llm_call_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly workflow_subject_entity_id: string;
  readonly workflow_node_id: string;
  readonly model: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly started_at: string;
}

/** An open message of the inbox. */
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

/** An attempt that waits, with the calls that it waits for. */
export interface WaitingAttempt extends ListedAttempt {
  readonly waits_for: readonly WaitedCall[];
}

export interface WaitedCall {
  readonly source_invocation_id: string;
  readonly command_key: string;
  readonly source_label: string;
  /** Then the call fails; null of a call in doubt, which waits until somebody settles it. */
  readonly deadline: string | null;
}

/** A reading of an ambient source in a committed turn, redacted. */
export interface WorldReading {
  readonly turn: number;
  readonly ambient_source_id: string;
  readonly source_invocation_id: string;
  readonly response_json: Json;
}

/** The newest attempt of a world, and whether a call of the world is in doubt. */
export interface WorldActivity
  extends Pick<AttemptSummary, 'attempt_id' | 'world_slug' | 'attempted_turn' | 'failure_class' | 'is_driven'> {
  readonly status: AttemptStatus;
  readonly is_in_doubt: boolean;
  /** When it ended, or began where it has not. */
  readonly last_at: string;
}

/** Whether its scenario has the shape that reading a world takes for granted: a forged or damaged one has not. */
export interface Readable {
  readonly is_readable: boolean;
}

export interface UsedDocument {
  readonly kind: 'response_source' | 'cognition_workflow' | 'json_schema';
  readonly hash: string;
}

/** Which generations are added up. */
export type WantedCalls =
  | { readonly of: 'world'; readonly world_slug: string }
  | { readonly of: 'turn'; readonly world_slug: string; readonly turn: number }
  | { readonly of: 'attempt'; readonly world_slug: string; readonly attempt_id: string }
  | { readonly of: 'subject'; readonly world_slug: string; readonly attempt_id: string; readonly subject_id: string }
  /** Of each of these attempts, or of each subject of the world, apart. */
  | { readonly of: 'attempts'; readonly world_slug: string; readonly attempt_ids: readonly string[] }
  | { readonly of: 'subjects'; readonly world_slug: string }
  | { readonly of: 'worlds'; readonly world_slugs: readonly string[] };
