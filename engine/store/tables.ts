// Made by tools/generate-schema.ts from migrations/: do not edit, run `npm run generate`.

import type { Json } from '../contract/json.js';
import type { ColumnType } from 'kysely';

export type ActionSurface = 'browser' | 'command_line' | 'http' | 'library' | 'mcp';

export type AgentStatus = 'dispatched' | 'idle' | 'running' | 'suspended';

export type ApprovalStatus = 'approved' | 'denied' | 'expired' | 'waiting';

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[] ? U[] : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S[], I[], U[]> : T[];

export type AttemptStatus = 'committed' | 'failed' | 'interrupted' | 'running' | 'suspended';

export type AuditKind =
  | 'attempt_failed'
  | 'attempt_set_aside'
  | 'call_settled'
  | 'generation_rejected'
  | 'patch_applied'
  | 'turn_complete';

export type ComponentKind =
  | 'cognition_profile'
  | 'cognition_workflow'
  | 'json_schema'
  | 'prompt_text'
  | 'response_source'
  | 'scenario'
  | 'tool_policy';

export type EffectClass = 'external_side_effect' | 'read_only' | 'state_change';

export type EffectOperation = 'append_entity_memory' | 'set_entity_state' | 'set_environment_content';

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;

export type InboxMessageType = 'stop' | 'timeout' | 'tool_result' | 'turn' | 'ui_action';

export type InboxStatus = 'consumed' | 'deferred' | 'pending' | 'queued';

export type MemoryOrigin = 'patch' | 'scenario';

export type MessageRole = 'assistant' | 'system' | 'tool' | 'user';

export type ModelOutputKind =
  | 'final_patch'
  | 'gate_escalate'
  | 'gate_pass'
  | 'gate_retry'
  | 'invalid'
  | 'json_answer'
  | 'tool_call';

export type SchemaDelivery = 'json_object' | 'prompt' | 'response_format';

export type SearchKind = 'answer' | 'narration' | 'prompt' | 'result' | 'state';

export type SegmentOrigin =
  | 'ambient.visible'
  | 'author'
  | 'call_id'
  | 'correction'
  | 'function_call'
  | 'last_lap'
  | 'memory.pinned'
  | 'memory.retrieved'
  | 'model'
  | 'nodes'
  | 'reasoning'
  | 'schema'
  | 'subject'
  | 'subject.own_turns'
  | 'subject.rendered'
  | 'tool_result'
  | 'tools.available'
  | 'world'
  | 'world.projection'
  | 'world.recent_events';

export type SourceInvocationKind =
  | 'ambient_context'
  | 'llm_generation'
  | 'model_elected_tool'
  | 'node_call'
  | 'quality_gate';

export type SourceInvocationStatus = 'failed' | 'interrupted' | 'pending' | 'running' | 'succeeded';

export type TimelineEventKind =
  | 'approval_asked'
  | 'approval_decided'
  | 'attempt_began'
  | 'attempt_continued'
  | 'attempt_failed'
  | 'attempt_handed_over'
  | 'attempt_interrupted'
  | 'attempt_suspended'
  | 'call_answered'
  | 'call_failed'
  | 'call_interrupted'
  | 'call_pended'
  | 'call_refused'
  | 'call_settled'
  | 'call_started'
  | 'call_superseded'
  | 'patch_applied'
  | 'turn_committed';

export type ValidationStatus = 'invalid' | 'not_checked' | 'valid';

export interface AdoptedCalls {
  attempt_id: string;
  source_invocation_id: string;
  world_slug: string;
}

export interface AgentInbox {
  agent_id: string | null;
  agent_turn_id: string | null;
  attempt_id: string | null;
  consumed_at: string | null;
  correlation_id: string | null;
  created_at: Generated<string>;
  defer_reason: string | null;
  inbox_id: string;
  message_type: InboxMessageType;
  next_retry_at: string | null;
  payload: Generated<Json>;
  retry_count: Generated<number>;
  status: InboxStatus;
  transient_failures: Generated<number>;
  turn_epoch: number | null;
  world_slug: string;
}

export interface AgentStateHeads {
  active_agent_turn_id: string | null;
  agent_id: string;
  status: Generated<AgentStatus>;
  turn_epoch: Generated<number>;
  world_slug: string;
}

export interface ApprovalGrants {
  arguments: Generated<Json>;
  deadline: string;
  grant_id: string;
  granted_at: string;
  granted_by: string;
  reason: string | null;
  revoked_at: string | null;
  tool_name: string;
  uses: number;
  uses_left: number;
  workflow_subject_entity_id: string | null;
  world_slug: string;
}

export interface Approvals {
  approval_id: string;
  asked_at: string;
  attempt_id: string;
  because: string;
  binding_hash: string;
  command_key: string;
  deadline: string;
  decided_at: string | null;
  decided_by: string | null;
  effect_class: EffectClass;
  grant_id: string | null;
  origins: Json | null;
  policy_hash: string | null;
  reason: string | null;
  request_json: Json;
  rule: string;
  source_hash: string;
  status: Generated<ApprovalStatus>;
  tool_name: string;
  workflow_node_id: string | null;
  workflow_subject_entity_id: string | null;
  world_slug: string;
}

export interface AssistantTasks {
  created_at: Generated<string>;
  inbox_ids: string[];
  principal: string;
  task_id: string;
  world_slug: string;
}

export interface AttemptEvents {
  attempt_id: string;
  details: Generated<Json>;
  event_id: Generated<number>;
  event_kind: TimelineEventKind;
  occurred_at: string;
  source_invocation_id: string | null;
  workflow_node_id: string | null;
  workflow_subject_entity_id: string | null;
  world_slug: string;
}

export interface Attempts {
  adopts: string | null;
  attempt_id: string;
  attempted_turn: number;
  began_event_id: Generated<number | null>;
  ended_at: string | null;
  epoch: number;
  failed_node_id: string | null;
  failed_source_invocation_id: string | null;
  failed_subject_entity_id: string | null;
  failure_class: string | null;
  failure_message: string | null;
  handed_over: Generated<boolean>;
  holder_host: string;
  holder_pid: number;
  inbox_id: string | null;
  is_transient: Generated<boolean>;
  plugin_versions: Json;
  renderer_version: string;
  resume_deadline: string | null;
  scenario_hash: string;
  started_at: string;
  status: Generated<AttemptStatus>;
  take_overs: Generated<number>;
  world_slug: string;
}

export interface AttemptTimelineEvents {
  attempt_id: string | null;
  cognition_workflow_hash: string | null;
  details: Json | null;
  event_id: number | null;
  event_kind: TimelineEventKind | null;
  occurred_at: string | null;
  patch_seq: number | null;
  source_invocation_id: string | null;
  workflow_node_id: string | null;
  workflow_subject_entity_id: string | null;
  world_slug: string | null;
}

export interface AuditEntries {
  attempt_id: string;
  attempt_number: number | null;
  audit_entry_id: Generated<number>;
  audit_kind: AuditKind;
  details: Generated<Json>;
  occurred_at: string;
  raw_response: Buffer | null;
  rejection: string | null;
  source_invocation_id: string | null;
  world_slug: string;
}

export interface BudgetReservations {
  budget_key: string;
  call_id: string;
  held_until: string | null;
  lease_attempt_id: string | null;
  lease_epoch: number | null;
  lease_world: string | null;
  least_money: number;
  least_tokens: number;
  most_money: number;
  most_tokens: number;
}

export interface Budgets {
  budget_key: string;
  granted_to: string | null;
  limit_money: number | null;
  limit_tokens: number | null;
  reserved_money: Generated<number>;
  reserved_tokens: Generated<number>;
  spent_money: Generated<number>;
  spent_tokens: Generated<number>;
  world_slug: string | null;
}

export interface CallSettlements {
  attempt_id: string;
  performed: boolean;
  response_json: Json | null;
  settled_at: string;
  source_invocation_id: string;
  world_slug: string;
}

export interface Checkpoints {
  made_at: string;
  note: string;
  origin: string;
  root: Buffer;
  tree_size: number;
}

export interface CognitionProfiles {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
  tool_policy_hash: string | null;
  workflow_hash: string;
}

export interface CognitionWorkflows {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface ComponentReferences {
  from_hash: string;
  from_kind: ComponentKind;
  to_hash: string;
  to_kind: ComponentKind;
}

export interface Components {
  hash: string;
  kind: ComponentKind;
}

export interface EntityMemories {
  content: string;
  effect_index: number | null;
  entity_id: string;
  memory_seq: number;
  origin: MemoryOrigin;
  patch_seq: number | null;
  turn: number;
  world_slug: string;
}

export interface EntityStates {
  effect_index: number | null;
  entity_id: string;
  patch_seq: number | null;
  state: string;
  turn: number;
  world_slug: string;
}

export interface EnvironmentContents {
  content: string;
  effect_index: number | null;
  environment_label: string;
  patch_seq: number | null;
  turn: number;
  world_slug: string;
}

export interface IndexedMemories {
  entity_id: string;
  language: string;
  memory_seq: number;
  place: number;
  turn: number;
  words_until: number;
  world_slug: string;
}

export interface JsonSchemas {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface LlmCalls {
  artifacts: Generated<Json>;
  attempt_id: string;
  cache_written_input_tokens: number | null;
  cached_input_tokens: number | null;
  conversation: string;
  delivered_schema_hash: string | null;
  ended_at: string | null;
  endpoint_origin: string | null;
  finish_reason: string | null;
  input_tokens: number | null;
  last_pieces: Buffer | null;
  last_text: Buffer | null;
  llm_call_id: string;
  max_output_tokens: number | null;
  message_count: number;
  model: string | null;
  new_messages: Generated<string[]>;
  normalised_text: Buffer | null;
  output_schema_hash: string;
  output_tokens: number | null;
  prefix_hash: string;
  reasoning_tokens: number | null;
  retrieved: Json | null;
  schema_delivery: SchemaDelivery;
  source_invocation_id: string;
  started_at: string;
  status: Generated<SourceInvocationStatus>;
  world_slug: string;
}

export interface LlmChunks {
  batch_seq: number;
  event_id: number | null;
  llm_call_id: string;
  pieces: Buffer;
  text: Buffer;
  world_slug: string;
}

export interface LlmConversationMessages {
  attempt_id: string | null;
  conversation: string | null;
  message_hash: string | null;
  position: number | null;
  world_slug: string | null;
}

export interface LlmMessagePieces {
  comes_from: string | null;
  message_hash: string | null;
  origin: SegmentOrigin | null;
  position: number | null;
  text: Buffer | null;
}

export interface LlmMessages {
  content_hash: string;
  message_hash: string;
  origins: ArrayType<SegmentOrigin>;
  role: MessageRole;
  segment_hashes: string[];
  segment_origins: string[] | null;
  texts: ArrayType<Buffer>;
}

export interface LlmSegments {
  segment_hash: string;
  text: Buffer;
}

export interface LlmStreams {
  batch_seq: number | null;
  event_id: number | null;
  llm_call_id: string | null;
  pieces: Buffer | null;
  text: Buffer | null;
  world_slug: string | null;
}

export interface LogLeaves {
  attempt_id: string;
  leaf_hash: Buffer;
  log_index: number;
  seal: string;
  seal_seq: number;
  world_slug: string;
}

export interface MemoryPurges {
  at_turn: number;
  origin: string;
  purged_at: string;
  world_slug: string;
}

export interface MemoryWords {
  entity_id: string;
  first_place: number;
  language: string;
  memories_before: number;
  postings: ArrayType<number>;
  word: string;
  world_slug: string;
}

export interface OfferedSchemas {
  content: Json;
  hash: string;
  name: string;
}

export interface OperatorActions {
  accepted: boolean | null;
  acted_at: string;
  acted_by: string;
  action: string;
  action_id: string;
  address: string | null;
  attempt_id: string | null;
  details: Json;
  outcome: string | null;
  reason: string | null;
  source_invocation_id: string | null;
  surface: ActionSurface;
  world_slug: string | null;
}

export interface PatchEffects {
  effect_index: number | null;
  entity_id: string | null;
  environment_label: string | null;
  op: EffectOperation | null;
  patch_seq: number | null;
  sources: Json | null;
  state_after: string | null;
  state_before: string | null;
  turn: number | null;
  world_slug: string | null;
}

export interface PendingCalls {
  accepted_body: Buffer | null;
  attempt_id: string;
  correlation_alias: string | null;
  deadline: string;
  is_awaited: Generated<boolean>;
  is_timed_out: Generated<boolean>;
  pended_at: string;
  source_invocation_id: string;
  world_slug: string;
}

export interface PromptTexts {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface ResponseSources {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface Scenarios {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface Seals {
  attempt_id: string;
  leaf_hashes: Buffer;
  previous_root: Buffer | null;
  root: Buffer;
  seal_seq: number;
  sealed_at: string;
  source_invocation_id: string | null;
  world_slug: string;
}

export interface SearchEntries {
  attempt_id: string;
  entry_seq: number;
  failure_class: string | null;
  kind: SearchKind;
  llm_call_id: string | null;
  patch_seq: number | null;
  source_invocation_id: string | null;
  source_label: string | null;
  text: string;
  turn: number;
  words: string;
  workflow_subject_entity_id: string | null;
  world_slug: string;
}

export interface SearchProgress {
  epoch: number;
  world_slug: string;
}

export interface SourceInvocations {
  ambient_source_id: string | null;
  answered: Generated<boolean>;
  argument_origins: Json | null;
  attempt_id: string;
  attempted_turn: number;
  command_key: string;
  duration_ms: number | null;
  effect_class: EffectClass;
  ended_at: string | null;
  ended_event_id: number | null;
  failure_class: string | null;
  failure_detail: string | null;
  failure_message: string | null;
  http_status: number | null;
  input_schema_hash: string | null;
  invocation_kind: SourceInvocationKind;
  invocation_seq: number;
  llm_call_id: string | null;
  logical_generation_attempt: number | null;
  may_be_followed: Generated<boolean>;
  model_output_kind: ModelOutputKind | null;
  outcome_unknown: Generated<boolean>;
  output_schema_hash: string | null;
  parent_source_invocation_id: string | null;
  pending_deadline_ms: number | null;
  performance: Generated<number>;
  policy_ruling: Json | null;
  redaction: Json;
  refused: Generated<boolean>;
  repeatable: Generated<boolean>;
  request_hash: string;
  request_json: Json | null;
  response_body: Buffer | null;
  response_headers: Generated<Json>;
  response_json: Json | null;
  retry_after_ms: number | null;
  source_hash: string;
  source_invocation_id: string;
  started_at: string;
  started_event_id: number | null;
  status: Generated<SourceInvocationStatus>;
  tool_call_id: string | null;
  tool_loop_round: number | null;
  tool_name: string | null;
  validation_status: Generated<ValidationStatus>;
  workflow_hash: string | null;
  workflow_node_id: string | null;
  workflow_subject_entity_id: string | null;
  world_slug: string;
}

export interface Studies {
  answered_by: string;
  document: Json;
  probes: Json;
  sealed_at: string;
  study_hash: string;
  study_label: string;
}

export interface StudyWorlds {
  condition: string | null;
  parent_slug: string | null;
  parent_turn: number | null;
  place: number;
  probe: string | null;
  roster: Json;
  scenario_hash: string;
  seed: number;
  study_label: string;
  until_turn: number;
  world_slug: string;
}

export interface ToolPolicies {
  content: Json;
  created_at: Generated<string>;
  hash: string;
  kind: Generated<ComponentKind>;
}

export interface Turns {
  attempt_id: string | null;
  committed_at: string;
  committed_event_id: Generated<number | null>;
  simulation_time: string;
  turn: number;
  world_slug: string;
}

export interface WorldAuditEvents {
  attempt_id: string | null;
  attempt_number: number | null;
  attempted_turn: number | null;
  audit_event_id: number | null;
  audit_kind: AuditKind | null;
  cognition_workflow_hash: string | null;
  details: Json | null;
  llm_call_id: string | null;
  occurred_at: string | null;
  patch_seq: number | null;
  raw_response: Buffer | null;
  rejection: string | null;
  response_source_hash: string | null;
  source_invocation_id: string | null;
  workflow_node_id: string | null;
  workflow_subject_entity_id: string | null;
  world_slug: string | null;
}

export interface WorldLineage {
  ancestor_slug: string;
  until_turn: number;
  world_slug: string;
}

export interface WorldPatches {
  attempt_id: string;
  effects: Json;
  narration: string;
  origins: string[] | null;
  patch_seq: number;
  source_invocation_id: string;
  touched_entities: string[];
  turn: number;
  workflow_node_id: string;
  workflow_subject_entity_id: string;
  world_slug: string;
}

export interface Worlds {
  adoptable_attempt_id: string | null;
  created_at: Generated<string>;
  lease_attempt_id: string | null;
  lease_epoch: Generated<number>;
  lease_host: string | null;
  lease_pid: number | null;
  lease_until: string | null;
  request_mark: Generated<string>;
  root_world_slug: string;
  scenario_hash: string;
  turn: Generated<number>;
  world_slug: string;
}

export interface WorldScenarios {
  chosen_at: string;
  files: Json | null;
  from_turn: number;
  scenario_hash: string;
  scenario_seq: number;
  world_slug: string;
}

export interface DB {
  adopted_calls: AdoptedCalls;
  agent_inbox: AgentInbox;
  agent_state_heads: AgentStateHeads;
  approval_grants: ApprovalGrants;
  approvals: Approvals;
  assistant_tasks: AssistantTasks;
  attempt_events: AttemptEvents;
  attempt_timeline_events: AttemptTimelineEvents;
  attempts: Attempts;
  audit_entries: AuditEntries;
  budget_reservations: BudgetReservations;
  budgets: Budgets;
  call_settlements: CallSettlements;
  checkpoints: Checkpoints;
  cognition_profiles: CognitionProfiles;
  cognition_workflows: CognitionWorkflows;
  component_references: ComponentReferences;
  components: Components;
  entity_memories: EntityMemories;
  entity_states: EntityStates;
  environment_contents: EnvironmentContents;
  indexed_memories: IndexedMemories;
  json_schemas: JsonSchemas;
  llm_calls: LlmCalls;
  llm_chunks: LlmChunks;
  llm_conversation_messages: LlmConversationMessages;
  llm_message_pieces: LlmMessagePieces;
  llm_messages: LlmMessages;
  llm_segments: LlmSegments;
  llm_streams: LlmStreams;
  log_leaves: LogLeaves;
  memory_purges: MemoryPurges;
  memory_words: MemoryWords;
  offered_schemas: OfferedSchemas;
  operator_actions: OperatorActions;
  patch_effects: PatchEffects;
  pending_calls: PendingCalls;
  prompt_texts: PromptTexts;
  response_sources: ResponseSources;
  scenarios: Scenarios;
  seals: Seals;
  search_entries: SearchEntries;
  search_progress: SearchProgress;
  source_invocations: SourceInvocations;
  studies: Studies;
  study_worlds: StudyWorlds;
  tool_policies: ToolPolicies;
  turns: Turns;
  world_audit_events: WorldAuditEvents;
  world_lineage: WorldLineage;
  world_patches: WorldPatches;
  world_scenarios: WorldScenarios;
  worlds: Worlds;
}
