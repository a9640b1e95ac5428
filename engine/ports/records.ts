import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { EffectClass } from '../core/protocol/program.js';
import type { World } from '../core/world/world.js';
import type { EffectOperation } from '../core/world/world-patch.js';
import type { ComponentReference } from '../core/protocol/component.js';
import type { AgentHeadRecord, AgentTurnRecord, AgentTurnSummary } from '../core/agents/agent-turn.js';
import type { WorldContents } from '../core/world/diff-worlds.js';
import type { Entity } from '../core/world/world.js';
import type { AttemptStore, SettledBy } from './attempts.js';
import type { Doorbell } from './doorbell.js';
import type { OpenHeartbeat } from './heartbeat.js';
import type { Inbox } from './inbox.js';
import type { AwaitedCall, PendedCall, PendingCalls } from './pending-calls.js';
import type { OpenAttempt, WorldTransfer } from './transfer.js';
import type { ComponentKind } from './validation.js';

/** A stored document. */
export interface ComponentRecord {
  readonly kind: ComponentKind;
  /** SHA-256 of the canonical form, 64 hex digits. */
  readonly hash: string;
  readonly content: JsonObject;
}

/** A document to be stored, with the documents that it names. */
export interface ComponentToStore extends ComponentRecord {
  readonly refers_to: readonly { readonly kind: ComponentKind; readonly hash: string }[];
}

/** A stored document as a list shows it. */
export interface ComponentSummary extends ComponentReference {
  /** Its `label`, or a schema's `title` or `$id`. */
  readonly label: string | null;
}

/** A stored document in a list of its kind. */
export interface StoredComponent extends ComponentSummary {
  readonly created_at: string;
}

/** Who names a document, and whom it names: one step in each direction. */
export interface ComponentUses {
  readonly refers_to: readonly ComponentSummary[];
  readonly used_by: readonly ComponentSummary[];
  /** Worlds that run by it; of scenarios only. */
  readonly worlds: readonly string[];
}

export interface ComponentStore {
  /** One transaction, idempotent, order free. @returns how many were new */
  put(components: readonly ComponentToStore[]): Promise<number>;
  find(kind: ComponentKind, hash: string): Promise<ComponentRecord | undefined>;
  /** Everything that a component refers to, directly or not, itself included. */
  closure(kind: ComponentKind, hash: string): Promise<readonly ComponentRecord[]>;
  /** All of one kind, by label and hash. */
  list(kind: ComponentKind): Promise<readonly StoredComponent[]>;
  /** How many there are of each kind that has any. */
  count(): Promise<ReadonlyMap<ComponentKind, number>>;
  /** Those of any kind whose hash begins so, at most 20. */
  startingWith(digits: string): Promise<readonly ComponentSummary[]>;
  uses(kind: ComponentKind, hash: string): Promise<ComponentUses>;
}

export interface WorldRecord {
  readonly world_slug: string;
  readonly scenario_hash: string;
  readonly scenario_label: string;
  /** The latest committed turn. */
  readonly turn: number;
  readonly simulation_time: string;
  readonly created_at: string;
  /** The world that a fork left, and at which turn. */
  readonly forked_from?: { readonly world_slug: string; readonly turn: number };
}

/** The scenario's start as rows. */
export interface WorldToCreate {
  readonly world_slug: string;
  readonly scenario_hash: string;
  readonly start_time: string;
  readonly created_at: number;
  readonly files?: ScenarioFiles;
}

/** The files that a scenario was read from, on the machine where it was. */
export interface ScenarioFiles {
  /** The path that named it, absolute. */
  readonly path: string;
  /** How far its documents may refer, absolute; left out where the path says so. */
  readonly root?: string;
  /** SHA-256 of the bytes of each file, by absolute path. */
  readonly digests: Readonly<Record<string, string>>;
}

/** A scenario that a world goes on by, or went on by. */
export interface WorldScenario {
  /** The first turn that is played by it, unless another one follows before. */
  readonly from_turn: number;
  readonly scenario_hash: string;
  readonly scenario_label: string;
  readonly chosen_at: string;
  readonly files?: ScenarioFiles;
}

/** Another scenario for a world, from its next turn on. */
export interface ScenarioChange {
  readonly world_slug: string;
  readonly scenario_hash: string;
  readonly chosen_at: number;
  readonly files?: ScenarioFiles;
}

/** What became of a world that was to be deleted. */
export type DeletedWorld =
  | { readonly kind: 'deleted'; readonly rows: number }
  | { readonly kind: 'unknown_world' }
  | { readonly kind: 'has_forks'; readonly forks: readonly string[] }
  | {
      readonly kind: 'held';
      readonly host: string;
      readonly pid: number;
      readonly attempt_id: string;
      /** In milliseconds since 1970. */
      readonly until: number;
    };

/** A committed patch as it is retold. */
export interface ToldPatch {
  readonly turn: number;
  readonly simulation_time: string;
  readonly patch_seq: number;
  readonly workflow_subject_entity_id: string;
  readonly narration: string;
  readonly touched_entities: readonly string[];
  readonly attempt_id: string;
}

export type ChangedScenario =
  | { readonly kind: 'changed' }
  | { readonly kind: 'unknown_world' }
  | { readonly kind: 'under_way'; readonly attempt: OpenAttempt };

/** A world that begins with what it is given, at any turn: for dry runs, in a database of their own. */
export interface WorldToPlant extends WorldToCreate, WorldStart {
  /** The time of `turn`. */
  readonly start_time: string;
}

/** What a world begins with. */
export interface WorldStart {
  readonly turn: number;
  readonly environments: WorldContents['environments'];
  readonly entities: readonly Pick<Entity, 'id' | 'state' | 'memory'>[];
}

/** A world that shares another's turns up to one of them, and goes on by itself. */
export interface WorldToFork {
  readonly world_slug: string;
  readonly source_slug: string;
  /** A turn that the source has reached, its shared history included. */
  readonly at_turn: number;
  readonly scenario_hash: string;
  readonly created_at: number;
  readonly files?: ScenarioFiles;
}

/** An effect of a committed patch with all that led to it. */
export interface EffectOrigin extends PatchEffectRecord {
  /** The world that played the turn: of a fork's shared history, an ancestor. */
  readonly world_slug: string;
  readonly turn: number;
  readonly patch_seq: number;
  readonly narration: string;
  readonly workflow_subject_entity_id: string;
  readonly workflow_node_id: string;
  readonly cognition_workflow_hash: string;
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  readonly llm_call_id: string | null;
}

/** A world at one of its turns. */
export interface WorldSnapshot extends WorldRecord, WorldContents {}

export interface WorldStore {
  /** @returns false where the slug is taken */
  create(world: WorldToCreate): Promise<boolean>;
  /** @returns false where the slug is taken */
  plant(world: WorldToPlant): Promise<boolean>;
  /** What happened in the latest turns of a world, oldest first. @param event_turns how many turns */
  events(world_slug: string, event_turns: number): Promise<World['events']>;
  find(world_slug: string): Promise<WorldRecord | undefined>;
  list(): Promise<readonly WorldRecord[]>;
  /** @returns undefined for an unknown world or a turn that it has not reached */
  snapshot(world_slug: string, turn?: number): Promise<WorldSnapshot | undefined>;
  /** Writes the new world, its first turn and its ancestors; nothing is copied. @returns false where the slug is taken */
  fork(world: WorldToFork): Promise<boolean>;
  /** The scenarios that a world has gone on by, in the order in which they were chosen. */
  scenarios(world_slug: string): Promise<readonly WorldScenario[]>;
  /** Lets a world go on by another scenario, unless one of its attempts is open. */
  changeScenario(change: ScenarioChange): Promise<ChangedScenario>;
  /** Deletes a world with all that is recorded of it, unless it has forks or is driven. */
  delete(world_slug: string): Promise<DeletedWorld>;
  /** Committed patches of the turns after one, up to another, in the order of application. */
  patches(world_slug: string, turns: { readonly after: number; readonly until: number }): Promise<readonly ToldPatch[]>;
  /** Effects that changed something in the turns after one, up to another, in the order of application. */
  effects(
    world_slug: string,
    turns: { readonly after: number; readonly until: number },
  ): Promise<readonly EffectOrigin[]>;
}

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
  /** That it has made itself; adopted ones are not among them. */
  readonly source_invocation_count: number;
  /** Its calls that have to be settled before a turn is begun. */
  readonly calls_in_doubt: number;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface AttemptRecord extends AttemptSummary {
  /** Of its latest driver. */
  readonly epoch: number;
  /** How many drivers have left it without a word, or broke. */
  readonly take_overs: number;
  /** The attempt before, calls of which answer this one's commands. */
  readonly adopts: string | null;
  /** The next attempt has to do with this one: it adopts from it, once nothing of it is in doubt. */
  readonly is_adoptable: boolean;
  readonly scenario_hash: string;
  readonly renderer_version: string;
  readonly source_trace_summary: Json;
  /** What it waits for, the nearest deadline first. */
  readonly awaited: readonly AwaitedCall[];
  /** In the order in which they began. */
  readonly agent_turns: readonly AgentTurnSummary[];
  readonly patches: readonly PatchRecord[];
  readonly invocations: readonly InvocationSummary[];
  readonly timeline: readonly TimelineRecord[];
  readonly audit: readonly AuditRecord[];
}

export interface PatchRecord {
  readonly patch_seq: number;
  readonly workflow_subject_entity_id: string;
  readonly workflow_node_id: string;
  readonly narration: string;
  readonly touched_entities: readonly string[];
  readonly effects: readonly PatchEffectRecord[];
}

export interface PatchEffectRecord {
  readonly effect_index: number;
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
  readonly state_before: string | null;
  readonly state_after: string;
}

/** What every record of a call says of it. */
interface CallSummary {
  readonly source_invocation_id: string;
  readonly model_output_kind: string | null;
  readonly status: InvocationStatus;
  readonly failure_class: string | null;
  readonly failure_detail: string | null;
  readonly failure_message: string | null;
}

/** Where a call was made, and of which source. */
interface CallPlace {
  readonly attempt_id: string;
  readonly world_slug: string;
  readonly attempted_turn: number;
  readonly workflow_hash: string;
  readonly source_hash: string;
  readonly source_label: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** The members of `run --json`, and what a list shows. */
export interface InvocationSummary extends CallSummary {
  readonly parent_source_invocation_id: string | null;
  readonly invocation_seq: number;
  readonly invocation_kind: 'llm_generation' | 'ambient_context' | 'model_elected_tool' | 'node_call' | 'quality_gate';
  readonly command_key: string;
  /** 1-based: how often its attempt had asked for it, this time included. */
  readonly performance: number;
  readonly ambient_source_id: string | null;
  readonly tool_name: string | null;
  readonly workflow_subject_entity_id: string | null;
  readonly workflow_node_id: string | null;
  readonly tool_loop_round: number | null;
  readonly logical_generation_attempt: number | null;
  readonly effect_class: EffectClass;
  /** It has a side effect, and may be made again all the same. */
  readonly repeatable: boolean;
  /** Nobody saw whether it had its side effect, and it may not be made again: it is in doubt until it is settled. */
  readonly outcome_unknown: boolean;
  /** The attempt that made the call, where the one that is shown has adopted it. */
  readonly adopted_from: string | null;
  /** An earlier subject has changed what its subject had read: nothing followed from the call. */
  readonly is_superseded: boolean;
  /** What was decided about a call in doubt. */
  readonly settled_as: 'performed' | 'not_performed' | null;
  readonly http_status: number | null;
  readonly llm_call_id: string | null;
  readonly duration_ms: number | null;
  /** As redaction lets it be seen. */
  readonly response_json: Json;
}

export interface InvocationRecord extends InvocationSummary, CallPlace {
  readonly request_hash: string;
  readonly request_json: Json;
  readonly input_schema_hash: string | null;
  readonly output_schema_hash: string | null;
  readonly validation_status: string;
  readonly response_headers: JsonObject;
  /** The body as text, where it was kept beside the answer; of a failure, as much as redaction lets be seen, else null. */
  readonly response_text: string | null;
  /** How much is kept of what came back: the body, or the answer where no body stands beside it; null for nothing. */
  readonly response_bytes: number | null;
  /** Whether anything that is kept of the answer or its body is not shown here. */
  readonly hidden_by_redaction: boolean;
  /** Null for one whose service answered at once, or has not spoken yet. */
  readonly pended: PendedCall | null;
  /** What was found out about it, where it was in doubt and has been settled. */
  readonly settlement: SettlementRecord | null;
}

export interface SettlementRecord {
  readonly performed: boolean;
  /** As much as the view shows; null where it was not performed. */
  readonly answer: Json;
  readonly settled_at: string;
  /** These are null of calls that earlier versions have settled; the reason also where none was given. */
  readonly settled_by: SettledBy | null;
  readonly host: string | null;
  readonly reason: string | null;
}

export interface LlmCallRecord extends CallSummary, CallPlace {
  readonly llm_call_id: string;
  readonly workflow_node_id: string;
  readonly workflow_subject_entity_id: string;
  readonly logical_generation_attempt: number;
  readonly tool_loop_round: number;
  /** The source's settings: model, temperature, seed, limits, as its author wrote them. */
  readonly interface: JsonObject;
  /** As it was asked, whoever named it: the source, its variable, or the command. */
  readonly model: string | null;
  /** Scheme, host and port; null where nothing was sent, and of calls of earlier versions. */
  readonly endpoint_origin: string | null;
  readonly schema_delivery: string;
  /** Of the whole schema, which the answer is checked against. */
  readonly output_schema_hash: string;
  /** Of the schema as it was sent; null of calls of earlier versions. */
  readonly delivered_schema_hash: string | null;
  /** The one schema that the model was offered. */
  readonly output_schema: Json;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly segments: readonly { readonly origin: string; readonly characters: number }[];
  }[];
  readonly prefix_hash: string;
  readonly raw_text: string;
  readonly normalised_text: string | null;
  readonly finish_reason: string | null;
  readonly chunks: readonly { readonly text: string; readonly offset_ms: number }[];
  readonly artifacts: readonly { readonly kind: string; readonly value: Json }[];
  readonly tokens: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cached_input_tokens: number | null;
    readonly reasoning_tokens: number | null;
  } | null;
}

/** What an event of an attempt is about. */
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

/** How much of an answer is read: what redaction lets through, or all that is kept. Secrets are replaced in both. */
export type InvocationView = 'redacted' | 'unredacted';

/** The record as people and programs read it. */
export interface RecordReader {
  attempt(attempt_id: string): Promise<AttemptRecord | undefined>;
  attempts(world_slug: string): Promise<readonly AttemptSummary[]>;
  /** `unredacted` is for the operator at the database's own machine, and for nobody else. */
  invocation(source_invocation_id: string, view: InvocationView): Promise<InvocationRecord | undefined>;
  llmCall(llm_call_id: string): Promise<LlmCallRecord | undefined>;
  agentTurn(agent_turn_id: string): Promise<AgentTurnRecord | undefined>;
  /** The state heads of a world's agents, by name. */
  agents(world_slug: string): Promise<readonly AgentHeadRecord[]>;
}

/** The database as `doctor` and `migrate` see it. */
export interface Database {
  readonly description: string;
  /** False for one in memory: nothing of it can be looked at afterwards. */
  readonly is_kept: boolean;
  /** Names of the migrations that were applied now. */
  migrate(): Promise<readonly string[]>;
  /** The problem, where something that the store threw is the fault of the database's surroundings: it is gone, or full. */
  findFault(error: unknown): Problem | undefined;
  close(): Promise<void>;
}

/** A database as `doctor` sees it, without having changed it. */
export interface DatabaseReport {
  readonly description: string;
  /** False for one that the first command will make. */
  readonly exists: boolean;
  /** Names of migrations. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly worlds: number;
  /** Whether the world that was asked about exists; true where none was. */
  readonly has_world: boolean;
  /** The distinct `interface` objects of the sources that are asked about. */
  readonly interfaces: readonly JsonObject[];
}

/** What a database that other processes use as well offers for working with them. */
export interface SharedDatabase {
  /** Opens no connection before somebody listens. */
  openDoorbell(): Doorbell;
  startHeartbeat(settings: HeartbeatSettings): OpenHeartbeat;
}

export interface HeartbeatSettings {
  /** The file of the thread that beats, compiled: threads run no TypeScript. */
  readonly program: string;
  readonly lease_ms: number;
  /** How long the main thread may hang before its leases are kept no more. */
  readonly hang_ms: number;
  /** How long before the process is ended, which hears no signal either: longer than `hang_ms` and a lease. */
  readonly end_ms: number;
}

/** Everything that is stored. */
export interface Store {
  readonly database: Database;
  readonly components: ComponentStore;
  readonly worlds: WorldStore;
  readonly attempts: AttemptStore;
  readonly inbox: Inbox;
  readonly pending: PendingCalls;
  /** Left out for a database that this process has for itself. */
  readonly shared?: SharedDatabase;
  readonly records: RecordReader;
  readonly transfer: WorldTransfer;
}
