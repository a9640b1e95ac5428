import type { Json, JsonObject } from '../../contract/json.js';
import type { RejectedToolCall } from '../../contract/tool-error-code.js';
import type * as facts from '../facts/fact.js';
import type { EffectOperation } from '../world/world-patch.js';

/**
 * One thing of the record as a stream tells it: a fact, as far as streams show it, with what its hashes stand for.
 * They are numbered in the order in which they became durable; those of one statement may bear one number.
 */
export type Told = { readonly event_id: number } & (
  | AttemptBegan
  | CallStarted
  | TextStreamed
  | CallEnded
  | TurnCommitted
  | Pick<facts.AttemptFailed, 'kind' | 'at' | 'failure_class' | 'failure_message'>
  | Noted
);

export interface AttemptBegan
  extends Pick<facts.AttemptBegan, 'kind' | 'at' | 'world_slug' | 'attempt_id' | 'attempted_turn'> {
  /** The attempt before, calls of which answer this one's commands. */
  readonly adopts: string | null;
  /** The world that the turn begins with. */
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly ({ readonly id: string } & JsonObject)[];
}

export interface CallStarted extends Pick<facts.CallStarted, 'kind' | 'at' | CallMember> {
  /** The generation that elected the tool, or that the gate judges. */
  readonly parent_llm_call_id: string | null;
  /** The model's id of the tool call, where it gave one. */
  readonly tool_call_id: string | null;
  /** The request, which operators alone see; null of generations. */
  readonly request_json: Json;
}

type CallMember =
  | 'source_invocation_id'
  | 'invocation_kind'
  | 'command_key'
  | 'performance'
  | 'subject_id'
  | 'node_id'
  | 'ambient_id'
  | 'tool_name'
  | 'llm_call_id';

/** A model streamed more text, as redaction shows it. */
export interface TextStreamed {
  readonly kind: 'text_streamed';
  readonly llm_call_id: string | null;
  readonly text: string;
}

export interface CallEnded extends Pick<facts.CallEnded, 'kind' | 'at' | EndMember> {
  /** As redaction lets it be seen. */
  readonly response_json: Json;
  /** The model's reasoning, which operators alone see. */
  readonly reasoning: string | null;
  /** The tool calls of a generation whose answer was rejected. */
  readonly rejected_calls: readonly RejectedToolCall[];
}

type EndMember = 'source_invocation_id' | 'failure_class' | 'failure_message' | 'model_output_kind';

export interface TurnCommitted extends Pick<facts.TurnCommitted, 'kind' | 'at'> {
  readonly patches: readonly (Pick<facts.PatchFact, 'patch_seq' | 'subject_id'> & {
    readonly narration: string;
    readonly effects: readonly ToldEffect[];
  })[];
}

export interface ToldEffect {
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
  readonly state_after: string;
}

/** A note of the timeline: a stream tells its kind and its details, and derives nothing from them. */
export interface Noted {
  readonly kind: 'noted';
  readonly of: facts.NotedKind;
  readonly at: string;
  readonly source_invocation_id: string | null;
  readonly details: Json;
}

/** Whether an attempt is over with this: nothing of it follows. */
export function isLastOfAttempt({ kind }: Told): boolean {
  return kind === 'turn_committed' || kind === 'attempt_failed';
}
