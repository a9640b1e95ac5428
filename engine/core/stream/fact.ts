import type { Json, JsonObject } from '../../contract/json.js';
import type { EffectOperation } from '../world/world-patch.js';

/** A source call, as its start and its end describe it. */
export interface FactCall {
  readonly source_invocation_id: string;
  readonly invocation_kind: 'llm_generation' | 'ambient_context' | 'model_elected_tool' | 'node_call' | 'quality_gate';
  readonly command_key: string;
  readonly performance: number;
  readonly workflow_subject_entity_id: string | null;
  readonly workflow_node_id: string | null;
  readonly ambient_source_id: string | null;
  readonly tool_name: string | null;
  readonly llm_call_id: string | null;
  /** The generation that elected the tool, or that the gate judges. */
  readonly parent_llm_call_id: string | null;
  /** The request, which operators alone see; null of generations. */
  readonly request_json: Json;
}

/** One thing that the record of an attempt says. Facts are numbered in the order in which they became durable. */
export type Fact = { readonly event_id: number } & (
  | AttemptBegan
  | ({ readonly kind: 'call_started'; readonly call: FactCall } & FactTime)
  /** A model streamed more text, as redaction shows it. */
  | { readonly kind: 'text_streamed'; readonly call: FactCall; readonly text: string }
  | CallEnded
  | PatchApplied
  /** The attempt became a turn of its world. Nothing of the attempt follows. */
  | ({ readonly kind: 'turn_committed'; readonly turn: number } & FactTime)
  | AttemptFailed
  /** Something else happened to an attempt or to one of its calls. */
  | ({
      readonly kind: 'other';
      readonly event_kind: string;
      readonly source_invocation_id: string | null;
      readonly details: Json;
    } & FactTime)
);

/** When a fact happened: milliseconds since 1970. */
interface FactTime {
  readonly occurred_at: number;
}

export interface AttemptBegan extends FactTime {
  readonly kind: 'attempt_began';
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  /** The attempt before, calls of which answer this one's commands. */
  readonly adopts: string | null;
  /** The world that the turn begins with. */
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly ({ readonly id: string } & JsonObject)[];
}

/** A call was answered, failed, or was refused before it was made. */
export interface CallEnded extends FactTime {
  readonly kind: 'call_ended';
  readonly call: FactCall;
  readonly failure_class: string | null;
  readonly failure_message: string | null;
  readonly model_output_kind: string | null;
  /** As redaction lets it be seen. */
  readonly response_json: Json;
  /** The model's reasoning, which operators alone see. */
  readonly reasoning: string | null;
}

/** A patch of the turn that was committed. */
export interface PatchApplied extends FactTime {
  readonly kind: 'patch_applied';
  readonly patch_seq: number;
  readonly workflow_subject_entity_id: string;
  readonly narration: string;
  readonly effects: readonly FactEffect[];
}

export interface FactEffect {
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
  readonly state_after: string;
}

/** The attempt ended, and its world stays as it was. Nothing of the attempt follows. */
export interface AttemptFailed extends FactTime {
  readonly kind: 'attempt_failed';
  readonly failure_class: string;
  readonly failure_message: string;
}

/** Whether an attempt is over with a fact. */
export function isLastOfAttempt({ kind }: Fact): boolean {
  return kind === 'turn_committed' || kind === 'attempt_failed';
}
