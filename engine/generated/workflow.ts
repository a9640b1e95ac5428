// Made by tools/generate-types.ts from schemas/workflow.schema.json: do not edit, run `npm run generate`.
import type { Json } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
export type HumanId = string;
export type Description = string;
/** Another document: by the hash of its canonical form, or, in a file, by a relative path that linking turns into the hash. */
export type Reference = HashReference | PathReference;
/** What a call may do to the outside. A read-only call can be made again after a crash; any other only where its binding is repeatable. */
export type EffectClass = 'read_only' | 'state_change' | 'external_side_effect';
/** True where the service performs a call once however often it is sent: it recognises the call by the X-Client-Request-Id header. Such a call with a side effect may be made again. A read-only call may be anyway, and does not say so. */
export type Repeatable = boolean;
/** A JSON Pointer (RFC 6901). */
export type Pointer = string;
/** Canonical entity id: lower-case parts of [a-z0-9_-] joined by dots. */
export type EntityId = string;
/** The name by which a model calls a tool. The prefixes core__ and mcp__ are reserved. */
export type ToolName = string;
export type Reach = 'self' | 'perceived' | 'any';

/** How a subject thinks: what it is told, what it may call, and the node whose final patch is applied. */
export interface CognitionWorkflow {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label?: HumanId;
  readonly description?: Description;
  /** per_subject_ordered: one subject after the other, each on the world as the earlier ones left it. per_subject_concurrent: subjects begin together; the turn is the same, and a subject whose inputs an earlier one has changed asks again. */
  readonly execution: 'per_subject_ordered' | 'per_subject_concurrent';
  /** With per_subject_concurrent: how many runs a turn may supersede, for each subject on average. When they are used up, subjects wait for those before them. 4 where it is left out. */
  readonly max_speculative?: number;
  readonly ambient_sources: readonly AmbientSourceBinding[];
  readonly nodes: readonly (LlmToolLoopNode | LlmJsonNode | SourceCallNode)[];
  readonly apply: {
    /** <node id>.final */
    readonly from: string;
  };
}
/** A source that runs because the workflow says so; its answer becomes context. */
export interface AmbientSourceBinding {
  readonly id: HumanId;
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: Repeatable;
  readonly redaction: Redaction;
  /** What follows when the call fails, its retries used up. fail: the attempt fails; so it is where this is left out. inject_absence: the reading is {"absent": {"failure_class": ...}}, and the turn goes on. A call that may have had its side effect fails the attempt all the same. */
  readonly on_failure?: 'fail' | 'inject_absence';
  /** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
  readonly connection?: string;
  /** Lets the source say that its answer comes later, and how long that may take from then on; at most 366 days. Without it such an answer is a failure. */
  readonly pending_deadline_ms?: number;
  readonly run: 'once_per_turn' | 'before_subject_workflow';
  /** What the reading is about. */
  readonly scope: 'world' | 'acting_subject' | EnvironmentPlace | EntityPlace;
  /** Which subjects are given the reading. */
  readonly visible_to: 'all_subjects' | 'acting_subject' | EnvironmentPlace | EntityPlace;
  /** The request, any JSON, in which {"$from": pointer, "default"?: value} stands for a value of the context. */
  readonly request_template: Json;
  readonly result_schema_ref?: Reference;
  /** A JSON Pointer (RFC 6901). */
  readonly inject_as: string;
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** Redaction lets prompts, templates, pages and telemetry see the listed parts of a result. The other parts stay in the record. */
export interface Redaction {
  /** "all", or JSON Pointers in which * stands for every item or member. */
  readonly allow: 'all' | readonly Pointer[];
}
export interface EnvironmentPlace {
  readonly environment_label: HumanId;
}
export interface EntityPlace {
  readonly entity_id: EntityId;
}
/** Generations and elected tools until a final patch. */
export interface LlmToolLoopNode {
  readonly id: HumanId;
  readonly type: 'llm_tool_loop';
  readonly llm_source_ref: Reference;
  readonly prompt_template: PromptTemplate;
  readonly projection: Projection;
  /** Tries at one answer. There is no default. */
  readonly max_generation_attempts: number;
  readonly constraints: NodeConstraints;
  readonly available_tools: readonly AvailableTool[];
  /** Executed calls. There is no default. */
  readonly max_tool_calls: number;
  readonly may?: PatchReach;
  readonly final_schema_ref: Reference;
}
export interface PromptTemplate {
  readonly messages: readonly PromptMessage[];
}
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** Text in which {{world.projection}}, {{subject.rendered}}, {{ambient.visible}}, {{tools.available}} and the like are filled in; or the file, .md or .txt, that holds it. */
  readonly content: string | PromptHash | PromptPath;
}
export interface PromptHash {
  readonly hash: string;
}
export interface PromptPath {
  /** A path relative to this file, whose end is .md or .txt. */
  readonly path: string;
}
/** What the subject may see of the world. */
export interface Projection {
  readonly scope: 'world' | 'subject_environment';
  readonly memory: {
    /** How many of the subject's latest memories. */
    readonly recent: number;
  };
  /** What {{world.recent_events}} tells: narrations and effects that the subject could see. */
  readonly events?: {
    /** Of how many committed turns; what earlier subjects did in this one is always told. */
    readonly turns: number;
  };
}
export interface NodeConstraints {
  /** Tokens, as the provider counts them, that one run of the node may use. */
  readonly token_budget: number;
  /** Seconds that all calls of one run of the node may take together. */
  readonly timeout_seconds: number;
  /** Generations that one run of the node may make. */
  readonly turn_limit?: number;
}
/** A source that runs only when the model elects it. */
export interface AvailableTool {
  readonly name: ToolName;
  readonly description: string;
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: Repeatable;
  readonly redaction: Redaction;
  /** What follows when the call fails, its retries used up. fail: the attempt fails; so it is where this is left out. tell_model: the model is told that it failed in place of a result, and goes on. A call that may have had its side effect fails the attempt all the same. */
  readonly on_failure?: 'fail' | 'tell_model';
  /** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
  readonly connection?: string;
  /** Lets the source say that its answer comes later, and how long that may take from then on; at most 366 days. Without it such an answer is a failure. */
  readonly pending_deadline_ms?: number;
  readonly arguments_schema_ref: Reference;
  readonly result_schema_ref?: Reference;
}
/** What the node's patches may touch: the subject alone, what its projection shows, or anything. What is left out is any. */
export interface PatchReach {
  /** Of whom a patch may set the state. */
  readonly state?: 'self' | 'perceived' | 'any';
  /** To whom a patch may give a memory. */
  readonly memory?: 'self' | 'perceived' | 'any';
  /** Which environment a patch may describe anew; self is the one that the subject is in. */
  readonly environment?: 'self' | 'perceived' | 'any';
}
/** One structured answer of a declared schema, for later nodes. */
export interface LlmJsonNode {
  readonly id: HumanId;
  readonly type: 'llm_json';
  readonly order_type: 'classify' | 'synthesize' | 'execute';
  readonly llm_source_ref: Reference;
  readonly prompt_template: PromptTemplate;
  readonly projection: Projection;
  /** Tries at one answer. There is no default. */
  readonly max_generation_attempts: number;
  readonly constraints: NodeConstraints;
  readonly result_schema_ref: Reference;
}
/** One unconditional source call. */
export interface SourceCallNode {
  readonly id: HumanId;
  readonly type: 'source_call';
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: Repeatable;
  readonly redaction: Redaction;
  /** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
  readonly connection?: string;
  /** Lets the source say that its answer comes later, and how long that may take from then on; at most 366 days. Without it such an answer is a failure. */
  readonly pending_deadline_ms?: number;
  /** As in ambient sources. */
  readonly request_template: Json;
  readonly result_schema_ref?: Reference;
}
