import type { CountColumns } from '../protocol/token-counts.js';
import type { InvocationKind } from '../protocol/command.js';
import type { CallProgram, EffectClass, SchemaDelivery } from '../protocol/program.js';
import type { ModelOutputKind } from '../protocol/verdict.js';

// What happened in an attempt, in the past tense: one list, which the driver emits as it writes and which its record
// yields again. Every telling of an attempt is a fold over it. Times are RFC 3339, in UTC; hashes are 64 hex digits. A member
// without a value is null, so that a fact has one form.

/** One thing that happened in an attempt. */
export type Fact =
  | AttemptBegan
  | AttemptContinued
  | AttemptSuspended
  | AttemptHandedOver
  | CallStarted
  | CallPended
  | CallEnded
  | CallSuperseded
  | CallSettled
  | ApprovalAsked
  | ApprovalDecided
  | TurnCommitted
  | AttemptFailed;

/** What the record notes beside the rows of attempts, calls and turns; that a call was interrupted is how it ended. */
export type NotedKind =
  | Exclude<Fact['kind'], 'attempt_began' | 'call_started' | 'call_ended' | 'turn_committed' | 'attempt_failed'>
  | 'call_interrupted';

interface FactTime {
  readonly at: string;
}

export interface AttemptBegan extends FactTime {
  readonly kind: 'attempt_began';
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly scenario_hash: string;
  readonly renderer_version: string;
  /** By the plugin's name. */
  readonly plugin_versions: Readonly<Record<string, string>>;
}

/** A driver goes on from the record of the one before. */
export interface AttemptContinued extends FactTime {
  readonly kind: 'attempt_continued';
  /** How many drivers have been taken over so far: one that left it has not been. */
  readonly take_overs: number;
}

/** It waits for answers that come later. */
export interface AttemptSuspended extends FactTime {
  readonly kind: 'attempt_suspended';
  /** The first moment at which it resumes, answered or not. */
  readonly resume_deadline: string;
}

/** Its driver has left it open to another. */
export interface AttemptHandedOver extends FactTime {
  readonly kind: 'attempt_handed_over';
}

/** A call was made, or taken over from an earlier attempt: then it has ended there, and costs nothing anew. */
export interface CallStarted extends FactTime {
  readonly kind: 'call_started';
  readonly source_invocation_id: string;
  /** 1-based: the order of issue. */
  readonly invocation_seq: number;
  readonly command_key: string;
  /** 1-based: the number of this performance of the command. */
  readonly performance: number;
  readonly invocation_kind: InvocationKind;
  readonly effect_class: EffectClass;
  readonly request_hash: string;
  /** SHA-256 of the canonical JSON of what its request comes from; null where that is not traced. */
  readonly origins_hash: string | null;
  /** Of a call of a model: its row in the record. */
  readonly llm_call_id: string | null;
  readonly source_hash: string;
  readonly workflow_hash: string | null;
  readonly subject_id: string | null;
  readonly node_id: string | null;
  readonly ambient_id: string | null;
  readonly tool_name: string | null;
  /** The generation that elected the tool, or that the gate judges. */
  readonly parent_source_invocation_id: string | null;
  /** Of a generation: 1-based, the try at this answer. */
  readonly generation_try: number | null;
  readonly model: string | null;
  /** Of a generation: the chained hash of all messages that the model was given. */
  readonly context_hash: string | null;
  readonly offered_schema_hash: string | null;
  /** Of a generation: the schema as its server was given it, which may be looser. */
  readonly delivered_schema_hash: string | null;
  /** Of a generation: how the model was given the schema. */
  readonly schema_delivery: SchemaDelivery | null;
  /** Of a generation: scheme, host and port of the service. */
  readonly endpoint_origin: string | null;
  /** The attempt that made it, where that is another one. */
  readonly adopted_from: string | null;
  /** What policy decided of it; null where it needs no leave. */
  readonly policy_ruling: RulingFact | null;
}

/** A decision of policy, and the policy whose rule decided. */
export interface RulingFact extends Ruled {
  readonly policy_hash: string | null;
}

interface Ruled {
  readonly decision: string;
  readonly rule: string | null;
  readonly because: string;
}

/** The decision about a call, which a refused one has at its end. */
export function rulingOf({ command, ruling, refused }: RuledCall): RulingFact | null {
  const found = ruling ?? refused?.outcome.ruling;
  if (found === undefined) return null;
  const { decision, rule, because } = found;
  return { decision, rule, because, policy_hash: command.call.policy?.hash ?? null };
}

interface RuledCall {
  readonly command: { readonly call: Pick<CallProgram, 'policy'> };
  readonly ruling?: Ruled;
  readonly refused?: { readonly outcome: { readonly status: string; readonly ruling?: Ruled } };
}

/** Its answer comes later. */
export interface CallPended extends FactTime {
  readonly kind: 'call_pended';
  readonly source_invocation_id: string;
  readonly deadline: string;
}

export interface CallEnded extends FactTime, CountColumns {
  readonly kind: 'call_ended';
  readonly source_invocation_id: string;
  /** `interrupted`: nobody saw it end. */
  readonly status: 'succeeded' | 'failed' | 'interrupted';
  /** It was refused before anything was sent. */
  readonly refused: boolean;
  readonly failure_class: string | null;
  /** The fault of a model's answer; of another call, what the turn did after the failure. */
  readonly failure_detail: string | null;
  /** Null where it was interrupted. */
  readonly failure_message: string | null;
  readonly model_output_kind: ModelOutputKind | null;
  /** SHA-256 of the whole answer: the text of a model, else the canonical JSON; null without an answer. */
  readonly answer_hash: string | null;
  readonly duration_ms: number | null;
}

/** An earlier subject changed what its subject had read: its answer is not used. */
export interface CallSuperseded extends FactTime {
  readonly kind: 'call_superseded';
  readonly source_invocation_id: string;
}

/** The end of a call in doubt was told after its attempt. */
export interface CallSettled extends FactTime {
  readonly kind: 'call_settled';
  readonly source_invocation_id: string;
  readonly performed: boolean;
  /** SHA-256 of the canonical JSON of its answer. */
  readonly answer_hash: string | null;
}

/** The policy leaves a call to a person, who was asked. */
export interface ApprovalAsked extends FactTime {
  readonly kind: 'approval_asked';
  readonly approval_id: string;
  readonly command_key: string;
  readonly tool_name: string;
  readonly source_hash: string;
  readonly effect_class: EffectClass;
  readonly subject_id: string | null;
  readonly node_id: string | null;
  /** SHA-256 of the canonical JSON of the arguments. */
  readonly request_hash: string;
  /** Where each argument comes from, by its pointer; null where no rule reads it. */
  readonly origins: Readonly<Record<string, readonly string[]>> | null;
  /** The pointer of the deciding rule in its policy, and its reason. */
  readonly rule: string;
  readonly because: string;
  readonly deadline: string;
}

/** Somebody has decided on it, or nobody has in time; its driver acts on that. */
export interface ApprovalDecided extends FactTime {
  readonly kind: 'approval_decided';
  readonly approval_id: string;
  readonly decision: 'approved' | 'denied' | 'expired';
  /** Null where nobody has. */
  readonly decided_by: string | null;
  /** The grant by which they had decided before. */
  readonly grant_id: string | null;
  readonly reason: string | null;
}

/** The attempt became a turn of its world. */
export interface TurnCommitted extends FactTime {
  readonly kind: 'turn_committed';
  /** RFC 3339. */
  readonly simulation_time: string;
  readonly patches: readonly PatchFact[];
}

/** A patch of a committed turn. */
export interface PatchFact {
  /** 1-based. */
  readonly patch_seq: number;
  readonly subject_id: string;
  readonly node_id: string;
  /** The generation that gave it. */
  readonly source_invocation_id: string;
  /** SHA-256 of the canonical JSON of narration, touched entities, origins, and effects with the values before and after. */
  readonly patch_hash: string;
}

/** The attempt ended without a turn: its world stayed as it was. */
export interface AttemptFailed extends FactTime {
  readonly kind: 'attempt_failed';
  readonly failure_class: string;
  readonly failure_message: string;
  readonly subject_id: string | null;
  readonly node_id: string | null;
  /** The call that ended it. */
  readonly source_invocation_id: string | null;
}
