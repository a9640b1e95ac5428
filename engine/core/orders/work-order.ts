import type { JsonObject } from '../../contract/json.js';
import type { OrderConstraints, OrderType } from '../protocol/order-plan.js';

// A work order is one run of a node for a subject: the bounded unit of dispatch of the work order protocol.

export type OrderState = 'planned' | 'dispatched' | 'executing' | 'completed' | 'failed';

/** Who sets a state: the planning tier is the driver of the attempt (HO2), the executing tier its performer (HO1). */
export type Tier = 'HO1' | 'HO2';

/**
 * The rules 1 to 6 of the protocol, which every order meets before it is dispatched. A budget may have nothing left for it;
 * documents, types and the order in which nodes begin leave no way to break another rule.
 */
export type PlanningRule =
  | 'type_known'
  | 'session_active'
  | 'budget_left'
  | 'contract_named'
  | 'tools_named'
  | 'parent_completed';

/** What an order has used. Adopted calls cost nothing anew; superseded ones do. */
export interface OrderCost {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly llm_calls: number;
  readonly tool_calls: number;
  readonly elapsed_ms: number;
}

export interface WorkOrder {
  /** `WO-<session>-<number>`: the number is that of its planned slot, so it does not depend on timing. */
  readonly wo_id: string;
  /** `SES-` and 8 letters or digits, which follow from the attempt. */
  readonly session_id: string;
  /** The order whose result it goes on from. */
  readonly parent_wo_id: string | null;
  readonly wo_type: OrderType;
  readonly tier_target: 'HO1';
  readonly state: OrderState;
  /** RFC 3339. */
  readonly created_at: string;
  readonly created_by: string;
  readonly subject_id: string;
  readonly node_id: string;
  readonly input_context: {
    readonly user_input: null;
    /** The orders whose results it reads. */
    readonly prior_results: readonly string[];
    /** The hash of the first prompt, or of the request. */
    readonly assembled_context: JsonObject;
  };
  readonly constraints: OrderConstraints;
  /** The hash of its result, and the call that gave it; null until it is completed. */
  readonly output_result: { readonly source_invocation_id: string; readonly answer_hash: string | null } | null;
  /** Why it failed, and which rule it broke where it was never dispatched for that. */
  readonly error: {
    readonly reason: string;
    readonly message: string;
    readonly planning_rule?: PlanningRule;
  } | null;
  readonly completed_at: string | null;
  readonly cost: OrderCost;
}
