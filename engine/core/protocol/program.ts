import type { Json, JsonObject } from '../../contract/json.js';
import type { NativeCalling, TokenUsage } from '../../contract/source.js';
import type { Outcome, Problem } from '../../contract/problem.js';
import type { Retry as SourceRetry } from '../../generated/response-source.js';
import type {
  AmbientSourceBinding,
  CognitionWorkflow,
  EffectClass,
  NodeConstraints,
  NotPerformedOn as AuthoredNotPerformed,
  Projection,
} from '../../generated/workflow.js';
import type { Rules } from '../policy/policy.js';
import type { PromptTemplate } from '../prompt/template.js';
import type { Limits } from './amounts.js';
import type { OrderPlan } from './order-plan.js';

export type { EffectClass, NodeConstraints };

/** Says everything that is wrong with a value; nothing when it is valid. */
export type Validate = (value: Json) => readonly Problem[];

/** Compiles an author's JSON Schema into a validator, or says what in it cannot be compiled. */
export type SchemaCompiler = (hash: string, schema: JsonObject) => Outcome<Validate>;

/** A schema component with its validator. */
export interface SchemaProgram {
  readonly hash: string;
  readonly schema: JsonObject;
  readonly validate: Validate;
}

/** A source component as calls need it: with the connection of their binding. */
export interface SourceProgram {
  readonly hash: string;
  readonly label: string;
  /** The plugin's name. */
  readonly plugin: string;
  readonly interface: JsonObject;
  /** The model that the document names, where its plugin asks one. */
  readonly model?: string;
  readonly request?: SchemaProgram;
  /** The most tokens of an answer of its model, where the document says so. */
  readonly output_limit?: number;
  /** How many of its calls one process makes at a time; absent where there is no limit. */
  readonly max_in_flight?: number;
  /** The id of the operator's connection that its requests get. */
  readonly connection?: string;
}

/** Everything that binds one call, of every kind of binding. */
export interface CallProgram {
  readonly source: SourceProgram;
  readonly effect: EffectClass;
  /** It has a side effect, and the service performs it once however often it is sent. */
  readonly repeatable: boolean;
  /** Failures by which its service says that the call was not performed, beside those that always do. */
  readonly not_performed_on?: ReadonlySet<NotPerformed>;
  /** Pointers that the view lets through, or `all`. */
  readonly redaction: 'all' | readonly string[];
  /** The binding's schema of its requests; without one, its source's. */
  readonly input?: SchemaProgram;
  readonly output?: SchemaProgram;
  /** The id under which policy must allow the call; absent where a read-only call needs no leave. */
  readonly policy_id?: string;
  readonly policy?: PolicyProgram;
  /** The connections that the profile and the run grant; absent where neither limits them. */
  readonly granted_connections?: readonly string[];
  readonly limits: CallLimits;
  /** How long an answer that comes later may take; absent where an answer must come at once. */
  readonly pending_deadline_ms?: number;
  /** When it is made again after it has failed; absent where never. */
  readonly retry?: RetryProgram;
  /** How the turn continues when the call has failed; absent where it fails with the call. */
  readonly on_failure?: 'tell_model' | 'inject_absence';
}

/** A failure of a service that may mean that nothing happened; `http_5xx` means the statuses 500 to 599. */
export type NotPerformed = AuthoredNotPerformed[number];

/** A failure after which a call may be made again; `http_5xx` means the statuses 500 to 599. */
export type RetryClass = SourceRetry['on'][number];

/** The `retry` of a source, as far as it holds for one binding. */
export interface RetryProgram {
  /** How often the call is made again at most. */
  readonly max: number;
  readonly on: ReadonlySet<RetryClass>;
  /** The longest wait before the first retry; it doubles with each further one. */
  readonly backoff_ms: number;
  readonly backoff_max_ms: number;
}

export interface CallLimits {
  readonly max_runtime_ms: number;
  readonly max_request_bytes: number;
  readonly max_result_bytes: number;
}

export interface PolicyProgram {
  readonly hash: string;
  readonly rules: Rules;
  /** How long a person may take to decide on a call. */
  readonly approval_deadline_ms: number;
}

/** A binding that runs because the workflow says so. */
export interface AmbientProgram {
  readonly id: string;
  readonly call: CallProgram;
  readonly request_template: Json;
  readonly visible_to: AmbientSourceBinding['visible_to'];
  /** Tokens of the pointer under `/ambient`. */
  readonly inject_at: readonly string[];
  readonly workflow_hash: string;
}

/** A once-per-turn binding; subjects of several workflows may share one call. */
export interface TurnAmbientProgram extends AmbientProgram {
  readonly key: string;
}

/** A tool of a node: policy lets the model see it and call it, or does not, and then it needs no plugin. */
export type ToolProgram = PermittedTool | { readonly name: string; readonly permitted: false };

export interface PermittedTool {
  readonly name: string;
  readonly permitted: true;
  readonly description: string;
  readonly call: CallProgram;
  readonly arguments: SchemaProgram;
  /** A person must approve each of its calls, or some of them; absent where none. */
  readonly needs_approval?: 'always' | 'sometimes';
}

/**
 * How a model learns the schema of its answer. `response_format`: beside the messages. `json_object`: in the
 * conversation, and the server is told to answer with some JSON object. `prompt`: in the conversation alone.
 */
export type SchemaDelivery = 'prompt' | 'json_object' | 'response_format';

/** How a model calls a tool: by its JSON answer, or by its provider's own calls. */
export type ToolCalling = 'json_control' | 'native';

/** The source that a node asks after its first one has failed. */
interface FallbackProgram {
  readonly call: CallProgram;
  /** The failures of the first source after which it is asked. */
  readonly on: ReadonlySet<RetryClass>;
  readonly schema_delivery: SchemaDelivery;
  readonly tool_calling: ToolCalling;
}

/** A node of a workflow, as the whole engine reads it. Its node type knows the rest (`engine/core/nodes`). */
export interface NodeProgram {
  readonly type: CognitionWorkflow['nodes'][number]['type'];
  readonly id: string;
  /** The nodes whose outputs it reads: it starts when all of them are done. */
  readonly after: readonly string[];
  /** The call that it makes by itself, where it makes one. */
  readonly call?: CallProgram;
  /** Its second source, where it has one. */
  readonly fallback?: FallbackProgram;
  /** The source that judges its answers, where it has one. */
  readonly gate?: { readonly call: CallProgram };
  /** The tools that its model may elect, where it has one. */
  readonly tools?: readonly ToolProgram[];
  /** The part of the world that it shows a model. */
  readonly projection?: Projection;
  /** The query for which memories of its subject are retrieved before it starts; left out where none are. */
  readonly query?: PromptTemplate;
  /** The limits of its model's generations. */
  readonly constraints?: NodeConstraints;
}

/** The schema that a model's answer must have. */
export interface OfferedSchema {
  readonly name: string;
  readonly schema: JsonObject;
  readonly hash: string;
  /** As a server is given it: looser, without bounds that servers refuse. */
  readonly delivered: { readonly schema: JsonObject; readonly hash: string };
  /** Tools that are offered natively; left out where a model calls them by its JSON answer, or has none. */
  readonly native?: OfferedTools;
}

/** Tools beside the schema of an answer. */
export interface OfferedTools extends Pick<NativeCalling, 'tools' | 'may_call'> {
  /** The schema of an answer that is no call. */
  readonly answer: OfferedSchema;
}

/** The schema of a model's text: without the calls that it makes natively. */
export function textSchema(offered: OfferedSchema): OfferedSchema {
  return offered.native?.answer ?? offered;
}

/** `max_speculative` where a concurrent workflow leaves it out. */
export const MAX_SPECULATIVE = 4;

/** A text in the output of a node. */
export interface RememberedText {
  readonly node_id: string;
  /** Tokens of its pointer within the output. */
  readonly tokens: readonly string[];
}

export interface WorkflowProgram {
  readonly hash: string;
  /** Once-per-turn bindings that this workflow declares, by their key in the turn. */
  readonly turn_ambients: readonly TurnAmbientProgram[];
  readonly subject_ambients: readonly AmbientProgram[];
  readonly nodes: readonly NodeProgram[];
  /** The texts that become memories of the subject after its patch. */
  readonly remember: readonly RememberedText[];
  /** How often a subject may begin before those before it are done; 0 where subjects run one after the other. */
  readonly max_speculative: number;
  /** The parts of the world that its prompts and request templates read, for all subjects alike. */
  readonly inputs: Inputs;
}

/** The parts of the world that a workflow reads. */
export interface Inputs {
  readonly projections: readonly Projection[];
  /** Tokens of the pointers that request templates read, from `/world` on. */
  readonly pointers: readonly (readonly string[])[];
}

export interface SubjectProgram {
  readonly subject_id: string;
  readonly workflow: WorkflowProgram;
}

/** What a call of a source costs by its counts, in billionths of a US dollar; null where no price is known. */
export type PriceTokens = (source: SourceProgram, usage: TokenUsage) => number | null;

/** The budget of one turn for all model calls of a profile's subjects. */
export interface SessionProgram {
  readonly profile: string;
  readonly limits: Limits;
  readonly subjects: ReadonlySet<string>;
}

/** A scenario with all that it refers to, linked and compiled: the constant of every turn. */
export interface Program {
  readonly scenario_hash: string;
  readonly label: string;
  readonly turn_ambients: readonly TurnAmbientProgram[];
  readonly subjects: readonly SubjectProgram[];
  /** The orders that its turns can lead to. */
  readonly orders: OrderPlan;
  /** The execution of all subjects, whatever their workflows say; left out, as they say. */
  readonly execution?: CognitionWorkflow['execution'];
  /** The number of turns before a turn whose events must be known: the most that any projection includes. */
  readonly event_turns: number;
  /** The number of latest memories of an agent that must be known, beside those of the scenario; 0: none at all. */
  readonly memories: number;
  /** The budgets of its profiles; left out where none has one. */
  readonly sessions?: readonly SessionProgram[];
  /** The budget of each of its worlds; left out where they have none. */
  readonly world_budget?: Limits;
  /** The budget of the study that plays the world; left out where none does, or it bounds nothing. */
  readonly study_budget?: { readonly study_label: string; readonly limits: Limits };
  /** Left out where nothing is priced. */
  readonly price?: PriceTokens;
}
