import type { Origins } from '../core/prompt/origins.js';
import type { ToolErrorCode } from '../contract/tool-error-code.js';
import type { OperatorActionRecord } from './operator-actions.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { AnswerItem } from '../contract/source.js';
import type { EffectClass } from '../core/protocol/program.js';
import type { Retrieved } from '../core/world/retrieval.js';
import type { EffectOperation } from '../core/world/world-patch.js';
import type { AgentTurnSummary } from '../core/agents/agent-turn.js';
import type { ApprovalRecord } from './approvals.js';
import type { SettledBy } from './attempts.js';
import type { AwaitedCall, PendedCall } from './pending-calls.js';

export type AttemptStatus = 'running' | 'suspended' | 'committed' | 'failed' | 'interrupted';
export type InvocationStatus = 'running' | 'pending' | 'succeeded' | 'failed' | 'interrupted';

export interface AttemptSummary {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly status: AttemptStatus;
  readonly failure_class: string | null;
  readonly failure_message: string | null;
  readonly failed_subject_entity_id: string | null;
  readonly failed_node_id: string | null;
  readonly failed_source_invocation_id: string | null;
  /** Calls that it made itself, without adopted ones. */
  readonly source_invocation_count: number;
  /** Calls that have to be settled before a turn begins. */
  readonly calls_in_doubt: number;
  /** A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew. */
  readonly is_driven: boolean;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** An attempt with the facts that a run reports. */
export interface RanAttempt extends AttemptSummary {
  /** Of its latest driver. */
  readonly epoch: number;
  /** How many drivers were lost, or broke. */
  readonly take_overs: number;
  /** The previous attempt, whose calls answer this one's commands. */
  readonly adopts: string | null;
  /** The next attempt adopts from this one, once none of its calls is in doubt. */
  readonly is_adoptable: boolean;
  readonly scenario_hash: string;
  readonly renderer_version: string;
  readonly source_trace_summary: Json;
  /** Superseded calls, whose subject's inputs were changed; adopted ones included. */
  readonly superseded_call_count: number;
  readonly patches: readonly PatchRecord[];
  readonly invocations: readonly InvocationSummary[];
}

export interface AttemptRecord extends RanAttempt {
  /** The awaited calls, the nearest deadline first. */
  readonly awaited: readonly AwaitedCall[];
  /** The calls for which a person was asked, in the order of the questions, at most 100; for operators. */
  readonly approvals: readonly ApprovalRecord[];
  /** In the order in which they began. */
  readonly agent_turns: readonly AgentTurnSummary[];
  readonly timeline: readonly TimelineRecord[];
  readonly audit: readonly AuditRecord[];
  readonly operator_actions: readonly OperatorActionRecord[];
}

export interface PatchRecord {
  readonly patch_seq: number;
  readonly workflow_subject_entity_id: string;
  readonly workflow_node_id: string;
  readonly narration: string;
  readonly touched_entities: readonly string[];
  /** The call whose answer it is, and the generation where it was one. */
  readonly source_invocation_id: string;
  /** Null for a patch without a model. */
  readonly llm_call_id: string | null;
  readonly effects: readonly PatchEffectRecord[];
  /** Everything that its generation saw; null of patches of earlier versions. */
  readonly origins: Origins | null;
}

export interface PatchEffectRecord {
  readonly effect_index: number;
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
  readonly state_before: string | null;
  readonly state_after: string;
  /** Of a memory that an author has a node write: the ids of the memories that the node was shown; null of any other effect. */
  readonly sources: readonly string[] | null;
}

/** The common members of a call's records. */
interface CallSummary {
  readonly source_invocation_id: string;
  readonly model_output_kind: string | null;
  readonly status: InvocationStatus;
  readonly failure_class: string | null;
  readonly failure_detail: string | null;
  readonly failure_message: string | null;
  /** Superseded: an earlier subject has changed what its subject had read. */
  readonly is_superseded: boolean;
  /** A driver holds its attempt. */
  readonly is_driven: boolean;
  /** From the request to the end of the answer, as its plugin measured it; null until then. */
  readonly duration_ms: number | null;
}

/** The place of a call, and its source. */
interface CallPlace {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly workflow_hash: string;
  readonly source_hash: string;
  readonly source_label: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** The calls that it asked for, as a generation elects a tool, in the order of their issue. */
  readonly child_source_invocation_ids: readonly string[];
}

/** The members of `run --json` and of lists. */
export interface InvocationSummary extends CallSummary {
  readonly parent_source_invocation_id: string | null;
  readonly invocation_seq: number;
  readonly invocation_kind: 'llm_generation' | 'ambient_context' | 'model_elected_tool' | 'node_call' | 'quality_gate';
  readonly command_key: string;
  /** Calls of one command with the same hash had the same request. */
  readonly request_hash: string;
  /** 1-based: counts the performances of its command in its attempt. */
  readonly performance: number;
  readonly ambient_source_id: string | null;
  readonly tool_name: string | null;
  readonly workflow_subject_entity_id: string | null;
  readonly workflow_node_id: string | null;
  readonly tool_loop_round: number | null;
  readonly logical_generation_attempt: number | null;
  readonly effect_class: EffectClass;
  /** It has a side effect, and may be repeated. */
  readonly repeatable: boolean;
  /** Its side effect is unknown, and it may not be repeated: it is in doubt until it is settled. */
  readonly outcome_unknown: boolean;
  /** The attempt that made the call, where the shown attempt has adopted it. */
  readonly adopted_from: string | null;
  /** The settlement of a call in doubt. */
  readonly settled_as: 'performed' | 'not_performed' | null;
  readonly http_status: number | null;
  readonly llm_call_id: string | null;
  /** Redacted. */
  readonly response_json: Json;
}

export interface InvocationRecord extends InvocationSummary, CallPlace {
  readonly request_json: Json;
  readonly input_schema_hash: string | null;
  readonly output_schema_hash: string | null;
  readonly validation_status: string;
  readonly response_headers: JsonObject;
  /** The body as text, where it is stored beside the answer; of a failure, redacted, else null. */
  readonly response_text: string | null;
  /** The size of the stored body, or of the answer where there is no body; null for nothing. */
  readonly response_bytes: number | null;
  /** The parts of the body that the answer holds in another form; null where nothing was replaced. */
  readonly replaced: string | null;
  /** Whether a stored part of the answer or its body is not shown here. */
  readonly hidden_by_redaction: boolean;
  /** Null for a call that was answered at once, or has no answer yet. */
  readonly pended: PendedCall | null;
  /** The settlement of a call in doubt. */
  readonly settlement: SettlementRecord | null;
  /** The decision of the tool policy; null of a call that needs no leave, and of calls of earlier versions. */
  readonly policy_ruling: PolicyRulingRecord | null;
  /** Of the request, by the pointers of its values; `""` stands for all others. Null of calls of earlier versions. */
  readonly argument_origins: Readonly<Record<string, Origins>> | null;
  /** Of a tool that a model has called, once the call has ended; else null. */
  readonly tool_result: ToolResultRecord | null;
  /** Of a tool's call, itself; of a generation, the native tool calls of an answer that was rejected. */
  readonly tool_calls: readonly ToolCallRecord[];
}

/** A tool call of a model, as programs are told of it. Its id is the model's where it gave one, else the call's own. */
export interface ToolCallRecord {
  /** The arguments are null where they were not accepted. */
  readonly tool_call_start: { readonly toolCallId: string; readonly toolName: string; readonly args: Json };
  /** The result as redaction shows it, or `{"ok": false, "errorCode", "message"}`; null until the call has ended. */
  readonly tool_call_result: { readonly toolCallId: string; readonly result: Json } | null;
}

/** The end of a tool's call, as programs are told it. */
export interface ToolResultRecord {
  /** The same from the start of the call to its end. */
  readonly toolCallId: string;
  readonly ok: boolean;
  /** As redaction shows it; null of a failed call. */
  readonly value: Json;
  readonly errorCode: ToolErrorCode | null;
  readonly safeMessage: string | null;
}

/** What a tool policy decided about a call. */
export interface PolicyRulingRecord {
  readonly decision: 'allow' | 'deny' | 'require_approval';
  /** The pointer of the deciding rule in the policy; null where none matches, which denies. */
  readonly rule: string | null;
  readonly because: string;
  /** Null where there is no policy. */
  readonly policy_hash: string | null;
}

/** Why a call failed: three times null where it did not. */
export type CallFailureRecord = Pick<InvocationRecord, 'failure_class' | 'failure_detail' | 'failure_message'>;

export interface SettlementRecord {
  readonly performed: boolean;
  /** In the requested view; null where it was not performed. */
  readonly answer: Json;
  readonly settled_at: string;
  /** Null for calls that earlier versions have settled; the reason also where none was given. */
  readonly settled_by: SettledBy | null;
  readonly host: string | null;
  readonly reason: string | null;
}

export interface LlmCallRecord extends CallSummary, CallPlace {
  readonly llm_call_id: string;
  /** Of the source call: a gate judges the generation that is its parent. */
  readonly invocation_kind: InvocationSummary['invocation_kind'];
  readonly parent_source_invocation_id: string | null;
  readonly command_key: string;
  readonly workflow_node_id: string;
  readonly workflow_subject_entity_id: string;
  readonly logical_generation_attempt: number;
  readonly tool_loop_round: number;
  /** The source's settings: model, temperature, seed, limits, as its author wrote them. */
  readonly interface: JsonObject;
  /** The model of the request, named by the source, its variable, or the command. */
  readonly model: string | null;
  /** Scheme, host and port; null where nothing was sent, and of calls of earlier versions. */
  readonly endpoint_origin: string | null;
  readonly schema_delivery: string;
  /** The hash of the whole schema, against which the answer is checked. */
  readonly output_schema_hash: string;
  /** Of the schema as it was sent; null of calls of earlier versions. */
  readonly delivered_schema_hash: string | null;
  /** The one schema that the model was offered. */
  readonly output_schema: Json;
  readonly messages: readonly PromptMessage[];
  /** The memories that were retrieved for it, and the query; null where its node asks for none, and of later tries. */
  readonly retrieved: Retrieved | null;
  /** The tries of its lane, from the first: itself among them, and those that its attempt has adopted. */
  readonly tries: readonly TryOfLane[];
  readonly prefix_hash: string;
  /** Of the source call, as its own record says; null while it runs. */
  readonly duration_ms: number | null;
  readonly raw_text: string;
  /** What the model said beside its text: native calls, and reasoning for its provider; null where it said nothing so. */
  readonly items: readonly AnswerItem[] | null;
  readonly normalised_text: string | null;
  readonly finish_reason: string | null;
  /** The limit of its answer that budgets left; null where the source's own, or none, was sent. */
  readonly max_output_tokens: number | null;
  readonly chunks: readonly { readonly text: string; readonly offset_ms: number }[];
  readonly artifacts: readonly { readonly kind: string; readonly value: Json }[];
  readonly tokens: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cached_input_tokens: number | null;
    readonly cache_written_input_tokens: number | null;
    readonly reasoning_tokens: number | null;
  } | null;
}

export interface PromptMessage {
  readonly role: string;
  readonly content: string;
  readonly segments: readonly { readonly origin: string; readonly characters: number; readonly origins: Origins }[];
  /** It came after the try before; false in the first try of a lane. */
  readonly is_new: boolean;
  /** The generation that wrote it, or whose answer it corrects; null of an author's message. */
  readonly llm_call_id: string | null;
  /** The call whose result it is. */
  readonly source_invocation_id: string | null;
}

/** One generation of a lane: a subject at a node asks its model, until it has an answer. */
export interface TryOfLane
  extends Pick<CallSummary, 'model_output_kind' | 'status' | 'failure_class' | 'failure_detail'> {
  readonly llm_call_id: string;
  readonly tool_loop_round: number;
  readonly logical_generation_attempt: number;
  /** How many messages it was sent. */
  readonly message_count: number;
  /** The calls of tools that it decided on, in the order of their issue. */
  readonly elected: readonly { readonly source_invocation_id: string; readonly tool_name: string }[];
  /** The patch of its turn that its answer is; null for none, and until the turn is committed. */
  readonly patch_seq: number | null;
}

interface EventSubject {
  readonly source_invocation_id: string | null;
  readonly workflow_subject_entity_id: string | null;
  readonly workflow_node_id: string | null;
  readonly patch_seq: number | null;
  readonly details: Json;
}

export interface TimelineRecord extends EventSubject {
  readonly event_seq: number;
  readonly event_kind: string;
  readonly occurred_at: string;
}

export interface AuditRecord extends EventSubject {
  readonly audit_kind:
    | 'patch_applied'
    | 'generation_rejected'
    | 'turn_complete'
    | 'attempt_failed'
    | 'call_settled'
    | 'attempt_set_aside';
  readonly attempt_status: string;
  readonly attempt_number: number | null;
  readonly raw_response: string | null;
  readonly rejection: string | null;
}

/** How much of an answer is read: redacted, or everything that is stored. Secrets are replaced in both. */
export type InvocationView = 'redacted' | 'unredacted';
