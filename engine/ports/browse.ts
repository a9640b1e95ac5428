import type { Json } from '../contract/json.js';
import type { AttemptStatus, AttemptSummary, InvocationStatus, InvocationSummary } from './records.js';
import type { ComponentKind } from '../core/protocol/component.js';
import type { StoredComponent } from './components.js';
import type { SearchReader } from './search.js';
import type { Store } from './store.js';
import type { FactReader } from './stream.js';
import type { WorldRecord } from './worlds.js';

/** A part of a long list: the rows after one, in the order of the list. */
export interface ListPart {
  /** The key of the last row before this part; absent for the first. */
  readonly after?: string;
  readonly limit: number;
}

/** A part of the calls of an attempt. */
export interface CallsPart extends ListPart {
  /** Those that are open, have failed or are in doubt; of such calls, the most urgent first; or calls by their ids. */
  readonly only?: 'unfinished' | 'urgent' | readonly string[];
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
  readonly is_driven: boolean;
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

export interface ReadingsPart {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

export interface FirstGenerations {
  readonly workflow_hash: string;
  /** Within its first so many calls. */
  readonly calls: number;
  readonly limit: number;
}

/** Whether its scenario has the shape that reading a world takes for granted: a forged or damaged one has not. */
export interface Readable {
  readonly is_readable: boolean;
}

/** The lists of pages. Each part is read by an index. */
export interface BrowseReader {
  /** By name. @param scenario_hash only worlds that have, or had, this scenario */
  worlds(part: ListPart, scenario_hash?: string): Promise<readonly (WorldRecord & Readable)[]>;
  /** The family of a world by name, itself included: its first ancestor, and all forks of that. */
  family(world_slug: string, limit: number): Promise<readonly WorldRecord[]>;
  /** The latest first. */
  attempts(world_slug: string, part: ListPart): Promise<readonly AttemptSummary[]>;
  /** The attempts at one turn, the latest first. */
  attemptsAtTurn(world_slug: string, turn: number, limit: number): Promise<readonly AttemptSummary[]>;
  /**
   * The calls of an attempt and those that it has adopted, in the order of their issue; the key is that number.
   * @returns undefined for an unknown attempt
   */
  calls(attempt_id: string, part: CallsPart): Promise<readonly InvocationSummary[] | undefined>;
  /** Newest first. */
  invocations(part: ListPart): Promise<readonly ListedInvocation[]>;
  /** Newest first. */
  llmCalls(part: ListPart): Promise<readonly ListedLlmCall[]>;
  /** Open messages, oldest first. */
  inbox(part: ListPart): Promise<readonly ListedMessage[]>;
  /** Suspended attempts, and those with calls in doubt; at most 200, with at most 1000 calls in all. */
  waitingAttempts(): Promise<readonly WaitingAttempt[]>;
  /** Documents of a kind, by label. */
  documents(kind: ComponentKind, part: ListPart): Promise<readonly StoredComponent[]>;
  /** The latest calls of a source or by a workflow, and their attempts: among the latest attempts only. */
  useOf(document: UsedDocument): Promise<DocumentUse>;
  /** The latest of those turns, in the order of turns. */
  readings(world_slug: string, part: ReadingsPart): Promise<readonly WorldReading[]>;
  /**
   * The ids of the first generations of each subject at each node of a workflow, in the order of their issue.
   * @returns undefined for an unknown attempt
   */
  firstGenerations(attempt_id: string, sought: FirstGenerations): Promise<readonly string[] | undefined>;
}

export interface UsedDocument {
  readonly kind: 'response_source' | 'cognition_workflow';
  readonly hash: string;
}

/** The latest uses of a document, the latest first. */
export interface DocumentUse {
  readonly attempts: readonly ListedAttempt[];
  readonly calls: readonly ListedInvocation[];
}

/** The store with the lists of pages, the facts of streams, and search. */
export interface BrowsableStore extends Store {
  readonly browse: BrowseReader;
  readonly facts: FactReader;
  readonly search: SearchReader;
}
