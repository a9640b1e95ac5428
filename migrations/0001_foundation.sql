-- The whole record: documents, worlds, attempts, source calls, conversations with models, audit.
--
-- Tables of a world begin their key with world_slug. What is hashed, or read again to fold a turn, stands in json
-- columns as canonical text (jsonb would reorder members); what a service or a model sent stands in bytea, which
-- takes every byte. Rows that say what happened are append-only, and triggers at the end see to it.

-- Grammars. Lengths are not counted by the patterns, which would cost ten times as much.

CREATE DOMAIN human_id_text AS text COLLATE "C"
    CHECK (length(VALUE) <= 64 AND VALUE ~ '^[a-z0-9]+([_-][a-z0-9]+)*$');

CREATE DOMAIN entity_id_text AS text COLLATE "C"
    CHECK (length(VALUE) <= 256 AND VALUE ~ '^[a-z0-9_-]+([.][a-z0-9_-]+)*$');

CREATE DOMAIN sha256_hex AS text COLLATE "C"
    CHECK (length(VALUE) = 64 AND VALUE !~ '[^0-9a-f]');

CREATE DOMAIN tool_name_text AS text CHECK (length(VALUE) BETWEEN 1 AND 64 AND VALUE !~ '[^A-Za-z0-9_-]');
CREATE DOMAIN tool_call_id_text AS text CHECK (length(VALUE) <= 128);

-- Ranges of single values are domains, too: a session reads the rule of a domain once, and that of a column's own check
-- in every statement that writes the table.
CREATE DOMAIN positive_int AS int CHECK (VALUE >= 1);
CREATE DOMAIN natural_int AS int CHECK (VALUE >= 0);
CREATE DOMAIN positive_bigint AS bigint CHECK (VALUE >= 1);
CREATE DOMAIN natural_bigint AS bigint CHECK (VALUE >= 0);

-- Closed lists

CREATE TYPE component_kind AS ENUM (
    'json_schema', 'response_source', 'cognition_workflow', 'cognition_profile', 'tool_policy', 'scenario'
);
CREATE TYPE attempt_status AS ENUM ('running', 'suspended', 'committed', 'failed', 'interrupted');
CREATE TYPE source_invocation_status AS ENUM ('running', 'pending', 'succeeded', 'failed', 'interrupted');
CREATE TYPE source_invocation_kind AS ENUM (
    'llm_generation', 'ambient_context', 'model_elected_tool', 'node_call', 'quality_gate'
);
CREATE TYPE effect_class AS ENUM ('read_only', 'state_change', 'external_side_effect');
CREATE TYPE validation_status AS ENUM ('valid', 'invalid', 'not_checked');
CREATE TYPE model_output_kind AS ENUM ('tool_call', 'final_patch', 'json_answer', 'invalid');
CREATE TYPE schema_delivery AS ENUM ('response_format', 'response_format_strict', 'prompt');
CREATE TYPE message_role AS ENUM ('system', 'user', 'assistant');
CREATE TYPE segment_origin AS ENUM (
    'author', 'world.projection', 'world', 'subject.rendered', 'subject', 'ambient.visible', 'tools.available',
    'nodes', 'schema', 'model', 'tool_result', 'correction', 'last_lap'
);
CREATE TYPE effect_operation AS ENUM ('set_entity_state', 'append_entity_memory', 'set_environment_content');
CREATE TYPE memory_origin AS ENUM ('scenario', 'patch');
CREATE TYPE timeline_event_kind AS ENUM (
    'attempt_began', 'call_started', 'call_answered', 'call_failed', 'call_refused', 'patch_applied',
    'turn_committed', 'attempt_failed', 'attempt_interrupted'
);
CREATE TYPE audit_kind AS ENUM ('patch_applied', 'generation_rejected', 'turn_complete', 'attempt_failed');

-- Documents, by the hash of their canonical form

CREATE TABLE components (
    kind component_kind NOT NULL,
    hash sha256_hex NOT NULL,
    PRIMARY KEY (kind, hash)
);

CREATE TABLE json_schemas (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('json_schema'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

CREATE TABLE response_sources (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('response_source'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

CREATE TABLE cognition_workflows (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_workflow'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

CREATE TABLE tool_policies (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('tool_policy'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

CREATE TABLE cognition_profiles (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_profile'::component_kind) STORED,
    workflow_hash sha256_hex NOT NULL REFERENCES cognition_workflows (hash),
    tool_policy_hash sha256_hex REFERENCES tool_policies (hash),
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

CREATE TABLE scenarios (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('scenario'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash)
);

-- Which document names which: closures run along it, and `uses` against it.
CREATE TABLE component_references (
    from_kind component_kind NOT NULL,
    from_hash sha256_hex NOT NULL,
    to_kind component_kind NOT NULL,
    to_hash sha256_hex NOT NULL,
    PRIMARY KEY (from_kind, from_hash, to_kind, to_hash),
    FOREIGN KEY (from_kind, from_hash) REFERENCES components (kind, hash),
    FOREIGN KEY (to_kind, to_hash) REFERENCES components (kind, hash)
);
CREATE INDEX component_references_uses_idx ON component_references (to_kind, to_hash);

-- Worlds and their turns

CREATE TABLE worlds (
    world_slug human_id_text PRIMARY KEY,
    -- Forks are kept with the world that they come from in the end.
    root_world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios (hash),
    turn natural_bigint NOT NULL DEFAULT 0,
    lease_epoch natural_bigint NOT NULL DEFAULT 0,
    lease_attempt_id uuid,
    lease_host text,
    lease_pid int,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nulls(lease_attempt_id, lease_host, lease_pid, lease_until) IN (0, 4))
);

-- A fork reads its ancestors' rows up to the turn where it left them.
CREATE TABLE world_lineage (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    ancestor_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    until_turn natural_bigint NOT NULL,
    PRIMARY KEY (world_slug, ancestor_slug),
    CHECK (world_slug <> ancestor_slug)
);
CREATE INDEX world_lineage_ancestor_idx ON world_lineage (ancestor_slug);

CREATE TABLE attempts (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    epoch positive_bigint NOT NULL,
    status attempt_status NOT NULL DEFAULT 'running',
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios (hash),
    renderer_version text NOT NULL,
    plugin_versions json NOT NULL,
    holder_host text NOT NULL,
    holder_pid int NOT NULL,
    failure_class text,
    failure_message text,
    failed_subject_entity_id entity_id_text,
    failed_node_id human_id_text,
    failed_source_invocation_id uuid,
    -- What its calls come to, written when it ends: a call that starts or ends touches its own row only.
    last_source_invocation_id uuid,
    source_invocation_count natural_int NOT NULL DEFAULT 0,
    source_trace_summary json NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (world_slug, attempt_id),
    UNIQUE (world_slug, epoch),
    CHECK ((status IN ('running', 'suspended')) = (ended_at IS NULL)),
    CHECK ((status IN ('failed', 'interrupted')) = (failure_class IS NOT NULL))
);
CREATE INDEX attempts_id_idx ON attempts (attempt_id);
-- One driver at a time, whatever the program believes.
CREATE UNIQUE INDEX attempts_running_idx ON attempts (world_slug) WHERE status = 'running';

ALTER TABLE worlds
    ADD CONSTRAINT worlds_lease_attempt_fk
    FOREIGN KEY (world_slug, lease_attempt_id) REFERENCES attempts (world_slug, attempt_id);

CREATE TABLE turns (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    turn natural_bigint NOT NULL,
    -- The turn at which a world begins has no attempt.
    attempt_id uuid,
    simulation_time timestamptz NOT NULL,
    committed_at timestamptz NOT NULL,
    PRIMARY KEY (world_slug, turn),
    UNIQUE (world_slug, attempt_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id)
);

ALTER TABLE worlds
    ADD CONSTRAINT worlds_head_fk FOREIGN KEY (world_slug, turn) REFERENCES turns (world_slug, turn);

-- Conversations with models: each distinct text once, each distinct message once, each conversation a growing list

CREATE TABLE llm_segments (
    segment_hash sha256_hex PRIMARY KEY,
    text bytea NOT NULL
);

-- A message is a list of pieces, and piece by piece either its text or the hash of a segment: what is short costs more
-- as a row of its own than as a copy. Two messages of equal content made of different pieces are two rows: the hash
-- covers role, origins and pieces.
CREATE TABLE llm_messages (
    message_hash sha256_hex PRIMARY KEY,
    role message_role NOT NULL,
    content_hash sha256_hex NOT NULL,
    origins segment_origin[] NOT NULL,
    texts bytea[] NOT NULL,
    segment_hashes sha256_hex[] NOT NULL,
    CHECK (cardinality(texts) = cardinality(origins) AND cardinality(segment_hashes) = cardinality(origins))
);

CREATE VIEW llm_message_pieces AS
    SELECT message_hash, pieces.position, pieces.origin, coalesce(pieces.text, llm_segments.text) AS text
    FROM llm_messages
        CROSS JOIN unnest(origins, texts, segment_hashes)
            WITH ORDINALITY AS pieces (origin, text, segment_hash, position)
        LEFT JOIN llm_segments USING (segment_hash);

-- Each call of a conversation adds to its end, and names how much of it was sent. The attempt is the one that has the
-- lease, as the statement has made sure which writes the row: it need not be looked up for every message.
CREATE TABLE llm_conversation_messages (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    conversation text NOT NULL,
    position positive_int NOT NULL,
    message_hash sha256_hex NOT NULL REFERENCES llm_messages (message_hash),
    PRIMARY KEY (world_slug, attempt_id, conversation, position)
);

-- Schemas as models are shown them: composed by the engine, so they are no documents.
CREATE TABLE offered_schemas (
    hash sha256_hex PRIMARY KEY,
    name text NOT NULL,
    content json NOT NULL
);

-- Calls to sources

CREATE TABLE source_invocations (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    invocation_seq positive_int NOT NULL,

    -- Where the call stands in the turn, the same in every fold of it; and how often it was performed.
    command_key text NOT NULL,
    performance positive_int NOT NULL DEFAULT 1,
    request_hash sha256_hex NOT NULL,

    workflow_hash sha256_hex REFERENCES cognition_workflows (hash),
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    source_hash sha256_hex NOT NULL REFERENCES response_sources (hash),

    invocation_kind source_invocation_kind NOT NULL,
    effect_class effect_class NOT NULL,
    ambient_source_id human_id_text,
    tool_name tool_name_text,
    tool_call_id tool_call_id_text,
    parent_source_invocation_id uuid,

    input_schema_hash sha256_hex REFERENCES json_schemas (hash),
    output_schema_hash sha256_hex REFERENCES json_schemas (hash),
    -- 'all', or the list of pointers that may be seen.
    redaction json NOT NULL,

    llm_call_id uuid,
    logical_generation_attempt positive_int,
    tool_loop_round natural_int,
    model_output_kind model_output_kind,

    status source_invocation_status NOT NULL DEFAULT 'running',
    -- Beside status, so that the end of a call changes no indexed value and its update stays in its page.
    is_interrupted boolean NOT NULL GENERATED ALWAYS AS (status = 'interrupted') STORED,
    -- A stage before the call said no, and nothing left the process.
    refused boolean NOT NULL DEFAULT false,
    failure_class text,
    failure_detail text,
    failure_message text,

    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    duration_ms natural_bigint,

    request_json json NOT NULL,
    -- The validated answer, whole; of a generation the answer is its chunks.
    response_json json,
    -- The body as it came, where it is not the text of response_json.
    response_body bytea,
    response_headers json NOT NULL DEFAULT '{}',
    http_status int,
    validation_status validation_status NOT NULL DEFAULT 'not_checked',
    metadata json NOT NULL DEFAULT '{}',

    PRIMARY KEY (world_slug, source_invocation_id),
    CONSTRAINT source_invocations_attempt_fk
        FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    CONSTRAINT source_invocations_parent_fk
        FOREIGN KEY (world_slug, parent_source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id),
    CONSTRAINT source_invocations_attempt_seq_idx UNIQUE (world_slug, attempt_id, invocation_seq),
    CONSTRAINT source_invocations_performance_idx UNIQUE (world_slug, attempt_id, command_key, performance),
    CHECK ((status IN ('running', 'pending')) = (ended_at IS NULL)),
    CHECK ((status IN ('failed', 'interrupted')) = (failure_class IS NOT NULL))
);
-- A call is performed again only after an interruption.
CREATE UNIQUE INDEX source_invocations_command_idx
    ON source_invocations (world_slug, attempt_id, command_key) WHERE NOT is_interrupted;
CREATE INDEX source_invocations_id_idx ON source_invocations (source_invocation_id);
CREATE INDEX source_invocations_world_time_idx ON source_invocations (world_slug, started_at DESC);
CREATE INDEX source_invocations_workflow_idx ON source_invocations (workflow_hash);
CREATE INDEX source_invocations_source_idx ON source_invocations (source_hash);
CREATE INDEX source_invocations_kind_idx ON source_invocations (invocation_kind);
CREATE INDEX source_invocations_parent_idx ON source_invocations (world_slug, parent_source_invocation_id)
    WHERE parent_source_invocation_id IS NOT NULL;
CREATE INDEX source_invocations_llm_call_idx ON source_invocations (world_slug, llm_call_id)
    WHERE llm_call_id IS NOT NULL;
CREATE INDEX source_invocations_subject_idx ON source_invocations (world_slug, workflow_subject_entity_id)
    WHERE workflow_subject_entity_id IS NOT NULL;

ALTER TABLE attempts
    ADD CONSTRAINT attempts_last_source_invocation_fk
    FOREIGN KEY (world_slug, last_source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id);
ALTER TABLE attempts
    ADD CONSTRAINT attempts_failed_source_invocation_fk
    FOREIGN KEY (world_slug, failed_source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id);

CREATE TABLE llm_calls (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    source_invocation_id uuid NOT NULL,
    workflow_hash sha256_hex NOT NULL REFERENCES cognition_workflows (hash),
    workflow_node_id human_id_text NOT NULL,
    workflow_subject_entity_id entity_id_text NOT NULL,
    logical_generation_attempt positive_int NOT NULL,
    tool_loop_round natural_int NOT NULL,
    model_output_kind model_output_kind,
    status source_invocation_status NOT NULL DEFAULT 'running',

    model text,
    schema_delivery schema_delivery NOT NULL,
    output_schema_hash sha256_hex NOT NULL REFERENCES offered_schemas (hash),
    -- The first message_count messages of the conversation are what was sent.
    conversation text NOT NULL,
    message_count positive_int NOT NULL,
    prefix_hash sha256_hex NOT NULL,

    normalised_text bytea,
    finish_reason text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    duration_ms natural_bigint,

    PRIMARY KEY (world_slug, llm_call_id),
    UNIQUE (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id)
);
CREATE INDEX llm_calls_id_idx ON llm_calls (llm_call_id);

ALTER TABLE source_invocations
    ADD CONSTRAINT source_invocations_llm_call_fk
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id);

-- What streamed in, one row a flush. All batches together are the raw text, which stands nowhere else.
CREATE TABLE llm_chunks (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    batch_seq positive_int NOT NULL,
    text bytea NOT NULL,
    lengths int[] NOT NULL,
    offsets_ms int[] NOT NULL,
    PRIMARY KEY (world_slug, llm_call_id, batch_seq),
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id),
    CHECK (cardinality(lengths) = cardinality(offsets_ms))
);

-- Artifacts and tokens are written with the end of their call, from its row, which holds that its generation exists.
CREATE TABLE llm_artifacts (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    artifact_seq positive_int NOT NULL,
    kind text NOT NULL,
    value json NOT NULL,
    PRIMARY KEY (world_slug, llm_call_id, artifact_seq)
);

CREATE TABLE llm_token_observations (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    observation_seq positive_int NOT NULL,
    input_tokens natural_bigint NOT NULL,
    output_tokens natural_bigint NOT NULL,
    cached_input_tokens natural_bigint,
    reasoning_tokens natural_bigint,
    observed_at timestamptz NOT NULL,
    PRIMARY KEY (world_slug, llm_call_id, observation_seq)
);

-- What changed a world. Only committed patches stand here; a refused or lost one is an artifact of its call.

CREATE TABLE world_patches (
    world_slug human_id_text NOT NULL,
    turn bigint NOT NULL,
    patch_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    llm_call_id uuid,
    cognition_workflow_hash sha256_hex NOT NULL REFERENCES cognition_workflows (hash),
    response_source_hash sha256_hex NOT NULL REFERENCES response_sources (hash),
    workflow_node_id human_id_text NOT NULL,
    workflow_subject_entity_id entity_id_text NOT NULL,
    patch json NOT NULL,
    touched_entities entity_id_text[] NOT NULL,
    PRIMARY KEY (world_slug, turn, patch_seq),
    UNIQUE (attempt_id, world_slug, patch_seq),
    FOREIGN KEY (world_slug, turn) REFERENCES turns (world_slug, turn),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id)
);

CREATE TABLE patch_effects (
    world_slug human_id_text NOT NULL,
    turn bigint NOT NULL,
    patch_seq int NOT NULL,
    effect_index natural_int NOT NULL,
    op effect_operation NOT NULL,
    entity_id entity_id_text,
    environment_label human_id_text,
    -- What stood there when the effect was applied; memories are appended, so nothing stood.
    state_before text,
    state_after text NOT NULL,
    PRIMARY KEY (world_slug, turn, patch_seq, effect_index),
    FOREIGN KEY (world_slug, turn, patch_seq) REFERENCES world_patches (world_slug, turn, patch_seq),
    CHECK (num_nonnulls(entity_id, environment_label) = 1)
);
CREATE INDEX patch_effects_entity_idx ON patch_effects (world_slug, entity_id, turn) WHERE entity_id IS NOT NULL;

-- The world itself: the latest row at or before a turn holds. Turn 0 is the scenario, with no effect behind it.

CREATE TABLE entity_states (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    turn bigint NOT NULL,
    state text NOT NULL,
    patch_seq int,
    effect_index int,
    PRIMARY KEY (world_slug, entity_id, turn),
    FOREIGN KEY (world_slug, turn) REFERENCES turns (world_slug, turn),
    FOREIGN KEY (world_slug, turn, patch_seq, effect_index)
        REFERENCES patch_effects (world_slug, turn, patch_seq, effect_index),
    CHECK (num_nulls(patch_seq, effect_index) IN (0, 2))
);

CREATE TABLE environment_contents (
    world_slug human_id_text NOT NULL,
    environment_label human_id_text NOT NULL,
    turn bigint NOT NULL,
    content text NOT NULL,
    patch_seq int,
    effect_index int,
    PRIMARY KEY (world_slug, environment_label, turn),
    FOREIGN KEY (world_slug, turn) REFERENCES turns (world_slug, turn),
    FOREIGN KEY (world_slug, turn, patch_seq, effect_index)
        REFERENCES patch_effects (world_slug, turn, patch_seq, effect_index),
    CHECK (num_nulls(patch_seq, effect_index) IN (0, 2))
);

CREATE TABLE entity_memories (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    turn bigint NOT NULL,
    memory_seq positive_int NOT NULL,
    content text NOT NULL,
    origin memory_origin NOT NULL,
    patch_seq int,
    effect_index int,
    PRIMARY KEY (world_slug, entity_id, turn, memory_seq),
    FOREIGN KEY (world_slug, turn) REFERENCES turns (world_slug, turn),
    FOREIGN KEY (world_slug, turn, patch_seq, effect_index)
        REFERENCES patch_effects (world_slug, turn, patch_seq, effect_index),
    CHECK ((origin = 'patch') = (num_nulls(patch_seq, effect_index) = 0))
);

-- What happened, for people: a line an event, and what must be answered for

-- Written from the row of the attempt or of the call that the event is about: the attempt is not looked up once more.
CREATE TABLE attempt_timeline_events (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    -- Numbers of all attempts together: within one they tell the order, and who reads counts from 1.
    event_id bigint GENERATED ALWAYS AS IDENTITY,
    event_kind timeline_event_kind NOT NULL,
    occurred_at timestamptz NOT NULL,
    source_invocation_id uuid,
    cognition_workflow_hash sha256_hex REFERENCES cognition_workflows (hash),
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    patch_seq positive_int,
    details json NOT NULL DEFAULT '{}',
    PRIMARY KEY (world_slug, attempt_id, event_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id)
);

CREATE TABLE world_audit_events (
    world_slug human_id_text NOT NULL,
    audit_event_id bigint GENERATED ALWAYS AS IDENTITY,
    audit_kind audit_kind NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    occurred_at timestamptz NOT NULL,
    source_invocation_id uuid,
    llm_call_id uuid,
    cognition_workflow_hash sha256_hex REFERENCES cognition_workflows (hash),
    response_source_hash sha256_hex REFERENCES response_sources (hash),
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    patch_seq positive_int,
    attempt_number positive_int,
    raw_response bytea,
    rejection text,
    details json NOT NULL DEFAULT '{}',
    PRIMARY KEY (world_slug, audit_event_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id),
    CHECK ((audit_kind = 'generation_rejected') = (num_nulls(attempt_number, raw_response, rejection) = 0)),
    CHECK (audit_kind <> 'patch_applied' OR patch_seq IS NOT NULL)
);
CREATE INDEX world_audit_events_attempt_idx ON world_audit_events (world_slug, attempt_id);
CREATE INDEX world_audit_events_invocation_idx ON world_audit_events (world_slug, source_invocation_id)
    WHERE source_invocation_id IS NOT NULL;

-- Append-only in the database itself

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY[
        'components', 'json_schemas', 'response_sources', 'cognition_workflows', 'tool_policies',
        'cognition_profiles', 'scenarios', 'component_references', 'world_lineage', 'turns',
        'llm_segments', 'llm_messages', 'llm_conversation_messages',
        'offered_schemas', 'llm_chunks', 'llm_artifacts', 'llm_token_observations',
        'world_patches', 'patch_effects', 'entity_states', 'environment_contents', 'entity_memories',
        'attempt_timeline_events', 'world_audit_events'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
            kept);
    END LOOP;
END
$$;
