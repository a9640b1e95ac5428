import type { Json } from '../../contract/json.js';
import type { GateVerdict } from '../../generated/gate-verdict.js';
import type { InvocationFailureClass, ModelContentDetail } from './failure.js';
import type { PassedOn } from './on-failure.js';

export type ModelOutputKind = 'tool_call' | 'final_patch' | 'json_answer' | GateOutputKind | 'invalid';

/** The decision of a gate, as the output of its model. */
type GateOutputKind = `gate_${GateVerdict['decision']}`;

/** The core's verdict on an answered call; written together with the call's finish. */
export interface Verdict {
  readonly key: string;
  readonly model_output_kind?: ModelOutputKind;
  /** Set where an answer that arrived whole is nevertheless unusable. */
  readonly failure?: {
    readonly failure_class: InvocationFailureClass;
    readonly detail?: ModelContentDetail;
    readonly message: string;
  };
  /** Set where the call failed and the turn continues: how the failure was passed on. */
  readonly passed_on?: PassedOn;
  /** Model text after trimming and removal of one enclosing code fence. */
  readonly normalised_text?: string;
  /** Parsed output, accepted patch, errors. */
  readonly artifacts: readonly { readonly kind: string; readonly value: Json }[];
  /** The rejection as the audit keeps it. */
  readonly rejection?: Rejection;
}

/** One rejected generation. */
export interface Rejection {
  readonly subject_id: string;
  readonly node_id: string;
  readonly workflow_hash: string;
  /** 1-based. */
  readonly attempt_number: number;
  readonly raw_response: string;
  /** The model's feedback. */
  readonly rejection: string;
}
