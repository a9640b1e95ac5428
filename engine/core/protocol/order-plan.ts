import type { JsonObject } from '../../contract/json.js';

/** The orders that a scenario can lead to, by subject and node. */
export interface OrderPlan {
  /** In the scenario's order. */
  readonly subjects: readonly PlannedSubject[];
}

export interface PlannedSubject {
  readonly subject_id: string;
  readonly workflow_hash: string;
  /** In declared order. */
  readonly nodes: readonly PlannedNode[];
}

export interface PlannedNode {
  readonly node_id: string;
  readonly order_type: OrderType;
  /** The nodes whose results it reads. */
  readonly after: readonly string[];
  readonly constraints: OrderConstraints;
  readonly contract: PromptContract | null;
  /** What the gate is asked by that judges its results; null without one. */
  readonly gate: PromptContract | null;
  /** How many orders of the node there can be: one, and one more for each retry that a gate may ask for. */
  readonly slots: number;
  /** The number of its first slot, 1-based in the session. */
  readonly first_slot: number;
}

/** What a model is asked by, named by its content. */
export interface PromptContract {
  /** `PC-` and 16 hex digits. */
  readonly contract_id: string;
  /** `PRM-` and 16 hex digits of the hash of the prompt alone. */
  readonly prompt_pack_id: string;
  readonly content: JsonObject;
}

/** What an order asks for. All but `tool_call` ask a model. */
export type OrderType = 'classify' | 'tool_call' | 'synthesize' | 'execute';

/** The limits under which an order is dispatched. */
export interface OrderConstraints {
  /** `PC-` and 16 hex digits of the hash of prompt, schemas and limits; null of a `tool_call`. */
  readonly prompt_contract_id: string | null;
  /** Null of a `tool_call`, which asks no model. */
  readonly token_budget: number | null;
  /** Generations at most. */
  readonly turn_limit: number | null;
  readonly timeout_seconds: number | null;
  readonly tools_allowed: readonly string[];
}
