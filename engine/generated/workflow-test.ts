// Made by tools/generate-types.ts from schemas/workflow-test.schema.json: do not edit, run `npm run generate`.
import type { Json } from '../contract/json.js';

/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/** Another document: the hash of its canonical form or, in a file, a relative path, which storing replaces by the hash. */
export type Reference = HashReference | PathReference;
/** Where the value comes from; by default the scenario. */
export type Origins = readonly string[];
export type Answer = JsonAnswer | TextAnswer | RefusalAnswer | StatusAnswer | FaultAnswer | FailureAnswer;
/** Characters of each streamed piece. */
export type ChunkCharacters = number;
export type SourceClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'internal_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid'
  | 'approval_denied'
  | 'approval_expired'
  | 'stopped';
export type AttemptClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'internal_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid'
  | 'policy_denied'
  | 'authz_denied'
  | 'approval_denied'
  | 'approval_expired'
  | 'redaction_failed'
  | 'model_content'
  | 'budget_exhausted'
  | 'stopped'
  | 'interrupted'
  | 'template_unresolved'
  | 'max_tool_calls_exhausted'
  | 'generation_attempts_exhausted'
  | 'escalated'
  | 'record_mismatch'
  | 'poisoned';
export type EntityId = string;
/** The exact text; or parts that it must contain and parts that it must lack. */
export type Text = string | TextParts;
export type Detail =
  | 'non_json'
  | 'schema_invalid'
  | 'unknown_tool'
  | 'policy_denied'
  | 'bad_arguments'
  | 'invalid_patch'
  | 'gate_retry'
  | 'disallowed_effect'
  | 'unknown_entity'
  | 'near_miss_entity'
  | 'memory_on_prop'
  | 'unknown_environment';
export type CallClass =
  | 'transport'
  | 'timeout'
  | 'http_status'
  | 'call_rejected'
  | 'tool_error'
  | 'internal_error'
  | 'non_json'
  | 'result_too_large'
  | 'unavailable'
  | 'structured_output_rejected'
  | 'model_refusal'
  | 'schema_invalid'
  | 'policy_denied'
  | 'authz_denied'
  | 'approval_denied'
  | 'approval_expired'
  | 'redaction_failed'
  | 'model_content'
  | 'budget_exhausted'
  | 'stopped'
  | 'interrupted';
export type Texts = string | readonly string[];

/** A test of a scenario: its world at the start, the answers of models and sources, and what is expected. */
export interface WorkflowTest {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  readonly scenario_ref: Reference;
  /** The name of the world; the label by default, and -2 behind it for a second test of the run with that name. */
  readonly world?: string;
  readonly given?: Given;
  /** The number of turns to run; 1 by default. */
  readonly turns?: number;
  /** An answers document. */
  readonly answers_ref?: {
    readonly path: string;
  };
  /** As `turns` of an answers document. They take precedence over answers_ref. */
  readonly answers?: {
    readonly [k: string]: {
      readonly [k: string]: Answer;
    };
  };
  /** The test checks only what stands here, and that every other turn is committed. */
  readonly expect: {
    /** By turn. */
    readonly turns?: {
      readonly [k: string]: ExpectedTurn;
    };
    readonly world?: ExpectedWorld;
  };
}
export interface HashReference {
  readonly hash: string;
}
export interface PathReference {
  readonly path: string;
}
/** The world before the first turn, as far as it differs from the start of the scenario. */
export interface Given {
  /** The last played turn; 0 by default. */
  readonly turn?: number;
  readonly entities?: {
    readonly [k: string]: GivenEntity;
  };
  readonly environments?: {
    readonly [k: string]: GivenEnvironment;
  };
}
export interface GivenEntity {
  readonly state?: string;
  readonly origins?: Origins;
  /** All memories, oldest first, in place of the scenario's. */
  readonly memory?: readonly (string | GivenMemory)[];
}
export interface GivenMemory {
  readonly content: string;
  readonly turn: number;
  readonly origins?: Origins;
}
export interface GivenEnvironment {
  readonly content?: string;
  readonly origins?: Origins;
}
export interface JsonAnswer {
  /** A model writes this JSON; any other source answers with it. */
  readonly json: Json;
  readonly usage?: AnswerUsage;
  readonly chunk_characters?: ChunkCharacters;
}
export interface AnswerUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
export interface TextAnswer {
  /** A model writes exactly this text; any other source answers with it as its body. */
  readonly text: string;
  readonly finish_reason?: 'stop' | 'length' | 'content_filter';
  readonly usage?: AnswerUsage;
  readonly chunk_characters?: ChunkCharacters;
}
export interface RefusalAnswer {
  readonly refusal: string;
  readonly usage?: AnswerUsage;
}
export interface StatusAnswer {
  readonly status: number;
  readonly body?: Json;
}
export interface FaultAnswer {
  /** cut_stream drops the connection after the text; no_finish ends the stream without a finish reason; hang sends nothing after the text; reset drops the connection before the first byte. */
  readonly fault: 'cut_stream' | 'no_finish' | 'hang' | 'reset';
  readonly text?: string;
}
/** The call fails with this class, as if by its plugin; with the class stopped, once the turn no longer needs it. */
export interface FailureAnswer {
  readonly failure: SourceClass;
  /** The message of the failure. */
  readonly message?: string;
  readonly http_status?: number;
  /** What a model wrote before the failure, or the body of another source's answer. */
  readonly text?: string;
}
/** The expected result of one turn. Without "failure", it must be committed. */
export interface ExpectedTurn {
  readonly failure?: ExpectedFailure;
  /** All patches of the turn, in order. */
  readonly patches?: readonly ExpectedPatch[];
  /** The names of all tools that were called, in order. */
  readonly tools?: readonly string[];
  /** All answers that were sent back to a model, in order. */
  readonly rejections?: readonly ExpectedRejection[];
  /** Calls that must be made, by command key. */
  readonly calls?: {
    readonly [k: string]: ExpectedCall;
  };
  /** Command keys of calls that must not be made. */
  readonly not_called?: readonly string[];
}
/** The attempt at this turn must fail like this, which ends the test. */
export interface ExpectedFailure {
  readonly class: AttemptClass;
  readonly subject?: EntityId;
  readonly node?: HumanId;
  /** The command key of the call that ended the attempt. */
  readonly key?: string;
  readonly message?: Text;
}
export interface TextParts {
  /** The text contains each of these. */
  readonly contains?: string | readonly string[];
  /** The text contains none of these. */
  readonly lacks?: string | readonly string[];
}
export interface ExpectedPatch {
  readonly subject?: EntityId;
  readonly node?: HumanId;
  readonly narration?: Text;
  /** All effects, in order. */
  readonly effects?: readonly ExpectedEffect[];
}
/** An effect of the patch; members that are left out are not checked. */
export interface ExpectedEffect {
  readonly op?: 'set_entity_state' | 'append_entity_memory' | 'set_environment_content';
  readonly entity_id?: EntityId;
  readonly environment_label?: HumanId;
  readonly state?: Text;
  readonly content?: Text;
}
export interface ExpectedRejection {
  readonly subject?: EntityId;
  readonly node?: HumanId;
  readonly try?: number;
  readonly detail?: Detail;
  /** The exact text; or parts that it must contain and parts that it must lack. */
  readonly message?: string | TextParts;
}
export interface ExpectedCall {
  readonly status?: 'succeeded' | 'failed';
  readonly failure?: CallClass;
  /** The fault of a model's answer; for another failed call, how the turn continued. */
  readonly detail?: Detail | ('told_to_model' | 'absent');
  /** The kind of a generation's answer. */
  readonly output?: 'tool_call' | 'final_patch' | 'json_answer' | 'gate_pass' | 'gate_retry' | 'gate_escalate' | 'invalid';
  /** The name of the tool that was called. */
  readonly tool?: string;
  /** The request; members that are left out are not checked. */
  readonly request?: Json;
  /** The answer as redaction shows it; members that are left out are not checked. */
  readonly response?: Json;
  /** The exact text; or parts that it must contain and parts that it must lack. */
  readonly prompt?: string | TextParts;
}
/** The world after the last turn. */
export interface ExpectedWorld {
  readonly turn?: number;
  readonly entities?: {
    readonly [k: string]: ExpectedEntity;
  };
  readonly environments?: {
    readonly [k: string]: ExpectedEnvironment;
  };
}
export interface ExpectedEntity {
  readonly state?: Text;
  /** All memories, oldest first. */
  readonly memory?: readonly Text[];
  /** Each of these is among the memories. */
  readonly remembers?: readonly Text[];
}
export interface ExpectedEnvironment {
  readonly content?: Text;
}
