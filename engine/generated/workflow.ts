// Made by tools/generate-types.ts from schemas/workflow.schema.json: do not edit, run `npm run generate`.
import type { Json } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/** Another document: the hash of its canonical form or, in a file, a relative path, which storing replaces by the hash. */
export type Reference = HashReference | PathReference;
/** The effect of a call on the outside. After a crash, a call that is not read_only is repeated only if its binding is repeatable. */
export type EffectClass = 'read_only' | 'state_change' | 'external_side_effect';
/** true: the service performs calls with the same X-Client-Request-Id once, so that one with a side effect may be repeated, as a read-only call always may. */
export type Repeatable = boolean;
/** The failures by which this service says that it did not perform a call; else they leave a side effect in doubt. */
export type NotPerformedOn = readonly (
  | 'http_302'
  | 'http_303'
  | 'http_408'
  | 'http_425'
  | 'http_500'
  | 'http_501'
  | 'http_502'
  | 'http_504'
  | 'http_5xx'
  | 'internal_error'
)[];
/** A JSON Pointer (RFC 6901): each of its steps begins with a slash. */
export type Pointer = string;
/** Canonical entity id: lower-case parts of [a-z0-9_-] joined by dots. */
export type EntityId = string;
/** The name by which a model calls a tool. The prefixes core__ and mcp__ are reserved. */
export type ToolName = string;
export type Reach = 'self' | 'perceived' | 'any';
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type Connection = string;

/** How a subject thinks: prompts, calls, and the node whose patch is applied. */
export interface CognitionWorkflow {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label?: HumanId;
  readonly description?: Description;
  /** per_subject_ordered: one after the other, each on the world as the earlier ones left it. per_subject_concurrent: all at once, with the same result: a subject whose inputs an earlier one changes is asked again. */
  readonly execution: 'per_subject_ordered' | 'per_subject_concurrent';
  /** With per_subject_concurrent: how many runs a turn may supersede before subjects wait, for each subject on average; 4 by default. */
  readonly max_speculative?: number;
  readonly ambient_sources: readonly AmbientSourceBinding[];
  readonly nodes: readonly (LlmToolLoopNode | LlmJsonNode | SourceCallNode)[];
  /** The final patch that changes the world. Without an llm_tool_loop there is none: subjects only answer. */
  readonly apply?: {
    /** <node id>.final */
    readonly from: string;
    /** Texts that become memories of the subject after its patch, with the ids of the memories that their prompt showed. */
    readonly remember?: readonly Remembered[];
  };
}
/** A source that always runs; its answer becomes context. */
export interface AmbientSourceBinding {
  readonly id: HumanId;
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: Repeatable;
  readonly not_performed_on?: NotPerformedOn;
  readonly redaction: Redaction;
  /** If the call fails after its retries: fail, by default, the attempt; or inject_absence, and the reading is {"absent": {"failure_class": ...}}. A side effect in doubt always fails the attempt. */
  readonly on_failure?: 'fail' | 'inject_absence';
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  /** How long to wait for an answer that comes later; without it, a pending answer is a failure. */
  readonly pending_deadline_ms?: number;
  readonly run: 'once_per_turn' | 'before_subject_workflow';
  /** The subject, place or entity of the reading. */
  readonly scope: 'world' | 'acting_subject' | EnvironmentPlace | EntityPlace;
  /** The subjects that get the reading. */
  readonly visible_to: 'all_subjects' | 'acting_subject' | EnvironmentPlace | EntityPlace;
  /** The request, in which {"$from": pointer, "default"?: value} becomes a value of the context. */
  readonly request_template: Json;
  readonly result_schema_ref?: Reference;
  /** A JSON Pointer (RFC 6901): each of its steps begins with a slash. */
  readonly inject_as: string;
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** The parts of a result that prompts, templates, pages and telemetry see. The record has all of it. */
export interface Redaction {
  /** In a pointer, * stands for every item or member. */
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
  /** The type of its work orders; execute by default. */
  readonly order_type?: 'synthesize' | 'execute';
  readonly llm_source_ref: Reference;
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  readonly fallback?: Fallback;
  readonly gate?: Gate;
  readonly prompt_template: PromptTemplate1;
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
/** A second source, asked when the first has failed and its retries are used up; both are one generation. A rejected answer goes back to the first. */
export interface Fallback {
  readonly llm_source_ref: Reference;
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  /** The failures after which it is asked; http_5xx is 500 to 599. */
  readonly on: readonly ('timeout' | 'transport' | 'http_408' | 'http_425' | 'http_429' | 'http_5xx' | 'unavailable')[];
}
/** A second model that judges each valid answer of the node before anything reads or applies it, with a "decision" and a "reason": pass; retry, which gives the node's model the reason like a rejected answer; or escalate, which fails the attempt. Its calls use the node's constraints. */
export interface Gate {
  readonly llm_source_ref: Reference;
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  readonly prompt_template: PromptTemplate;
}
/** What the judge is shown: {{gate.answer}}, the answer that it judges, and what the node's prompt may read. */
export interface PromptTemplate {
  readonly messages: readonly PromptMessage[];
}
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** Text with placeholders such as {{world.projection}}, {{subject.rendered}}, {{ambient.<path>}} and {{tools.available}}; or the .md or .txt file with it. */
  readonly content: string | PromptHash | PromptPath;
}
export interface PromptHash {
  readonly hash: string;
}
export interface PromptPath {
  /** A path relative to this file, which ends in .md or .txt. */
  readonly path: string;
}
export interface PromptTemplate1 {
  readonly messages: readonly PromptMessage[];
}
/** The part of the world that the subject may see. */
export interface Projection {
  readonly scope: 'world' | 'subject_environment';
  readonly memory: {
    /** The number of the subject's latest memories. */
    readonly recent: number;
    /** Whether {{memory.pinned}} shows the subject's memories of the scenario. */
    readonly pinned?: boolean;
    readonly retrieve?: MemoryRetrieval;
  };
  /** The number of turns of which {{subject.own_turns}} shows its own patches. */
  readonly own_turns?: number;
  /** What {{world.recent_events}} shows: narrations and effects that the subject could see. */
  readonly events?: {
    /** The number of committed turns; events of earlier subjects in this turn are always shown. */
    readonly turns: number;
  };
}
/** What {{memory.retrieved}} shows: memories of the subject, found by the words of a query. */
export interface MemoryRetrieval {
  /** The number of memories that are found. */
  readonly top: number;
  /** How many memories before and after each are shown with it; 0 by default. */
  readonly neighbours?: 0 | 1;
  /** Texts with placeholders, whose words are the query. */
  readonly query: readonly string[];
  /** The language of word stems; simple by default, which compares words as they are. */
  language?:
    | 'simple'
    | 'arabic'
    | 'danish'
    | 'dutch'
    | 'english'
    | 'finnish'
    | 'french'
    | 'german'
    | 'greek'
    | 'hungarian'
    | 'indonesian'
    | 'irish'
    | 'italian'
    | 'lithuanian'
    | 'norwegian'
    | 'portuguese'
    | 'romanian'
    | 'russian'
    | 'spanish'
    | 'swedish'
    | 'turkish';
}
export interface NodeConstraints {
  /** Tokens of one run of the node, as the provider counts them, else by an estimate. */
  readonly token_budget: number;
  /** Seconds of all calls of one run of the node together. */
  readonly timeout_seconds: number;
  /** Generations of one run of the node. */
  readonly turn_limit?: number;
}
/** A source that is called only if the model elects it. */
export interface AvailableTool {
  readonly name: ToolName;
  readonly description: string;
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: Repeatable;
  readonly not_performed_on?: NotPerformedOn;
  readonly redaction: Redaction;
  /** If the call fails after its retries: fail, by default, the attempt; or tell_model, and the failure is its result. A side effect in doubt always fails the attempt. */
  readonly on_failure?: 'fail' | 'tell_model';
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  /** How long to wait for an answer that comes later; without it, a pending answer is a failure. */
  readonly pending_deadline_ms?: number;
  readonly arguments_schema_ref: Reference;
  readonly result_schema_ref?: Reference;
}
/** What patches of the node may touch: self, the subject; perceived, what its projection shows; or any, by default. */
export interface PatchReach {
  /** The entities whose state a patch may set. */
  readonly state?: 'self' | 'perceived' | 'any';
  /** The agents to which a patch may give a memory. */
  readonly memory?: 'self' | 'perceived' | 'any';
  /** The environments that a patch may describe; self is the environment of the subject. */
  readonly environment?: 'self' | 'perceived' | 'any';
}
/** One structured answer of a declared schema, for later nodes. */
export interface LlmJsonNode {
  readonly id: HumanId;
  readonly type: 'llm_json';
  readonly order_type: 'classify' | 'synthesize' | 'execute';
  readonly llm_source_ref: Reference;
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  readonly fallback?: Fallback;
  readonly gate?: Gate;
  readonly prompt_template: PromptTemplate1;
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
  readonly not_performed_on?: NotPerformedOn;
  readonly redaction: Redaction;
  /** The id of the operator's connection whose secrets these requests get. Where the profile has connections, it must be among them. */
  readonly connection?: string;
  /** How long to wait for an answer that comes later; without it, a pending answer is a failure. */
  readonly pending_deadline_ms?: number;
  /** As in ambient sources. */
  readonly request_template: Json;
  readonly result_schema_ref?: Reference;
}
/** A text in the output of an llm_json or source_call node; null, absent or blank, it is not remembered. */
export interface Remembered {
  /** <node id>.output */
  readonly from: string;
  /** A JSON Pointer within the output, to a text. */
  readonly pointer: string;
}
