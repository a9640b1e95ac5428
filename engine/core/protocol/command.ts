import type { Json } from '../../contract/json.js';
import { contentHash } from '../content/canonical.js';
import type { MemoryQuery, Retrieved } from '../world/retrieval.js';
import type { AppliedPatch } from '../world/world-patch.js';
import type { TracedRequest } from '../policy/provenance.js';
import type { Origins } from '../prompt/origins.js';
import type { Message } from '../prompt/message.js';
import { type CallProgram, type OfferedSchema, type SchemaDelivery, type RetryClass, textSchema } from './program.js';
import type { AttemptFailureClass } from './failure.js';

/** An order to the outside. Nothing else happens because of a turn. */
export type TurnCommand = Invoke | Commit | Fail | Suspend;

export type InvocationKind = 'llm_generation' | 'ambient_context' | 'model_elected_tool' | 'node_call' | 'quality_gate';

/** Ask a source. */
export interface Invoke {
  readonly kind: 'invoke';
  /** The place of the call in the turn; unique in the attempt, the same in every fold of it. */
  readonly key: string;
  readonly invocation_kind: InvocationKind;
  readonly call: CallProgram;
  /** The JSON request; of a generation, what names its conversation. */
  readonly request: Json;
  /** SHA-256 of the canonical request, 64 hex digits. */
  readonly request_hash: string;
  /** Where the request comes from; left out of a generation, whose messages say it. Never hashed. */
  readonly provenance?: TracedRequest;
  readonly workflow_hash: string;
  readonly subject_id?: string;
  readonly node_id?: string;
  readonly ambient_id?: string;
  readonly tool_name?: string;
  /** The id of the call in the conversation, where its model calls tools natively. Never hashed. */
  readonly tool_call_id?: string;
  /** The generation that elected the tool, or that the gate judges. */
  readonly parent_key?: string;
  /** 1-based: the try at this answer. */
  readonly generation_try?: number;
  /** 1-based: one more after each tool result. */
  readonly round?: number;
  readonly generation?: Generation;
  /** It asks the fallback of its node: the first source has failed. */
  readonly is_fallback?: true;
  readonly deadline_ms: number;
  /** Where calls wait, the lowest is made first: others wait for its subject. 0 where it is left out; never hashed. */
  readonly rank?: number;
  /** Of a generation: how much of its node's time was left at its first request. */
  readonly node_time_left_ms?: number;
  /** Of a generation: how many tokens of its node's budget were left. */
  readonly node_tokens_left?: number;
  /** Of a generation: the most tokens of its answer, where its budgets leave fewer than its source permits. Never hashed. */
  readonly max_output_tokens?: number;
  /** Present where the call is made again after it has failed. */
  readonly retry?: Retry;
  /** It asks for memories of its subject, and no source: the store answers, and no call is recorded. */
  readonly retrieval?: MemoryQuery;
  /** Of the first generation of a lane: the memories that were retrieved for it. Never hashed. */
  readonly retrieved?: Retrieved;
}

/** The common part of every call of a binding with a JSON request. */
export function toInvoke(
  call: CallProgram,
  request: Json,
): Pick<Invoke, 'kind' | 'call' | 'request' | 'request_hash' | 'deadline_ms'> {
  const request_hash = contentHash({ source: call.source.hash, request });
  return { kind: 'invoke', call, request, request_hash, deadline_ms: call.limits.max_runtime_ms };
}

/** One more performance of a call that has failed, and the wait before it. */
export interface Retry {
  /** 1-based. */
  readonly number: number;
  /** Which failure it follows. */
  readonly after: RetryClass;
  /** The shortest wait; the driver chooses one between both, so that not all calls return at once. */
  readonly least_ms: number;
  readonly most_ms: number;
  /** The node's time that earlier performances and the waits, each at its longest, have used. */
  readonly spent_ms: number;
}

/** A model's input. */
export interface Generation {
  /** `<subject>/<node>`, or of a gate `<key of the generation that it judges>/gate`: append-only within the attempt. */
  readonly conversation: string;
  readonly messages: readonly Message[];
  /** Chained hash of all messages, 64 hex digits. */
  readonly prefix_hash: string;
  readonly offered: OfferedSchema;
  /** Whether the schema is beside the messages or in them already. */
  readonly schema_delivery: SchemaDelivery;
}

/** The schema as the server, or the model in its prompt, is given it. */
export function deliveredSchema({
  offered,
  schema_delivery,
}: Pick<Generation, 'offered' | 'schema_delivery'>): Pick<OfferedSchema, 'name' | 'schema' | 'hash'> {
  const given = textSchema(offered);
  return schema_delivery === 'response_format' ? { name: given.name, ...given.delivered } : given;
}

/** Make the working world turn N, at once and whole. */
export interface Commit {
  readonly kind: 'commit';
  readonly patches: readonly AcceptedPatch[];
}

/** A subject's patch, in the order of acceptance. */
export interface AcceptedPatch {
  /** 1-based, without gaps. */
  readonly patch_seq: number;
  readonly subject_id: string;
  readonly node_id: string;
  readonly workflow_hash: string;
  /** The generation that gave it. */
  readonly call_key: string;
  readonly applied: AppliedPatch;
  /** Everything that its generation saw, and the model. */
  readonly origins: Origins;
}

/** Suspend the attempt: every awaited call is answered later, and no driver is needed until then. */
export interface Suspend {
  readonly kind: 'suspend';
  /** The first moment at which it must resume, answered or not; in milliseconds since 1970. */
  readonly resume_deadline: number;
}

/** End the attempt; the world stays as it was. */
export interface Fail {
  readonly kind: 'fail';
  readonly failure_class: AttemptFailureClass;
  readonly message: string;
  readonly subject_id?: string;
  readonly node_id?: string;
  readonly call_key?: string;
  /** Its cause may pass by itself. */
  readonly is_transient?: true;
  /** The call that ended it is in doubt: whether its side effect took place is unknown. */
  readonly is_in_doubt?: true;
  /** The service's `Retry-After`, in milliseconds from the end of the call. */
  readonly retry_after_ms?: number;
}
