import type { JsonObject } from '../../contract/json.js';
import type { Tier } from '../orders/work-order.js';

// Both ledgers of the work order protocol: HO2 holds decisions (planned, dispatched, closed, judged), HO1 what was done.
// Sessions and settlements are ours beside the events of the protocol.

/** The events of both ledgers: what was decided, and what was done. */
export type LedgerEvent =
  | 'SESSION_BEGAN'
  | 'WO_PLANNED'
  | 'WO_DISPATCHED'
  | 'WO_CHAIN_COMPLETE'
  | 'WO_QUALITY_GATE'
  | 'SESSION_ENDED'
  | 'CALL_SETTLED'
  | 'APPROVAL_ASKED'
  | 'APPROVAL_DECIDED'
  | 'AMBIENT_CALL'
  | 'WO_EXECUTING'
  | 'LLM_CALL'
  | 'TOOL_CALL'
  | 'WO_COMPLETED'
  | 'WO_FAILED';

export const LEDGER_FILES: Readonly<Record<Tier, string>> = {
  HO2: 'HO2/ledger/workorder.jsonl',
  HO1: 'HO1/ledger/worker.jsonl',
};

/** One entry of a ledger. Its canonical JSON is what is hashed, sealed and exported. */
export interface LedgerEntry {
  /** `LED-` and 8 hex digits: it follows from the place of the entry in its attempt, and is unique there. */
  readonly entry_id: string;
  /** WO_FAILED of an order that was never dispatched stands in HO2. */
  readonly tier: Tier;
  readonly event_type: LedgerEvent;
  /** RFC 3339, in UTC. */
  readonly timestamp: string;
  readonly session_id: string;
  readonly wo_id?: string;
  /** What the event says, by its type. */
  readonly details: JsonObject;
  readonly outcome?: { readonly status: 'success' | 'failure' };
  readonly metadata: {
    readonly relational: {
      readonly parent_event_id?: string;
      readonly root_event_id?: string;
      readonly related_artifacts: readonly Artifact[];
    };
    readonly provenance: {
      readonly agent_id: string;
      readonly agent_class: 'KERNEL.syntactic' | 'KERNEL.semantic' | 'ADMIN' | 'RESIDENT';
      readonly work_order_id?: string;
      readonly session_id: string;
      readonly framework_id?: string;
    };
    /** Of a call of a model: its prompt. Of an event that closes a chain: `context_hash` is the trace hash. */
    readonly context_fingerprint?: {
      readonly context_hash: string;
      readonly prompt_pack_id?: string;
      readonly tokens_used?: { readonly input: number; readonly output: number };
      readonly model_id?: string;
    };
  };
}

export interface Artifact {
  readonly type: 'package' | 'framework' | 'spec' | 'file' | 'registry' | 'ledger_entry';
  readonly id: string;
}
