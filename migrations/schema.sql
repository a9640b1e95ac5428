-- What the migrations come to. Made by tools/generate-schema.ts: do not edit, run `npm run generate`.

CREATE DOMAIN entity_id_text AS text COLLATE "C"
    CHECK (((length(VALUE) <= 256) AND (VALUE ~ '^[a-z0-9_-]+([.][a-z0-9_-]+)*$'::text)));

CREATE DOMAIN human_id_text AS text COLLATE "C"
    CHECK (((length(VALUE) <= 64) AND (VALUE ~ '^[a-z0-9]+([_-][a-z0-9]+)*$'::text)));

CREATE DOMAIN natural_bigint AS bigint
    CHECK ((VALUE >= 0));

CREATE DOMAIN natural_int AS integer
    CHECK ((VALUE >= 0));

CREATE DOMAIN positive_bigint AS bigint
    CHECK ((VALUE >= 1));

CREATE DOMAIN positive_int AS integer
    CHECK ((VALUE >= 1));

CREATE DOMAIN sha256_hex AS text COLLATE "C"
    CHECK (((length(VALUE) = 64) AND (VALUE !~ '[^0-9a-f]'::text)));

CREATE DOMAIN tool_call_id_text AS text COLLATE "default"
    CHECK ((length(VALUE) <= 128));

CREATE DOMAIN tool_name_text AS text COLLATE "default"
    CHECK ((((length(VALUE) >= 1) AND (length(VALUE) <= 64)) AND (VALUE !~ '[^A-Za-z0-9_-]'::text)));

CREATE TYPE action_surface AS ENUM (
    'command_line',
    'http',
    'browser',
    'library',
    'mcp'
);

CREATE TYPE agent_status AS ENUM (
    'idle',
    'dispatched',
    'running',
    'suspended'
);

CREATE TYPE approval_status AS ENUM (
    'waiting',
    'approved',
    'denied',
    'expired'
);

CREATE TYPE attempt_status AS ENUM (
    'running',
    'suspended',
    'committed',
    'failed',
    'interrupted'
);

CREATE TYPE audit_kind AS ENUM (
    'patch_applied',
    'generation_rejected',
    'turn_complete',
    'attempt_failed',
    'call_settled',
    'attempt_set_aside'
);

CREATE TYPE component_kind AS ENUM (
    'json_schema',
    'response_source',
    'cognition_workflow',
    'cognition_profile',
    'tool_policy',
    'scenario',
    'prompt_text'
);

CREATE TYPE effect_class AS ENUM (
    'read_only',
    'state_change',
    'external_side_effect'
);

CREATE TYPE effect_operation AS ENUM (
    'set_entity_state',
    'append_entity_memory',
    'set_environment_content'
);

CREATE TYPE inbox_message_type AS ENUM (
    'turn',
    'tool_result',
    'timeout',
    'stop',
    'ui_action'
);

CREATE TYPE inbox_status AS ENUM (
    'queued',
    'pending',
    'deferred',
    'consumed'
);

CREATE TYPE memory_origin AS ENUM (
    'scenario',
    'patch'
);

CREATE TYPE message_role AS ENUM (
    'system',
    'user',
    'assistant',
    'tool'
);

CREATE TYPE model_output_kind AS ENUM (
    'tool_call',
    'final_patch',
    'json_answer',
    'invalid',
    'gate_pass',
    'gate_retry',
    'gate_escalate'
);

CREATE TYPE schema_delivery AS ENUM (
    'response_format',
    'json_object',
    'prompt'
);

CREATE TYPE search_kind AS ENUM (
    'narration',
    'state',
    'prompt',
    'answer',
    'result'
);

CREATE TYPE segment_origin AS ENUM (
    'author',
    'world.projection',
    'world',
    'subject.rendered',
    'subject',
    'ambient.visible',
    'tools.available',
    'nodes',
    'schema',
    'model',
    'tool_result',
    'correction',
    'last_lap',
    'world.recent_events',
    'reasoning',
    'function_call',
    'call_id',
    'subject.own_turns',
    'memory.pinned',
    'memory.retrieved'
);

CREATE TYPE source_invocation_kind AS ENUM (
    'llm_generation',
    'ambient_context',
    'model_elected_tool',
    'node_call',
    'quality_gate'
);

CREATE TYPE source_invocation_status AS ENUM (
    'running',
    'pending',
    'succeeded',
    'failed',
    'interrupted'
);

CREATE TYPE timeline_event_kind AS ENUM (
    'attempt_began',
    'call_started',
    'call_answered',
    'call_failed',
    'call_refused',
    'patch_applied',
    'turn_committed',
    'attempt_failed',
    'attempt_interrupted',
    'attempt_continued',
    'attempt_handed_over',
    'call_interrupted',
    'call_settled',
    'call_pended',
    'attempt_suspended',
    'call_superseded',
    'approval_asked',
    'approval_decided'
);

CREATE TYPE validation_status AS ENUM (
    'valid',
    'invalid',
    'not_checked'
);

CREATE TABLE adopted_calls (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    CONSTRAINT adopted_calls_pkey PRIMARY KEY (world_slug, attempt_id, source_invocation_id)
);

CREATE TABLE agent_inbox (
    world_slug human_id_text NOT NULL,
    inbox_id uuid NOT NULL,
    agent_id entity_id_text,
    message_type inbox_message_type NOT NULL,
    status inbox_status NOT NULL,
    attempt_id uuid,
    agent_turn_id uuid,
    turn_epoch positive_bigint,
    correlation_id uuid,
    payload json NOT NULL DEFAULT '{}'::json,
    retry_count natural_int NOT NULL DEFAULT 0,
    next_retry_at timestamp with time zone,
    defer_reason text,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    consumed_at timestamp with time zone,
    transient_failures natural_int NOT NULL DEFAULT 0,
    CONSTRAINT agent_inbox_pkey PRIMARY KEY (world_slug, inbox_id)
);

CREATE TABLE agent_state_heads (
    world_slug human_id_text NOT NULL,
    agent_id entity_id_text NOT NULL,
    status agent_status NOT NULL DEFAULT 'idle'::agent_status,
    turn_epoch natural_bigint NOT NULL DEFAULT 0,
    active_agent_turn_id uuid,
    CONSTRAINT agent_state_heads_pkey PRIMARY KEY (world_slug, agent_id)
) WITH (fillfactor=70);

CREATE TABLE approval_grants (
    world_slug human_id_text NOT NULL,
    grant_id uuid NOT NULL,
    tool_name text NOT NULL,
    workflow_subject_entity_id entity_id_text,
    arguments json NOT NULL DEFAULT '{}'::json,
    uses_left natural_int NOT NULL,
    granted_by text NOT NULL,
    granted_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    reason text,
    uses natural_int NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT approval_grants_pkey PRIMARY KEY (world_slug, grant_id)
);

CREATE TABLE approvals (
    world_slug human_id_text NOT NULL,
    approval_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    command_key text NOT NULL,
    binding_hash sha256_hex NOT NULL,
    status approval_status NOT NULL DEFAULT 'waiting'::approval_status,
    tool_name text NOT NULL,
    source_hash sha256_hex NOT NULL,
    effect_class effect_class NOT NULL,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    request_json json NOT NULL,
    rule text NOT NULL,
    because text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by text,
    grant_id uuid,
    reason text,
    origins json,
    policy_hash sha256_hex,
    CONSTRAINT approvals_pkey PRIMARY KEY (world_slug, approval_id),
    CONSTRAINT approvals_world_slug_attempt_id_command_key_binding_hash_key UNIQUE (world_slug, attempt_id, command_key, binding_hash),
    CONSTRAINT approvals_check CHECK (((status = 'waiting'::approval_status) = (decided_at IS NULL))),
    CONSTRAINT approvals_check1 CHECK (((status = ANY (ARRAY['waiting'::approval_status, 'expired'::approval_status])) OR (decided_by IS NOT NULL)))
);

CREATE TABLE assistant_tasks (
    world_slug human_id_text NOT NULL,
    task_id uuid NOT NULL,
    principal text NOT NULL,
    inbox_ids uuid[] NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT assistant_tasks_pkey PRIMARY KEY (world_slug, task_id),
    CONSTRAINT assistant_tasks_task_id_key UNIQUE (task_id),
    CONSTRAINT assistant_tasks_principal_check CHECK ((principal <> ''::text))
);

CREATE TABLE attempt_events (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    event_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY (INCREMENT BY 16),
    event_kind timeline_event_kind NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    source_invocation_id uuid,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    details json NOT NULL DEFAULT '{}'::json,
    CONSTRAINT attempt_events_pkey PRIMARY KEY (world_slug, attempt_id, event_id)
);

CREATE TABLE attempts (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    epoch positive_bigint NOT NULL,
    status attempt_status NOT NULL DEFAULT 'running'::attempt_status,
    scenario_hash sha256_hex NOT NULL,
    renderer_version text NOT NULL,
    plugin_versions json NOT NULL,
    holder_host text NOT NULL,
    holder_pid integer NOT NULL,
    failure_class text,
    failure_message text,
    failed_subject_entity_id entity_id_text,
    failed_node_id human_id_text,
    failed_source_invocation_id uuid,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    take_overs natural_int NOT NULL DEFAULT 0,
    handed_over boolean NOT NULL DEFAULT false,
    adopts uuid,
    inbox_id uuid,
    resume_deadline timestamp with time zone,
    is_transient boolean NOT NULL DEFAULT false,
    began_event_id bigint DEFAULT nextval('attempt_events_event_id_seq'::regclass),
    CONSTRAINT attempts_pkey PRIMARY KEY (attempt_id, world_slug),
    CONSTRAINT attempts_world_slug_epoch_key UNIQUE (world_slug, epoch)
);

CREATE TABLE audit_entries (
    world_slug human_id_text NOT NULL,
    audit_entry_id bigint NOT NULL DEFAULT nextval('attempt_events_event_id_seq'::regclass),
    audit_kind audit_kind NOT NULL,
    attempt_id uuid NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    source_invocation_id uuid,
    attempt_number positive_int,
    raw_response bytea,
    rejection text,
    details json NOT NULL DEFAULT '{}'::json,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (world_slug, audit_entry_id),
    CONSTRAINT audit_entries_kind_check CHECK ((audit_kind = ANY (ARRAY['generation_rejected'::audit_kind, 'attempt_set_aside'::audit_kind]))),
    CONSTRAINT audit_entries_rejection_check CHECK (((audit_kind = 'generation_rejected'::audit_kind) = (num_nulls(attempt_number, raw_response, rejection) = 0)))
);

CREATE TABLE budget_reservations (
    budget_key text NOT NULL,
    call_id uuid NOT NULL,
    lease_world human_id_text,
    lease_attempt_id uuid,
    lease_epoch natural_bigint,
    least_tokens natural_bigint NOT NULL,
    least_money natural_bigint NOT NULL,
    most_tokens natural_bigint NOT NULL,
    most_money natural_bigint NOT NULL,
    held_until timestamp with time zone,
    CONSTRAINT budget_reservations_pkey PRIMARY KEY (budget_key, call_id),
    CONSTRAINT budget_reservations_held_check CHECK ((num_nonnulls(lease_world, lease_attempt_id, lease_epoch) =
CASE
    WHEN (held_until IS NULL) THEN 3
    ELSE 0
END))
);

CREATE TABLE budgets (
    budget_key text NOT NULL,
    world_slug human_id_text,
    spent_tokens natural_bigint NOT NULL DEFAULT 0,
    spent_money natural_bigint NOT NULL DEFAULT 0,
    reserved_tokens natural_bigint NOT NULL DEFAULT 0,
    reserved_money natural_bigint NOT NULL DEFAULT 0,
    granted_to uuid,
    limit_tokens natural_bigint,
    limit_money natural_bigint,
    CONSTRAINT budgets_pkey PRIMARY KEY (budget_key)
);

CREATE TABLE call_settlements (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    performed boolean NOT NULL,
    response_json json,
    settled_at timestamp with time zone NOT NULL,
    CONSTRAINT call_settlements_pkey PRIMARY KEY (world_slug, source_invocation_id),
    CONSTRAINT call_settlements_check CHECK ((performed = (response_json IS NOT NULL)))
);

CREATE TABLE checkpoints (
    origin text NOT NULL,
    tree_size bigint NOT NULL,
    root bytea NOT NULL,
    note text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    CONSTRAINT checkpoints_pkey PRIMARY KEY (origin, tree_size),
    CONSTRAINT checkpoints_origin_check CHECK ((origin <> ''::text)),
    CONSTRAINT checkpoints_root_check CHECK ((length(root) = 32)),
    CONSTRAINT checkpoints_tree_size_check CHECK ((tree_size >= 0))
);

CREATE TABLE cognition_profiles (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_profile'::component_kind) STORED,
    workflow_hash sha256_hex NOT NULL,
    tool_policy_hash sha256_hex,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT cognition_profiles_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE cognition_workflows (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_workflow'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT cognition_workflows_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE component_references (
    from_kind component_kind NOT NULL,
    from_hash sha256_hex NOT NULL,
    to_kind component_kind NOT NULL,
    to_hash sha256_hex NOT NULL,
    CONSTRAINT component_references_pkey PRIMARY KEY (from_kind, from_hash, to_kind, to_hash)
);

CREATE TABLE components (
    kind component_kind NOT NULL,
    hash sha256_hex NOT NULL,
    CONSTRAINT components_pkey PRIMARY KEY (kind, hash)
);

CREATE TABLE entity_memories (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    turn bigint NOT NULL,
    memory_seq positive_int NOT NULL,
    content text NOT NULL,
    origin memory_origin NOT NULL,
    patch_seq integer,
    effect_index integer,
    CONSTRAINT entity_memories_pkey PRIMARY KEY (world_slug, entity_id, turn, memory_seq)
);

CREATE TABLE entity_states (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    turn bigint NOT NULL,
    state text NOT NULL,
    patch_seq integer,
    effect_index integer,
    CONSTRAINT entity_states_pkey PRIMARY KEY (world_slug, entity_id, turn)
);

CREATE TABLE environment_contents (
    world_slug human_id_text NOT NULL,
    environment_label human_id_text NOT NULL,
    turn bigint NOT NULL,
    content text NOT NULL,
    patch_seq integer,
    effect_index integer,
    CONSTRAINT environment_contents_pkey PRIMARY KEY (world_slug, environment_label, turn)
);

CREATE TABLE indexed_memories (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    language text NOT NULL,
    place positive_int NOT NULL,
    turn bigint NOT NULL,
    memory_seq positive_int NOT NULL,
    words_until natural_bigint NOT NULL,
    CONSTRAINT indexed_memories_pkey PRIMARY KEY (world_slug, entity_id, language, place)
);

CREATE TABLE json_schemas (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('json_schema'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT json_schemas_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE llm_calls (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    model text,
    schema_delivery schema_delivery NOT NULL,
    output_schema_hash sha256_hex NOT NULL,
    conversation text NOT NULL,
    message_count positive_int NOT NULL,
    prefix_hash sha256_hex NOT NULL,
    started_at timestamp with time zone NOT NULL,
    endpoint_origin text,
    delivered_schema_hash sha256_hex,
    new_messages sha256_hex[] NOT NULL DEFAULT '{}'::sha256_hex[],
    status source_invocation_status NOT NULL DEFAULT 'running'::source_invocation_status,
    ended_at timestamp with time zone,
    finish_reason text,
    input_tokens natural_bigint,
    output_tokens natural_bigint,
    cached_input_tokens natural_bigint,
    reasoning_tokens natural_bigint,
    normalised_text bytea,
    artifacts json NOT NULL DEFAULT '[]'::json,
    last_text bytea,
    last_pieces bytea,
    cache_written_input_tokens natural_bigint,
    max_output_tokens positive_bigint,
    retrieved json,
    CONSTRAINT llm_calls_pkey PRIMARY KEY (llm_call_id, world_slug),
    CONSTRAINT llm_calls_world_slug_source_invocation_id_key UNIQUE (world_slug, source_invocation_id)
);

CREATE TABLE llm_chunks (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    batch_seq positive_int NOT NULL,
    text bytea NOT NULL,
    event_id bigint,
    pieces bytea NOT NULL,
    CONSTRAINT llm_chunks_pkey PRIMARY KEY (world_slug, llm_call_id, batch_seq)
);

CREATE TABLE llm_messages (
    message_hash sha256_hex NOT NULL,
    role message_role NOT NULL,
    content_hash sha256_hex NOT NULL,
    origins segment_origin[] NOT NULL,
    texts bytea[] NOT NULL,
    segment_hashes sha256_hex[] NOT NULL,
    segment_origins text[],
    CONSTRAINT llm_messages_pkey PRIMARY KEY (message_hash),
    CONSTRAINT named_by_content CHECK (((cardinality(origins) = cardinality(texts)) AND (cardinality(origins) = cardinality(segment_hashes)) AND (cardinality(origins) = COALESCE(cardinality(segment_origins), cardinality(origins))) AND ((message_hash)::text = name_of_message(role, origins, texts, segment_hashes, segment_origins))))
);

CREATE TABLE llm_segments (
    segment_hash sha256_hex NOT NULL,
    text bytea NOT NULL,
    CONSTRAINT llm_segments_pkey PRIMARY KEY (segment_hash),
    CONSTRAINT named_by_content CHECK (((segment_hash)::text = encode(sha256(text), 'hex'::text)))
);

CREATE TABLE log_leaves (
    log_index bigint NOT NULL,
    world_slug human_id_text NOT NULL,
    seal_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    seal text NOT NULL,
    leaf_hash bytea NOT NULL,
    CONSTRAINT log_leaves_pkey PRIMARY KEY (log_index),
    CONSTRAINT log_leaves_world_slug_seal_seq_attempt_id_key UNIQUE (world_slug, seal_seq, attempt_id),
    CONSTRAINT log_leaves_leaf_hash_check CHECK ((length(leaf_hash) = 32)),
    CONSTRAINT log_leaves_log_index_check CHECK ((log_index >= 0))
);

CREATE TABLE memory_purges (
    world_slug human_id_text NOT NULL,
    at_turn natural_bigint NOT NULL,
    origin text NOT NULL,
    purged_at timestamp with time zone NOT NULL,
    CONSTRAINT memory_purges_pkey PRIMARY KEY (world_slug, at_turn, origin),
    CONSTRAINT memory_purges_origin_check CHECK ((origin <> ''::text))
);

CREATE TABLE memory_words (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    language text NOT NULL,
    word text NOT NULL,
    first_place positive_int NOT NULL,
    memories_before natural_int NOT NULL,
    postings bigint[] NOT NULL,
    CONSTRAINT memory_words_pkey PRIMARY KEY (world_slug, entity_id, language, word, first_place)
) WITH (fillfactor=70);

CREATE TABLE offered_schemas (
    hash sha256_hex NOT NULL,
    name text NOT NULL,
    content json NOT NULL,
    CONSTRAINT offered_schemas_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE operator_actions (
    world_slug human_id_text,
    action_id uuid NOT NULL,
    action text NOT NULL,
    acted_by text NOT NULL,
    address text,
    reason text,
    details json NOT NULL,
    attempt_id uuid,
    source_invocation_id uuid,
    acted_at timestamp with time zone NOT NULL,
    accepted boolean,
    outcome text,
    surface action_surface NOT NULL,
    CONSTRAINT operator_actions_pkey PRIMARY KEY (action_id),
    CONSTRAINT operator_actions_acted_by_check CHECK ((acted_by <> ''::text)),
    CONSTRAINT operator_actions_check CHECK (((accepted IS NULL) = (outcome IS NULL))),
    CONSTRAINT operator_actions_reason_check CHECK ((reason <> ''::text))
);

CREATE TABLE pending_calls (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    correlation_alias text,
    pended_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    accepted_body bytea,
    is_awaited boolean NOT NULL DEFAULT true,
    is_timed_out boolean NOT NULL DEFAULT false,
    CONSTRAINT pending_calls_pkey PRIMARY KEY (world_slug, source_invocation_id),
    CONSTRAINT pending_calls_correlation_alias_check CHECK (((length(correlation_alias) >= 1) AND (length(correlation_alias) <= 256)))
);

CREATE TABLE prompt_texts (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('prompt_text'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT prompt_texts_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE response_sources (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('response_source'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT response_sources_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE scenarios (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('scenario'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT scenarios_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE schema_migrations (
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE seals (
    world_slug human_id_text NOT NULL,
    seal_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid,
    leaf_hashes bytea NOT NULL,
    root bytea NOT NULL,
    previous_root bytea,
    sealed_at timestamp with time zone NOT NULL,
    CONSTRAINT seals_pkey PRIMARY KEY (world_slug, seal_seq),
    CONSTRAINT seals_check CHECK ((((seal_seq)::integer = 1) = (previous_root IS NULL))),
    CONSTRAINT seals_leaf_hashes_check CHECK ((((length(leaf_hashes) % 32) = 0) AND (length(leaf_hashes) > 0))),
    CONSTRAINT seals_previous_root_check CHECK ((length(previous_root) = 32)),
    CONSTRAINT seals_root_check CHECK ((length(root) = 32))
);

CREATE TABLE search_entries (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    entry_seq positive_int NOT NULL,
    turn positive_bigint NOT NULL,
    kind search_kind NOT NULL,
    workflow_subject_entity_id entity_id_text,
    source_label text,
    failure_class text,
    patch_seq positive_int,
    source_invocation_id uuid,
    llm_call_id uuid,
    text text NOT NULL,
    words tsvector NOT NULL,
    CONSTRAINT search_entries_pkey PRIMARY KEY (world_slug, attempt_id, entry_seq)
);

CREATE TABLE search_progress (
    world_slug human_id_text NOT NULL,
    epoch positive_bigint NOT NULL,
    CONSTRAINT search_progress_pkey PRIMARY KEY (world_slug)
);

CREATE TABLE source_invocations (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    invocation_seq positive_int NOT NULL,
    command_key text NOT NULL,
    performance positive_int NOT NULL DEFAULT 1,
    request_hash sha256_hex NOT NULL,
    workflow_hash sha256_hex,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    source_hash sha256_hex NOT NULL,
    invocation_kind source_invocation_kind NOT NULL,
    effect_class effect_class NOT NULL,
    ambient_source_id human_id_text,
    tool_name tool_name_text,
    tool_call_id tool_call_id_text,
    parent_source_invocation_id uuid,
    input_schema_hash sha256_hex,
    output_schema_hash sha256_hex,
    redaction json NOT NULL,
    llm_call_id uuid,
    logical_generation_attempt positive_int,
    tool_loop_round natural_int,
    model_output_kind model_output_kind,
    status source_invocation_status NOT NULL DEFAULT 'running'::source_invocation_status,
    refused boolean NOT NULL DEFAULT false,
    failure_class text,
    failure_detail text,
    failure_message text,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    duration_ms natural_bigint,
    request_json json,
    response_json json,
    response_body bytea,
    response_headers json NOT NULL DEFAULT '{}'::json,
    http_status integer,
    validation_status validation_status NOT NULL DEFAULT 'not_checked'::validation_status,
    answered boolean NOT NULL DEFAULT false,
    pending_deadline_ms positive_bigint,
    started_event_id bigint,
    ended_event_id bigint,
    repeatable boolean NOT NULL DEFAULT false,
    outcome_unknown boolean NOT NULL DEFAULT false,
    retry_after_ms natural_bigint,
    may_be_followed boolean NOT NULL DEFAULT false,
    policy_ruling json,
    argument_origins json,
    CONSTRAINT source_invocations_pkey PRIMARY KEY (source_invocation_id, world_slug),
    CONSTRAINT source_invocations_attempt_seq_idx UNIQUE (world_slug, attempt_id, invocation_seq),
    CONSTRAINT source_invocations_performance_idx UNIQUE (world_slug, attempt_id, command_key, performance)
) WITH (fillfactor=90);

CREATE TABLE studies (
    study_label human_id_text NOT NULL,
    study_hash sha256_hex NOT NULL,
    document json NOT NULL,
    probes json NOT NULL,
    sealed_at timestamp with time zone NOT NULL,
    answered_by text NOT NULL,
    CONSTRAINT studies_pkey PRIMARY KEY (study_label),
    CONSTRAINT studies_answered_by_check CHECK (((length(answered_by) >= 1) AND (length(answered_by) <= 2000)))
);

CREATE TABLE study_worlds (
    study_label human_id_text NOT NULL,
    world_slug human_id_text NOT NULL,
    place natural_int NOT NULL,
    seed bigint NOT NULL,
    condition text,
    probe text,
    scenario_hash sha256_hex NOT NULL,
    parent_slug human_id_text,
    parent_turn natural_bigint,
    until_turn positive_bigint NOT NULL,
    roster json NOT NULL,
    CONSTRAINT study_worlds_pkey PRIMARY KEY (study_label, world_slug)
);

CREATE TABLE tool_policies (
    hash sha256_hex NOT NULL,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('tool_policy'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT tool_policies_pkey PRIMARY KEY (hash),
    CONSTRAINT named_by_content CHECK (((hash)::text = encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text)))
);

CREATE TABLE turns (
    world_slug human_id_text NOT NULL,
    turn natural_bigint NOT NULL,
    attempt_id uuid,
    simulation_time timestamp with time zone NOT NULL,
    committed_at timestamp with time zone NOT NULL,
    committed_event_id bigint DEFAULT nextval('attempt_events_event_id_seq'::regclass),
    CONSTRAINT turns_pkey PRIMARY KEY (world_slug, turn),
    CONSTRAINT turns_world_slug_attempt_id_key UNIQUE (world_slug, attempt_id)
);

CREATE TABLE world_lineage (
    world_slug human_id_text NOT NULL,
    ancestor_slug human_id_text NOT NULL,
    until_turn natural_bigint NOT NULL,
    CONSTRAINT world_lineage_pkey PRIMARY KEY (world_slug, ancestor_slug),
    CONSTRAINT world_lineage_check CHECK (((world_slug)::text <> (ancestor_slug)::text))
);

CREATE TABLE world_patches (
    world_slug human_id_text NOT NULL,
    turn bigint NOT NULL,
    patch_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    workflow_node_id human_id_text NOT NULL,
    workflow_subject_entity_id entity_id_text NOT NULL,
    touched_entities entity_id_text[] NOT NULL,
    narration text NOT NULL,
    effects json NOT NULL,
    origins text[],
    CONSTRAINT world_patches_pkey PRIMARY KEY (world_slug, turn, patch_seq),
    CONSTRAINT world_patches_attempt_id_world_slug_patch_seq_key UNIQUE (attempt_id, world_slug, patch_seq)
);

CREATE TABLE world_scenarios (
    world_slug human_id_text NOT NULL,
    scenario_seq positive_int NOT NULL,
    from_turn positive_bigint NOT NULL,
    scenario_hash sha256_hex NOT NULL,
    chosen_at timestamp with time zone NOT NULL,
    files json,
    CONSTRAINT world_scenarios_pkey PRIMARY KEY (world_slug, scenario_seq)
);

CREATE TABLE worlds (
    world_slug human_id_text NOT NULL,
    root_world_slug human_id_text NOT NULL,
    scenario_hash sha256_hex NOT NULL,
    turn natural_bigint NOT NULL DEFAULT 0,
    lease_epoch natural_bigint NOT NULL DEFAULT 0,
    lease_attempt_id uuid,
    lease_host text,
    lease_pid integer,
    lease_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    adoptable_attempt_id uuid,
    request_mark text NOT NULL DEFAULT "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 12),
    CONSTRAINT worlds_pkey PRIMARY KEY (world_slug),
    CONSTRAINT worlds_request_mark_check CHECK ((request_mark ~ '^[0-9a-f]{12}$'::text))
);

ALTER TABLE adopted_calls ADD CONSTRAINT adopted_calls_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE adopted_calls ADD CONSTRAINT adopted_calls_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE agent_inbox ADD CONSTRAINT agent_inbox_attempt_fk FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE agent_inbox ADD CONSTRAINT agent_inbox_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE agent_state_heads ADD CONSTRAINT agent_state_heads_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE approval_grants ADD CONSTRAINT approval_grants_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE approvals ADD CONSTRAINT approvals_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE approvals ADD CONSTRAINT approvals_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE assistant_tasks ADD CONSTRAINT assistant_tasks_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE attempt_events ADD CONSTRAINT attempt_events_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE attempts ADD CONSTRAINT attempts_adopts_fk FOREIGN KEY (world_slug, adopts) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE attempts ADD CONSTRAINT attempts_failed_source_invocation_fk FOREIGN KEY (world_slug, failed_source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE attempts ADD CONSTRAINT attempts_inbox_fk FOREIGN KEY (world_slug, inbox_id) REFERENCES agent_inbox(world_slug, inbox_id) DEFERRABLE;

ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_attempt_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_source_invocation_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE budgets ADD CONSTRAINT budgets_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE call_settlements ADD CONSTRAINT call_settlements_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE call_settlements ADD CONSTRAINT call_settlements_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE cognition_profiles ADD CONSTRAINT cognition_profiles_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;
ALTER TABLE cognition_profiles ADD CONSTRAINT cognition_profiles_tool_policy_hash_fkey FOREIGN KEY (tool_policy_hash) REFERENCES tool_policies(hash) DEFERRABLE;
ALTER TABLE cognition_profiles ADD CONSTRAINT cognition_profiles_workflow_hash_fkey FOREIGN KEY (workflow_hash) REFERENCES cognition_workflows(hash) DEFERRABLE;

ALTER TABLE cognition_workflows ADD CONSTRAINT cognition_workflows_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE component_references ADD CONSTRAINT component_references_from_kind_from_hash_fkey FOREIGN KEY (from_kind, from_hash) REFERENCES components(kind, hash) DEFERRABLE;
ALTER TABLE component_references ADD CONSTRAINT component_references_to_kind_to_hash_fkey FOREIGN KEY (to_kind, to_hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE indexed_memories ADD CONSTRAINT indexed_memories_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE json_schemas ADD CONSTRAINT json_schemas_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE memory_purges ADD CONSTRAINT memory_purges_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE memory_words ADD CONSTRAINT memory_words_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE operator_actions ADD CONSTRAINT operator_actions_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE operator_actions ADD CONSTRAINT operator_actions_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;
ALTER TABLE operator_actions ADD CONSTRAINT operator_actions_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE pending_calls ADD CONSTRAINT pending_calls_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE prompt_texts ADD CONSTRAINT prompt_texts_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE response_sources ADD CONSTRAINT response_sources_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE scenarios ADD CONSTRAINT scenarios_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE seals ADD CONSTRAINT seals_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE seals ADD CONSTRAINT seals_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE search_entries ADD CONSTRAINT search_entries_world_slug_attempt_id_fkey FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE search_entries ADD CONSTRAINT search_entries_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;
ALTER TABLE search_entries ADD CONSTRAINT search_entries_world_slug_llm_call_id_fkey FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls(world_slug, llm_call_id) DEFERRABLE;
ALTER TABLE search_entries ADD CONSTRAINT search_entries_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE search_progress ADD CONSTRAINT search_progress_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE source_invocations ADD CONSTRAINT source_invocations_parent_fk FOREIGN KEY (world_slug, parent_source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE study_worlds ADD CONSTRAINT study_worlds_scenario_hash_fkey FOREIGN KEY (scenario_hash) REFERENCES scenarios(hash) DEFERRABLE;
ALTER TABLE study_worlds ADD CONSTRAINT study_worlds_study_label_fkey FOREIGN KEY (study_label) REFERENCES studies(study_label) DEFERRABLE;

ALTER TABLE tool_policies ADD CONSTRAINT tool_policies_kind_hash_fkey FOREIGN KEY (kind, hash) REFERENCES components(kind, hash) DEFERRABLE;

ALTER TABLE world_lineage ADD CONSTRAINT world_lineage_ancestor_slug_fkey FOREIGN KEY (ancestor_slug) REFERENCES worlds(world_slug) DEFERRABLE;
ALTER TABLE world_lineage ADD CONSTRAINT world_lineage_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE world_patches ADD CONSTRAINT world_patches_world_slug_source_invocation_id_fkey FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations(world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE world_scenarios ADD CONSTRAINT world_scenarios_scenario_hash_fkey FOREIGN KEY (scenario_hash) REFERENCES scenarios(hash) DEFERRABLE;
ALTER TABLE world_scenarios ADD CONSTRAINT world_scenarios_world_slug_fkey FOREIGN KEY (world_slug) REFERENCES worlds(world_slug) DEFERRABLE;

ALTER TABLE worlds ADD CONSTRAINT worlds_adoptable_attempt_fk FOREIGN KEY (world_slug, adoptable_attempt_id) REFERENCES attempts(world_slug, attempt_id) DEFERRABLE;
ALTER TABLE worlds ADD CONSTRAINT worlds_root_world_slug_fkey FOREIGN KEY (root_world_slug) REFERENCES worlds(world_slug) DEFERRABLE;
ALTER TABLE worlds ADD CONSTRAINT worlds_scenario_hash_fkey FOREIGN KEY (scenario_hash) REFERENCES scenarios(hash) DEFERRABLE;

CREATE VIEW attempt_timeline_events AS
 SELECT events.world_slug,
    events.attempt_id,
    events.event_id,
    events.event_kind,
    events.occurred_at,
    events.source_invocation_id,
    calls.workflow_hash AS cognition_workflow_hash,
    events.workflow_node_id,
    events.workflow_subject_entity_id,
    (NULL::integer)::positive_int AS patch_seq,
    events.details
   FROM (attempt_events events
     LEFT JOIN source_invocations calls ON ((((calls.world_slug)::text = (events.world_slug)::text) AND (calls.source_invocation_id = events.source_invocation_id))))
UNION ALL
 SELECT source_invocations.world_slug,
    source_invocations.attempt_id,
    source_invocations.started_event_id AS event_id,
    'call_started'::timeline_event_kind AS event_kind,
    source_invocations.started_at AS occurred_at,
    source_invocations.source_invocation_id,
    source_invocations.workflow_hash AS cognition_workflow_hash,
    source_invocations.workflow_node_id,
    source_invocations.workflow_subject_entity_id,
    NULL::integer AS patch_seq,
    '{}'::json AS details
   FROM source_invocations
  WHERE (source_invocations.started_event_id IS NOT NULL)
UNION ALL
 SELECT source_invocations.world_slug,
    source_invocations.attempt_id,
    source_invocations.ended_event_id AS event_id,
        CASE
            WHEN (source_invocations.status = 'succeeded'::source_invocation_status) THEN 'call_answered'::timeline_event_kind
            WHEN source_invocations.refused THEN 'call_refused'::timeline_event_kind
            ELSE 'call_failed'::timeline_event_kind
        END AS event_kind,
        CASE
            WHEN (source_invocations.started_event_id IS NULL) THEN source_invocations.started_at
            ELSE source_invocations.ended_at
        END AS occurred_at,
    source_invocations.source_invocation_id,
    source_invocations.workflow_hash AS cognition_workflow_hash,
    source_invocations.workflow_node_id,
    source_invocations.workflow_subject_entity_id,
    NULL::integer AS patch_seq,
    '{}'::json AS details
   FROM source_invocations
  WHERE (source_invocations.ended_event_id IS NOT NULL)
UNION ALL
 SELECT attempts.world_slug,
    attempts.attempt_id,
    0 AS event_id,
    'attempt_began'::timeline_event_kind AS event_kind,
    attempts.started_at AS occurred_at,
    NULL::uuid AS source_invocation_id,
    NULL::text AS cognition_workflow_hash,
    NULL::text AS workflow_node_id,
    NULL::text AS workflow_subject_entity_id,
    NULL::integer AS patch_seq,
        CASE
            WHEN (attempts.adopts IS NULL) THEN '{}'::json
            ELSE json_build_object('adopts', attempts.adopts, 'calls', ( SELECT count(*) AS count
               FROM adopted_calls
              WHERE (((adopted_calls.world_slug)::text = (attempts.world_slug)::text) AND (adopted_calls.attempt_id = attempts.attempt_id))))
        END AS details
   FROM attempts
UNION ALL
 SELECT patches.world_slug,
    turns.attempt_id,
    ('9223372036000000000'::bigint + (patches.patch_seq)::integer) AS event_id,
    'patch_applied'::timeline_event_kind AS event_kind,
    turns.committed_at AS occurred_at,
    patches.source_invocation_id,
    calls.workflow_hash AS cognition_workflow_hash,
    patches.workflow_node_id,
    patches.workflow_subject_entity_id,
    patches.patch_seq,
    json_build_object('touched_entities', patches.touched_entities) AS details
   FROM ((turns
     JOIN world_patches patches USING (world_slug, turn))
     JOIN source_invocations calls ON ((((calls.world_slug)::text = (patches.world_slug)::text) AND (calls.source_invocation_id = patches.source_invocation_id))))
UNION ALL
 SELECT turns.world_slug,
    turns.attempt_id,
    '9223372036854775807'::bigint AS event_id,
    'turn_committed'::timeline_event_kind AS event_kind,
    turns.committed_at AS occurred_at,
    NULL::uuid AS source_invocation_id,
    NULL::text AS cognition_workflow_hash,
    NULL::text AS workflow_node_id,
    NULL::text AS workflow_subject_entity_id,
    NULL::integer AS patch_seq,
    json_build_object('turn', turns.turn, 'patches', ( SELECT count(*) AS count
           FROM world_patches
          WHERE (((world_patches.world_slug)::text = (turns.world_slug)::text) AND (world_patches.turn = (turns.turn)::bigint)))) AS details
   FROM turns
  WHERE (turns.attempt_id IS NOT NULL);

CREATE VIEW llm_conversation_messages AS
 SELECT DISTINCT calls.world_slug,
    calls.attempt_id,
    llm_calls.conversation,
    ((((llm_calls.message_count)::integer - cardinality(llm_calls.new_messages)) + listed.place))::integer AS "position",
    listed.message_hash
   FROM ((source_invocations calls
     JOIN llm_calls USING (world_slug, llm_call_id))
     CROSS JOIN LATERAL unnest(llm_calls.new_messages) WITH ORDINALITY listed(message_hash, place));

CREATE VIEW llm_message_pieces AS
 SELECT llm_messages.message_hash,
    pieces."position",
    pieces.origin,
    COALESCE(pieces.text, llm_segments.text) AS text,
    pieces.comes_from
   FROM ((llm_messages
     CROSS JOIN LATERAL UNNEST(llm_messages.origins, llm_messages.texts, llm_messages.segment_hashes, llm_messages.segment_origins) WITH ORDINALITY pieces(origin, text, segment_hash, comes_from, "position"))
     LEFT JOIN llm_segments USING (segment_hash));

CREATE VIEW llm_streams AS
 SELECT llm_chunks.world_slug,
    llm_chunks.llm_call_id,
    (llm_chunks.batch_seq)::integer AS batch_seq,
    llm_chunks.text,
    llm_chunks.pieces,
    llm_chunks.event_id
   FROM llm_chunks
UNION ALL
 SELECT llm_calls.world_slug,
    llm_calls.llm_call_id,
    2147483646 AS batch_seq,
    llm_calls.last_text AS text,
    llm_calls.last_pieces AS pieces,
    NULL::bigint AS event_id
   FROM llm_calls
  WHERE (llm_calls.last_text IS NOT NULL);

CREATE VIEW patch_effects AS
 SELECT world_patches.world_slug,
    world_patches.turn,
    world_patches.patch_seq,
    "row".effect_index,
    "row".op,
    "row".entity_id,
    "row".environment_label,
    "row".state_before,
    "row".state_after,
    "row".sources
   FROM world_patches,
    LATERAL json_to_recordset(world_patches.effects) "row"(effect_index integer, op effect_operation, entity_id text, environment_label text, state_before text, state_after text, sources json);

CREATE VIEW world_audit_events AS
 SELECT entries.world_slug,
    entries.audit_entry_id AS audit_event_id,
    entries.audit_kind,
    entries.attempt_id,
    attempts.attempted_turn,
    entries.occurred_at,
    entries.source_invocation_id,
    calls.llm_call_id,
    calls.workflow_hash AS cognition_workflow_hash,
    calls.source_hash AS response_source_hash,
    calls.workflow_node_id,
    calls.workflow_subject_entity_id,
    (NULL::integer)::positive_int AS patch_seq,
    entries.attempt_number,
    entries.raw_response,
    entries.rejection,
    entries.details
   FROM ((audit_entries entries
     JOIN attempts USING (world_slug, attempt_id))
     LEFT JOIN source_invocations calls ON ((((calls.world_slug)::text = (entries.world_slug)::text) AND (calls.source_invocation_id = entries.source_invocation_id))))
UNION ALL
 SELECT events.world_slug,
    events.event_id AS audit_event_id,
    (
        CASE events.event_kind
            WHEN 'turn_committed'::timeline_event_kind THEN 'turn_complete'::text
            WHEN 'attempt_interrupted'::timeline_event_kind THEN 'attempt_failed'::text
            ELSE (events.event_kind)::text
        END)::audit_kind AS audit_kind,
    events.attempt_id,
    attempts.attempted_turn,
    events.occurred_at,
    events.source_invocation_id,
    calls.llm_call_id,
    calls.workflow_hash AS cognition_workflow_hash,
    calls.source_hash AS response_source_hash,
    events.workflow_node_id,
    events.workflow_subject_entity_id,
    events.patch_seq,
    NULL::integer AS attempt_number,
    NULL::bytea AS raw_response,
    NULL::text AS rejection,
    events.details
   FROM ((attempt_timeline_events events
     JOIN attempts USING (world_slug, attempt_id))
     LEFT JOIN source_invocations calls ON ((((calls.world_slug)::text = (events.world_slug)::text) AND (calls.source_invocation_id = events.source_invocation_id))))
  WHERE (events.event_kind = ANY (ARRAY['patch_applied'::timeline_event_kind, 'turn_committed'::timeline_event_kind, 'attempt_failed'::timeline_event_kind, 'attempt_interrupted'::timeline_event_kind, 'call_settled'::timeline_event_kind]));

CREATE INDEX agent_inbox_agent_turn_id_idx ON public.agent_inbox USING btree (agent_turn_id) WHERE ((message_type = 'turn'::inbox_message_type) AND (agent_turn_id IS NOT NULL));
CREATE UNIQUE INDEX agent_inbox_agent_turn_idx ON public.agent_inbox USING btree (world_slug, agent_id) WHERE ((message_type = 'turn'::inbox_message_type) AND (agent_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::inbox_status, 'deferred'::inbox_status])));
CREATE INDEX agent_inbox_attempt_idx ON public.agent_inbox USING btree (world_slug, attempt_id) WHERE ((status = ANY (ARRAY['pending'::inbox_status, 'deferred'::inbox_status])) AND (attempt_id IS NOT NULL));
CREATE UNIQUE INDEX agent_inbox_correlation_idx ON public.agent_inbox USING btree (world_slug, correlation_id) WHERE (correlation_id IS NOT NULL);
CREATE INDEX agent_inbox_due_idx ON public.agent_inbox USING btree (next_retry_at, inbox_id) WHERE (status = ANY (ARRAY['pending'::inbox_status, 'deferred'::inbox_status]));
CREATE INDEX agent_inbox_queue_idx ON public.agent_inbox USING btree (world_slug, inbox_id) WHERE ((status = 'queued'::inbox_status) AND (agent_id IS NULL));
CREATE UNIQUE INDEX agent_inbox_turn_idx ON public.agent_inbox USING btree (world_slug) WHERE ((message_type = 'turn'::inbox_message_type) AND (agent_id IS NULL) AND (status = ANY (ARRAY['pending'::inbox_status, 'deferred'::inbox_status])));

CREATE INDEX approvals_waiting_idx ON public.approvals USING btree (deadline) WHERE (status = 'waiting'::approval_status);

CREATE UNIQUE INDEX attempts_adopts_idx ON public.attempts USING btree (world_slug, adopts) WHERE (adopts IS NOT NULL);
CREATE UNIQUE INDEX attempts_open_idx ON public.attempts USING btree (world_slug) WHERE (status = ANY (ARRAY['running'::attempt_status, 'suspended'::attempt_status]));
CREATE INDEX attempts_session_idx ON public.attempts USING btree (upper("left"(encode(sha256(decode(replace((attempt_id)::text, '-'::text, ''::text), 'hex'::text)), 'hex'::text), 8)));

CREATE INDEX audit_entries_attempt_idx ON public.audit_entries USING btree (world_slug, attempt_id);
CREATE INDEX audit_entries_invocation_idx ON public.audit_entries USING btree (world_slug, source_invocation_id) WHERE (source_invocation_id IS NOT NULL);

CREATE INDEX call_settlements_attempt_idx ON public.call_settlements USING btree (world_slug, attempt_id);

CREATE INDEX cognition_profiles_label_idx ON public.cognition_profiles USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX cognition_workflows_label_idx ON public.cognition_workflows USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX component_references_uses_idx ON public.component_references USING btree (to_kind, to_hash);

CREATE UNIQUE INDEX indexed_memories_turn_idx ON public.indexed_memories USING btree (world_slug, entity_id, language, turn, memory_seq);

CREATE INDEX json_schemas_label_idx ON public.json_schemas USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX operator_actions_attempt_idx ON public.operator_actions USING btree (world_slug, attempt_id) WHERE (attempt_id IS NOT NULL);
CREATE INDEX operator_actions_world_idx ON public.operator_actions USING btree (world_slug, action_id);

CREATE INDEX pending_calls_alias_idx ON public.pending_calls USING btree (correlation_alias) WHERE (correlation_alias IS NOT NULL);
CREATE INDEX pending_calls_attempt_idx ON public.pending_calls USING btree (world_slug, attempt_id) WHERE is_awaited;
CREATE INDEX pending_calls_deadline_idx ON public.pending_calls USING btree (deadline) WHERE (is_awaited AND (NOT is_timed_out));

CREATE INDEX prompt_texts_label_idx ON public.prompt_texts USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX response_sources_label_idx ON public.response_sources USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX scenarios_label_idx ON public.scenarios USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX seals_attempt_idx ON public.seals USING btree (world_slug, attempt_id);

CREATE INDEX search_entries_failure_idx ON public.search_entries USING btree (failure_class, attempt_id, world_slug, entry_seq) WHERE (failure_class IS NOT NULL);
CREATE INDEX search_entries_order_idx ON public.search_entries USING btree (attempt_id, world_slug, entry_seq);
CREATE INDEX search_entries_words_idx ON public.search_entries USING gin (words);

CREATE UNIQUE INDEX source_invocations_command_idx ON public.source_invocations USING btree (world_slug, attempt_id, command_key) WHERE (NOT may_be_followed);
CREATE INDEX source_invocations_parent_idx ON public.source_invocations USING btree (world_slug, parent_source_invocation_id) WHERE (parent_source_invocation_id IS NOT NULL);

CREATE UNIQUE INDEX study_worlds_world_slug_idx ON public.study_worlds USING btree (world_slug);

CREATE INDEX tool_policies_label_idx ON public.tool_policies USING btree ("left"(COALESCE((content ->> 'label'::text), (content ->> 'title'::text), (content ->> '$id'::text), "left"(split_part((content ->> 'text'::text), '
'::text, 1), 60), (hash)::text), 200), hash);

CREATE INDEX world_lineage_ancestor_idx ON public.world_lineage USING btree (ancestor_slug);

CREATE INDEX world_scenarios_hash_idx ON public.world_scenarios USING btree (scenario_hash);

CREATE OR REPLACE FUNCTION public.epochs_follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.lease_epoch <= OLD.lease_epoch THEN
        RAISE 'worlds: an epoch only grows' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.name_of_message(role message_role, origins segment_origin[], texts bytea[], segment_hashes sha256_hex[], segment_origins text[] DEFAULT NULL::text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN encode(sha256(convert_to(format('["%s",[%s]]'::text, role, (SELECT string_agg(format('["%s","%s"%s]'::text, pieces.origin, COALESCE((pieces.hash)::text, encode(sha256(pieces.piece), 'hex'::text)), ((',"'::text || pieces.comes_from) || '"'::text)), ','::text ORDER BY pieces.place) AS string_agg FROM UNNEST(name_of_message.origins, name_of_message.texts, name_of_message.segment_hashes, name_of_message.segment_origins) WITH ORDINALITY pieces(origin, piece, hash, comes_from, place))), 'UTF8'::name)), 'hex'::text)
;

CREATE OR REPLACE FUNCTION public.named_uuid(first text, second text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT (((((substr(digits.digits, 1, 12) || '8'::text) || substr(digits.digits, 14, 3)) || substr('89ab'::text, ((((('x'::text || substr(digits.digits, 17, 1)))::bit(4))::integer % 4) + 1), 1)) || substr(digits.digits, 18, 15)))::uuid AS uuid FROM encode(sha256(convert_to((((('["'::text || named_uuid.first) || '","'::text) || named_uuid.second) || '"]'::text), 'UTF8'::name)), 'hex'::text) digits(digits))
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL THEN
        RAISE 'attempts: an attempt that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.status <= 'suspended') <> (NEW.ended_at IS NULL) OR (NEW.status >= 'failed') <> (NEW.failure_class IS NOT NULL) THEN
        RAISE 'attempts: an attempt has an end and a failure as its status says' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_call()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL THEN
        RAISE 'source_invocations: a call that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- Statuses are compared by the order of their type: those of what is under way come first, those of failures last.
    IF (NEW.status <= 'pending') <> (NEW.ended_at IS NULL) OR (NEW.status >= 'failed') <> (NEW.failure_class IS NOT NULL) THEN
        RAISE 'source_invocations: a call has an end and a failure as its status says' USING ERRCODE = 'check_violation';
    END IF;
    -- An index names it. Beside status, so that the beginning and the end of a call with an answer change no indexed value.
    IF NEW.may_be_followed <> (NEW.status = 'interrupted' OR NEW.status = 'failed' AND NOT NEW.answered) THEN
        NEW.may_be_followed := NOT NEW.may_be_followed;
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_generation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF OLD.ended_at IS NOT NULL THEN
        RAISE 'llm_calls: a generation that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_head()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.status = 'idle') <> (NEW.active_agent_turn_id IS NULL) THEN
        RAISE 'agent_state_heads: an agent has a turn unless it is idle' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_message()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.status = 'consumed') <> (NEW.consumed_at IS NOT NULL) OR (NEW.status = 'queued') <> (NEW.next_retry_at IS NULL)
        OR NEW.message_type <> 'turn' AND (NEW.status = 'queued'
            OR NEW.message_type <> 'ui_action' AND num_nulls(NEW.attempt_id, NEW.correlation_id) > 0) THEN
        RAISE 'agent_inbox: a message has moments as its status says, and names what it is about' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.status = 'consumed' AND NEW.message_type <> 'turn' THEN
        NEW.payload := '{}';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.sound_world()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF num_nulls(NEW.lease_attempt_id, NEW.lease_host, NEW.lease_pid, NEW.lease_until) NOT IN (0, 4) THEN
        RAISE 'worlds: a lease is whole' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE OR REPLACE FUNCTION public.turns_follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.turn <> OLD.turn + 1 THEN
        RAISE 'worlds: a turn is followed by the next one' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$function$
;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.adopted_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON public.agent_inbox FOR EACH ROW EXECUTE FUNCTION sound_message();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.agent_inbox FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON public.agent_state_heads FOR EACH ROW EXECUTE FUNCTION sound_head();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.agent_state_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER decision_is_final BEFORE UPDATE ON public.approvals FOR EACH ROW WHEN ((old.status <> 'waiting'::approval_status)) EXECUTE FUNCTION refuse_rewriting('a decision is final');
CREATE TRIGGER question_is_final BEFORE UPDATE OF world_slug, approval_id, attempt_id, command_key, binding_hash, tool_name, source_hash, effect_class, workflow_node_id, workflow_subject_entity_id, request_json, origins, policy_hash, rule, because, asked_at, deadline ON public.approvals FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('what a person is asked is final');
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.assistant_tasks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.attempt_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON public.attempts FOR EACH ROW EXECUTE FUNCTION sound_attempt();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.call_settlements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.cognition_profiles FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.cognition_workflows FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.component_references FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.components FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entity_memories FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entity_states FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.environment_contents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.indexed_memories FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.json_schemas FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER row_is_sound BEFORE UPDATE ON public.llm_calls FOR EACH ROW EXECUTE FUNCTION sound_generation();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.llm_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.llm_chunks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.llm_messages FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.llm_segments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.memory_purges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.offered_schemas FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER outcome_is_final BEFORE UPDATE ON public.operator_actions FOR EACH ROW WHEN ((old.outcome IS NOT NULL)) EXECUTE FUNCTION refuse_rewriting('what came of an action is final');
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.operator_actions FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.pending_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.prompt_texts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.response_sources FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.scenarios FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.search_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON public.source_invocations FOR EACH ROW EXECUTE FUNCTION sound_call();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.source_invocations FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.studies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.study_worlds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.tool_policies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.turns FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.world_lineage FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.world_patches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.world_scenarios FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER epochs_grow BEFORE UPDATE OF lease_epoch ON public.worlds FOR EACH ROW EXECUTE FUNCTION epochs_follow();
CREATE TRIGGER origin_is_final BEFORE UPDATE OF world_slug, root_world_slug, created_at ON public.worlds FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('where a world comes from is final');
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON public.worlds FOR EACH ROW EXECUTE FUNCTION sound_world();
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON public.worlds FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER turns_follow_each_other BEFORE UPDATE OF turn ON public.worlds FOR EACH ROW EXECUTE FUNCTION turns_follow();
