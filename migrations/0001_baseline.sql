-- The whole record: documents, worlds, attempts, calls of sources, conversations with models, the state of worlds, audit.
--
-- Each table of a world has world_slug in its key. Values that are hashed, or read again when a turn is folded, are canonical text
-- in json columns: jsonb would reorder members. Bytes of a service or a model are bytea, which takes every byte.
--
-- Rows that say what happened are append-only; triggers at the end refuse to change them. A turn writes many rows, so tables have few
-- rules that cost time with each of them:
-- * A session reads the rule of a domain once, and a CHECK of a table in every statement that writes the table. So rules for single
--   values are domains, and rules for rows are functions of triggers, which a session compiles once.
-- * A foreign key is checked for each row. A column has none where the statement that writes the row holds or writes the other row
--   itself, where it is copied from a row that another foreign key demands, and where it names a document, since documents stay.
--   An import checks these references by itself (engine/store/transfer/tables.ts).
-- * Foreign keys are DEFERRABLE, because rows of a world refer to each other in circles: an import writes them table by table, and
--   has them checked at its end.


-- Values. The patterns do not count characters, which would take ten times as long.

CREATE DOMAIN human_id_text AS text COLLATE "C"
    CHECK (length(VALUE) <= 64 AND VALUE ~ '^[a-z0-9]+([_-][a-z0-9]+)*$');
CREATE DOMAIN entity_id_text AS text COLLATE "C"
    CHECK (length(VALUE) <= 256 AND VALUE ~ '^[a-z0-9_-]+([.][a-z0-9_-]+)*$');
CREATE DOMAIN sha256_hex AS text COLLATE "C" CHECK (length(VALUE) = 64 AND VALUE !~ '[^0-9a-f]');
CREATE DOMAIN tool_name_text AS text CHECK (length(VALUE) BETWEEN 1 AND 64 AND VALUE !~ '[^A-Za-z0-9_-]');
CREATE DOMAIN tool_call_id_text AS text CHECK (length(VALUE) <= 128);
CREATE DOMAIN positive_int AS int CHECK (VALUE >= 1);
CREATE DOMAIN natural_int AS int CHECK (VALUE >= 0);
CREATE DOMAIN positive_bigint AS bigint CHECK (VALUE >= 1);
CREATE DOMAIN natural_bigint AS bigint CHECK (VALUE >= 0);

CREATE TYPE component_kind AS ENUM (
    'json_schema', 'response_source', 'cognition_workflow', 'cognition_profile', 'tool_policy', 'scenario', 'prompt_text'
);
-- Statuses are compared by their order: those of what is under way come first, those of failures last.
CREATE TYPE attempt_status AS ENUM ('running', 'suspended', 'committed', 'failed', 'interrupted');
CREATE TYPE source_invocation_status AS ENUM ('running', 'pending', 'succeeded', 'failed', 'interrupted');
CREATE TYPE source_invocation_kind AS ENUM (
    'llm_generation', 'ambient_context', 'model_elected_tool', 'node_call', 'quality_gate'
);
CREATE TYPE effect_class AS ENUM ('read_only', 'state_change', 'external_side_effect');
CREATE TYPE validation_status AS ENUM ('valid', 'invalid', 'not_checked');
CREATE TYPE model_output_kind AS ENUM ('tool_call', 'final_patch', 'json_answer', 'invalid');
CREATE TYPE schema_delivery AS ENUM ('response_format', 'json_object', 'prompt');
CREATE TYPE message_role AS ENUM ('system', 'user', 'assistant');
CREATE TYPE segment_origin AS ENUM (
    'author', 'world.projection', 'world', 'subject.rendered', 'subject', 'ambient.visible', 'tools.available', 'nodes',
    'schema', 'model', 'tool_result', 'correction', 'last_lap', 'world.recent_events'
);
CREATE TYPE effect_operation AS ENUM ('set_entity_state', 'append_entity_memory', 'set_environment_content');
CREATE TYPE memory_origin AS ENUM ('scenario', 'patch');
CREATE TYPE timeline_event_kind AS ENUM (
    'attempt_began', 'call_started', 'call_answered', 'call_failed', 'call_refused', 'patch_applied', 'turn_committed',
    'attempt_failed', 'attempt_interrupted', 'attempt_continued', 'attempt_handed_over', 'call_interrupted', 'call_settled',
    'call_pended', 'attempt_suspended', 'call_superseded'
);
CREATE TYPE audit_kind AS ENUM (
    'patch_applied', 'generation_rejected', 'turn_complete', 'attempt_failed', 'call_settled', 'attempt_set_aside'
);
CREATE TYPE inbox_message_type AS ENUM ('turn', 'tool_result', 'timeout', 'stop', 'ui_action');
CREATE TYPE inbox_status AS ENUM ('queued', 'pending', 'deferred', 'consumed');
CREATE TYPE agent_status AS ENUM ('idle', 'dispatched', 'running', 'suspended');
CREATE TYPE operator_action AS ENUM (
    'run_turns', 'take_back_turns', 'stop_attempt', 'fork_world', 'settle_call', 'report_call', 'see_unredacted'
);
CREATE TYPE action_surface AS ENUM ('command_line', 'http', 'browser');
CREATE TYPE search_kind AS ENUM ('narration', 'state', 'prompt', 'answer', 'result');


-- Documents, stored by the SHA-256 of their canonical text. A row holds the content that its hash names, whoever writes it.

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
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE response_sources (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('response_source'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE prompt_texts (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('prompt_text'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE cognition_workflows (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_workflow'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE tool_policies (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('tool_policy'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE cognition_profiles (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('cognition_profile'::component_kind) STORED,
    workflow_hash sha256_hex NOT NULL REFERENCES cognition_workflows DEFERRABLE,
    tool_policy_hash sha256_hex REFERENCES tool_policies DEFERRABLE,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

CREATE TABLE scenarios (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL GENERATED ALWAYS AS ('scenario'::component_kind) STORED,
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components DEFERRABLE,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

-- Lists of documents are in the order of their labels.
DO $$
DECLARE
    documents text;
BEGIN
    FOREACH documents IN ARRAY ARRAY['cognition_profiles', 'cognition_workflows', 'json_schemas', 'prompt_texts',
        'response_sources', 'scenarios', 'tool_policies'] LOOP
        EXECUTE format($index$CREATE INDEX %I ON %I ((left(coalesce(content->>'label', content->>'title', content->>'$id',
            left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash)$index$,
            documents || '_label_idx', documents);
    END LOOP;
END
$$;

-- The hashes that each document names. Closures follow them forwards, and `uses` follows them backwards.
CREATE TABLE component_references (
    from_kind component_kind NOT NULL,
    from_hash sha256_hex NOT NULL,
    to_kind component_kind NOT NULL,
    to_hash sha256_hex NOT NULL,
    PRIMARY KEY (from_kind, from_hash, to_kind, to_hash),
    FOREIGN KEY (from_kind, from_hash) REFERENCES components DEFERRABLE,
    FOREIGN KEY (to_kind, to_hash) REFERENCES components DEFERRABLE
);
CREATE INDEX component_references_uses_idx ON component_references (to_kind, to_hash);


-- Worlds

CREATE TABLE worlds (
    world_slug human_id_text PRIMARY KEY,
    -- Its first ancestor; of a world that is no fork, the world itself.
    root_world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios DEFERRABLE,
    turn natural_bigint NOT NULL DEFAULT 0,
    lease_epoch natural_bigint NOT NULL DEFAULT 0,
    lease_attempt_id uuid,
    lease_host text,
    lease_pid int,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- A failed attempt with calls that the next attempt adopts, or with a call in doubt.
    adoptable_attempt_id uuid,
    -- A random part of the client request ids of its calls. A world that is deleted and made again, one of the same name in another
    -- database and a fork ask services under ids of their own. An import keeps the part, because it continues the world.
    request_mark text NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12)
        CHECK (request_mark ~ '^[0-9a-f]{12}$')
);

-- A fork reads the rows of its ancestors, up to the last turn that it shares with each.
CREATE TABLE world_lineage (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    ancestor_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    until_turn natural_bigint NOT NULL,
    PRIMARY KEY (world_slug, ancestor_slug),
    CHECK (world_slug <> ancestor_slug)
);
CREATE INDEX world_lineage_ancestor_idx ON world_lineage (ancestor_slug);

-- The scenarios of a world: a world may go on with edited documents.
CREATE TABLE world_scenarios (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    scenario_seq positive_int NOT NULL,
    -- The first turn that is played by it, unless another scenario follows before.
    from_turn positive_bigint NOT NULL,
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios DEFERRABLE,
    chosen_at timestamptz NOT NULL,
    -- The files that it was read from, with their digests. They belong to one machine, and are not exported.
    files json,
    PRIMARY KEY (world_slug, scenario_seq)
);
CREATE INDEX world_scenarios_hash_idx ON world_scenarios (scenario_hash);


-- Calls of sources

-- The end of a call finds room on the page of its start, and changes no indexed value: so it touches no index.
CREATE TABLE source_invocations (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    invocation_seq positive_int NOT NULL,

    -- The place of the call in its turn, the same in every fold of it; and which performance of it this is.
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
    -- 'all', or the list of pointers to values that may be seen.
    redaction json NOT NULL,

    llm_call_id uuid,
    logical_generation_attempt positive_int,
    tool_loop_round natural_int,
    model_output_kind model_output_kind,

    status source_invocation_status NOT NULL DEFAULT 'running',
    -- A stage before the call refused it, and nothing left the process.
    refused boolean NOT NULL DEFAULT false,
    failure_class text,
    failure_detail text,
    failure_message text,

    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    duration_ms natural_bigint,

    -- The request of a generation is on its row in llm_calls.
    request_json json,
    -- The validated answer, whole. The answer of a generation is its stream.
    response_json json,
    -- The body as it came, where it is not the text of response_json.
    response_body bytea,
    response_headers json NOT NULL DEFAULT '{}',
    http_status int,
    validation_status validation_status NOT NULL DEFAULT 'not_checked',

    -- An answer arrived and the turn read it, even if its content was unusable and the status is failed.
    answered boolean NOT NULL DEFAULT false,
    -- How long a later answer may take; null where none may come later.
    pending_deadline_ms positive_bigint,

    -- The places of its start and its end among the events of its attempt. A refused call has no start. Nobody saw the end of an
    -- interrupted one, so that is an event of its own.
    started_event_id bigint,
    ended_event_id bigint,

    -- The call has a side effect, but its service performs it once however often it is sent: it may be sent again.
    repeatable boolean NOT NULL DEFAULT false,
    -- The call failed, may have had its side effect all the same, and may not be made again. Of an interrupted one the status says so.
    outcome_unknown boolean NOT NULL DEFAULT false,
    -- How long the service asked to be left alone, from the end of the call on.
    retry_after_ms natural_bigint,
    -- Whether the call may be performed again. A column of its own beside status, and set by a trigger: the beginning and the end of
    -- a call with an answer change no indexed value.
    may_be_followed boolean NOT NULL DEFAULT false,

    CONSTRAINT source_invocations_attempt_seq_idx UNIQUE (world_slug, attempt_id, invocation_seq),
    CONSTRAINT source_invocations_performance_idx UNIQUE (world_slug, attempt_id, command_key, performance)
) WITH (fillfactor = 90);
CREATE INDEX source_invocations_parent_idx ON source_invocations (world_slug, parent_source_invocation_id)
    WHERE parent_source_invocation_id IS NOT NULL;
-- A call is performed again only after a performance without an end or without an answer.
CREATE UNIQUE INDEX source_invocations_command_idx ON source_invocations (world_slug, attempt_id, command_key)
    WHERE NOT may_be_followed;

-- Here and below, a key begins with the id, so that one index finds a row by its id with and without its world. It is made last,
-- because a session that plans while tables are empty takes the newest of the indexes that seem to find one row, and keeps that plan
-- until the rows are counted.
ALTER TABLE source_invocations
    ADD PRIMARY KEY (source_invocation_id, world_slug),
    ADD CONSTRAINT source_invocations_parent_fk FOREIGN KEY (world_slug, parent_source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;


-- Attempts, and the work that they do

-- What happened in an attempt, except the start and the end of calls, the beginning of the attempt, its patches and its turn: these
-- follow from other rows, and the view attempt_timeline_events adds them. An event is written from the row of its attempt or its call,
-- so the attempt needs no foreign key. Node and subject may be known where there is no call.
CREATE TABLE attempt_events (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    -- All attempts share the numbers. Within one attempt they give the order, and readers count from 1. A statement that writes calls
    -- draws one number for all of them, and may use the fifteen after it.
    event_id bigint GENERATED ALWAYS AS IDENTITY (INCREMENT BY 16),
    event_kind timeline_event_kind NOT NULL,
    occurred_at timestamptz NOT NULL,
    source_invocation_id uuid,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    details json NOT NULL DEFAULT '{}',
    PRIMARY KEY (world_slug, attempt_id, event_id),
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE
);

CREATE TABLE attempts (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    attempted_turn positive_bigint NOT NULL,
    epoch positive_bigint NOT NULL,
    status attempt_status NOT NULL DEFAULT 'running',
    scenario_hash sha256_hex NOT NULL,
    renderer_version text NOT NULL,
    plugin_versions json NOT NULL,
    holder_host text NOT NULL,
    holder_pid int NOT NULL,
    failure_class text,
    failure_message text,
    failed_subject_entity_id entity_id_text,
    failed_node_id human_id_text,
    failed_source_invocation_id uuid,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- How many drivers died and left it.
    take_overs natural_int NOT NULL DEFAULT 0,
    -- Its driver gave the lease back in good order, for the next one to go on.
    handed_over boolean NOT NULL DEFAULT false,
    -- The earlier attempt whose calls answer commands of this one.
    adopts uuid,
    -- The message that asked for it; null where a person ran it directly.
    inbox_id uuid,
    -- While it is suspended: when it has to go on, answered or not.
    resume_deadline timestamptz,
    -- The cause of its failure may pass by itself.
    is_transient boolean NOT NULL DEFAULT false,
    -- The place of its beginning among the events of all attempts, for streams.
    began_event_id bigint DEFAULT nextval('attempt_events_event_id_seq'),
    UNIQUE (world_slug, epoch),
    CONSTRAINT attempts_failed_source_invocation_fk FOREIGN KEY (world_slug, failed_source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE
);
-- One attempt of a world is open at a time, whatever the program believes.
CREATE UNIQUE INDEX attempts_open_idx ON attempts (world_slug) WHERE status IN ('running', 'suspended');
CREATE UNIQUE INDEX attempts_adopts_idx ON attempts (world_slug, adopts) WHERE adopts IS NOT NULL;
ALTER TABLE attempts
    ADD PRIMARY KEY (attempt_id, world_slug),
    ADD CONSTRAINT attempts_adopts_fk
        FOREIGN KEY (world_slug, adopts) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;

ALTER TABLE worlds ADD CONSTRAINT worlds_adoptable_attempt_fk
    FOREIGN KEY (world_slug, adoptable_attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;

-- Rejected answers and attempts that were set aside. The view world_audit_events adds what other rows say of patches, turns, failures
-- and settlements.
CREATE TABLE audit_entries (
    world_slug human_id_text NOT NULL,
    audit_entry_id bigint NOT NULL DEFAULT nextval('attempt_events_event_id_seq'),
    audit_kind audit_kind NOT NULL,
    attempt_id uuid NOT NULL,
    occurred_at timestamptz NOT NULL,
    source_invocation_id uuid,
    attempt_number positive_int,
    raw_response bytea,
    rejection text,
    details json NOT NULL DEFAULT '{}',
    PRIMARY KEY (world_slug, audit_entry_id),
    CONSTRAINT audit_entries_attempt_fkey
        FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    CONSTRAINT audit_entries_source_invocation_fkey FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    CONSTRAINT audit_entries_kind_check CHECK (audit_kind IN ('generation_rejected', 'attempt_set_aside')),
    CONSTRAINT audit_entries_rejection_check
        CHECK ((audit_kind = 'generation_rejected') = (num_nulls(attempt_number, raw_response, rejection) = 0))
);
CREATE INDEX audit_entries_attempt_idx ON audit_entries (world_slug, attempt_id);
CREATE INDEX audit_entries_invocation_idx ON audit_entries (world_slug, source_invocation_id)
    WHERE source_invocation_id IS NOT NULL;

-- The work: turns that worlds wait for, and messages to attempts that wait. This table is the truth; a doorbell only tells workers to
-- look sooner.
CREATE TABLE agent_inbox (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    -- Ordered by time: the queue is in the order of these ids.
    inbox_id uuid NOT NULL,
    -- Null for the world itself.
    agent_id entity_id_text,
    message_type inbox_message_type NOT NULL,
    status inbox_status NOT NULL,
    -- Of a turn: the attempt that plays it. Of every other message: the attempt that receives it.
    attempt_id uuid,
    agent_turn_id uuid,
    turn_epoch positive_bigint,
    -- The call that is answered or has run out of time; of a stop, the attempt.
    correlation_id uuid,
    payload json NOT NULL DEFAULT '{}',
    retry_count natural_int NOT NULL DEFAULT 0,
    -- Nobody claims the message before this moment. It is infinite while an attempt plays the turn, and for the turns of agents, which
    -- no worker claims; and a little ahead while somebody is about to begin.
    next_retry_at timestamptz,
    defer_reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    consumed_at timestamptz,
    -- How many attempts at this turn have failed for a cause that may pass by itself.
    transient_failures natural_int NOT NULL DEFAULT 0,
    PRIMARY KEY (world_slug, inbox_id),
    CONSTRAINT agent_inbox_attempt_fk
        FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE
);
-- One turn of each world can be claimed at a time. So claims look at as many rows as there are worlds, however many turns wait.
CREATE UNIQUE INDEX agent_inbox_turn_idx ON agent_inbox (world_slug)
    WHERE message_type = 'turn' AND agent_id IS NULL AND status IN ('pending', 'deferred');
CREATE UNIQUE INDEX agent_inbox_agent_turn_idx ON agent_inbox (world_slug, agent_id)
    WHERE message_type = 'turn' AND agent_id IS NOT NULL AND status IN ('pending', 'deferred');
CREATE INDEX agent_inbox_queue_idx ON agent_inbox (world_slug, inbox_id) WHERE status = 'queued' AND agent_id IS NULL;
CREATE INDEX agent_inbox_attempt_idx ON agent_inbox (world_slug, attempt_id)
    WHERE status IN ('pending', 'deferred') AND attempt_id IS NOT NULL;
-- One message says how a call ended: a report, or that its time has run out. This index alone decides which of them counts. A report
-- replaces a timeout that no driver has read yet, and is late afterwards.
CREATE UNIQUE INDEX agent_inbox_correlation_idx ON agent_inbox (world_slug, correlation_id)
    WHERE correlation_id IS NOT NULL;
CREATE INDEX agent_inbox_agent_turn_id_idx ON agent_inbox (agent_turn_id)
    WHERE message_type = 'turn' AND agent_turn_id IS NOT NULL;
CREATE INDEX agent_inbox_due_idx ON agent_inbox (next_retry_at, inbox_id) WHERE status IN ('pending', 'deferred');

ALTER TABLE attempts ADD CONSTRAINT attempts_inbox_fk
    FOREIGN KEY (world_slug, inbox_id) REFERENCES agent_inbox (world_slug, inbox_id) DEFERRABLE;

-- The state of each agent. What its subjects do as agents is folded from the record, and stored nowhere.
CREATE TABLE agent_state_heads (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    agent_id entity_id_text NOT NULL,
    status agent_status NOT NULL DEFAULT 'idle',
    turn_epoch natural_bigint NOT NULL DEFAULT 0,
    active_agent_turn_id uuid,
    PRIMARY KEY (world_slug, agent_id)
) WITH (fillfactor = 70);


-- Calls beyond their attempt

-- Calls that are answered later. They are beside the calls, whose rows are written often and looked up by what never changes.
CREATE TABLE pending_calls (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    -- The name that the service gave to the call.
    correlation_alias text CHECK (length(correlation_alias) BETWEEN 1 AND 256),
    pended_at timestamptz NOT NULL,
    deadline timestamptz NOT NULL,
    -- The service's answer when it accepted the call.
    accepted_body bytea,
    is_awaited boolean NOT NULL DEFAULT true,
    -- The attempt has been told that the time has run out.
    is_timed_out boolean NOT NULL DEFAULT false,
    PRIMARY KEY (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE
);
-- A service should give each name once. One that has lost its state gives names twice, so a name is looked up among all calls.
CREATE INDEX pending_calls_alias_idx ON pending_calls (correlation_alias) WHERE correlation_alias IS NOT NULL;
CREATE INDEX pending_calls_deadline_idx ON pending_calls (deadline) WHERE is_awaited AND NOT is_timed_out;
CREATE INDEX pending_calls_attempt_idx ON pending_calls (world_slug, attempt_id) WHERE is_awaited;

-- What a person found out about a call with a side effect whose end nobody saw.
CREATE TABLE call_settlements (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    performed boolean NOT NULL,
    -- The answer, where it was performed.
    response_json json,
    settled_at timestamptz NOT NULL,
    PRIMARY KEY (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    CHECK (performed = (response_json IS NOT NULL))
);
CREATE INDEX call_settlements_attempt_idx ON call_settlements (world_slug, attempt_id);

-- Calls of earlier attempts that answer commands of an attempt: chosen when it begins, and the same ever after.
CREATE TABLE adopted_calls (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    PRIMARY KEY (world_slug, attempt_id, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE
);


-- Conversations with models: each text once, each message once, and each conversation a growing list of messages

CREATE TABLE llm_segments (
    segment_hash sha256_hex PRIMARY KEY,
    text bytea NOT NULL,
    CONSTRAINT named_by_content CHECK (segment_hash = encode(sha256(text), 'hex'))
);

-- `format` puts no setting of the session into its text. A function in standard SQL is bound when it is made, so no function of the
-- session's search path is called in place of another.
CREATE FUNCTION name_of_message(role message_role, origins segment_origin[], texts bytea[], segment_hashes sha256_hex[])
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(format('["%s",[%s]]', role, (
        SELECT string_agg(format('["%s","%s"]', origin, coalesce(hash, encode(sha256(piece), 'hex'))), ',' ORDER BY place)
        FROM unnest(origins, texts, segment_hashes) WITH ORDINALITY AS pieces (origin, piece, hash, place))), 'UTF8')), 'hex');

-- A message is a list of pieces. Each piece is either its text or the hash of a segment: a short text costs more as a row than as a
-- copy. The hash covers role, origins and pieces, so two messages of equal content and different pieces are two rows.
CREATE TABLE llm_messages (
    message_hash sha256_hex PRIMARY KEY,
    role message_role NOT NULL,
    content_hash sha256_hex NOT NULL,
    origins segment_origin[] NOT NULL,
    texts bytea[] NOT NULL,
    segment_hashes sha256_hex[] NOT NULL,
    CONSTRAINT named_by_content CHECK (
        cardinality(origins) = cardinality(texts) AND cardinality(origins) = cardinality(segment_hashes)
        AND message_hash = name_of_message(role, origins, texts, segment_hashes))
);

-- Schemas of answers as models are shown them. The engine composes them, so they are no documents.
CREATE TABLE offered_schemas (
    hash sha256_hex PRIMARY KEY,
    name text NOT NULL,
    content json NOT NULL,
    CONSTRAINT named_by_content CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
);

-- An update writes what follows the first changed column of a row to the log. So columns that the end of a generation writes are last.
CREATE TABLE llm_calls (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    model text,
    schema_delivery schema_delivery NOT NULL,
    output_schema_hash sha256_hex NOT NULL,
    -- What was sent are the first message_count messages of the conversation.
    conversation text NOT NULL,
    message_count positive_int NOT NULL,
    prefix_hash sha256_hex NOT NULL,
    started_at timestamptz NOT NULL,
    -- The endpoint to which it was sent.
    endpoint_origin text,
    -- The schema as it was sent, without the rules that servers refuse.
    delivered_schema_hash sha256_hex,
    -- Hashes of the messages that no earlier generation of the conversation lists, up to the message_count-th.
    new_messages sha256_hex[] NOT NULL DEFAULT '{}',

    status source_invocation_status NOT NULL DEFAULT 'running',
    ended_at timestamptz,
    finish_reason text,
    input_tokens natural_bigint,
    output_tokens natural_bigint,
    cached_input_tokens natural_bigint,
    reasoning_tokens natural_bigint,
    -- The text that was judged; null where it is the streamed text.
    normalised_text bytea,
    -- What the plugin and the verdict say of it, as canonical JSON.
    artifacts json NOT NULL DEFAULT '[]',
    -- What streamed in after the last flush: this row is written at the end anyway.
    last_text bytea,
    last_pieces bytea,

    UNIQUE (world_slug, source_invocation_id)
);
ALTER TABLE llm_calls ADD PRIMARY KEY (llm_call_id, world_slug);

-- The streamed text, one row a flush.
CREATE TABLE llm_chunks (
    world_slug human_id_text NOT NULL,
    llm_call_id uuid NOT NULL,
    batch_seq positive_int NOT NULL,
    text bytea NOT NULL,
    -- Its place among the events of its attempt: several generations may stream at once.
    event_id bigint,
    -- Of each piece its bytes and the milliseconds since the piece before, as numbers of 7 bits a byte (LEB128).
    pieces bytea NOT NULL,
    PRIMARY KEY (world_slug, llm_call_id, batch_seq)
);


-- Turns, and the state of worlds

CREATE TABLE turns (
    world_slug human_id_text NOT NULL,
    turn natural_bigint NOT NULL,
    -- The first turn of a world has no attempt.
    attempt_id uuid,
    simulation_time timestamptz NOT NULL,
    committed_at timestamptz NOT NULL,
    -- The place of its commit among the events of all attempts, for streams.
    committed_event_id bigint DEFAULT nextval('attempt_events_event_id_seq'),
    PRIMARY KEY (world_slug, turn),
    UNIQUE (world_slug, attempt_id)
);

-- Committed patches only. A refused or lost one is an artifact of its generation.
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
    -- Its effects as canonical JSON, each with the value before and after; the view patch_effects has a row for each.
    effects json NOT NULL,
    PRIMARY KEY (world_slug, turn, patch_seq),
    UNIQUE (attempt_id, world_slug, patch_seq),
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE
);

-- The value of a row holds from its turn on, until a row of a later turn. Values of the scenario name no effect.

CREATE TABLE entity_states (
    world_slug human_id_text NOT NULL,
    entity_id entity_id_text NOT NULL,
    turn bigint NOT NULL,
    state text NOT NULL,
    patch_seq int,
    effect_index int,
    PRIMARY KEY (world_slug, entity_id, turn)
);

CREATE TABLE environment_contents (
    world_slug human_id_text NOT NULL,
    environment_label human_id_text NOT NULL,
    turn bigint NOT NULL,
    content text NOT NULL,
    patch_seq int,
    effect_index int,
    PRIMARY KEY (world_slug, environment_label, turn)
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
    PRIMARY KEY (world_slug, entity_id, turn, memory_seq)
);


-- Actions of operators: who, when, from where and why. Written before the action, with its outcome afterwards.

CREATE TABLE operator_actions (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    action_id uuid NOT NULL,
    action operator_action NOT NULL,
    -- A session, a token or a proof: operators share one token.
    acted_by text NOT NULL CHECK (acted_by <> ''),
    -- It belongs to one machine, and is not exported.
    address text,
    -- Null where a program gave none.
    reason text CHECK (reason <> ''),
    details json NOT NULL,
    attempt_id uuid,
    source_invocation_id uuid,
    acted_at timestamptz NOT NULL,
    -- Both are null where the server died before it knew.
    accepted boolean,
    outcome text,
    surface action_surface NOT NULL,
    PRIMARY KEY (world_slug, action_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    CHECK ((accepted IS NULL) = (outcome IS NULL))
);
CREATE INDEX operator_actions_attempt_idx ON operator_actions (world_slug, attempt_id) WHERE attempt_id IS NOT NULL;


-- Texts that can be searched. They are on record elsewhere, and indexed after their attempt has ended: no turn writes here.

CREATE TABLE search_entries (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
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
    -- The program finds the words: the database's parser knows the letters of its locale alone.
    words tsvector NOT NULL,
    PRIMARY KEY (world_slug, attempt_id, entry_seq),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    FOREIGN KEY (world_slug, source_invocation_id)
        REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id) DEFERRABLE
);
CREATE INDEX search_entries_words_idx ON search_entries USING gin (words);
-- Results are in this order, backwards.
CREATE INDEX search_entries_order_idx ON search_entries (attempt_id, world_slug, entry_seq);
CREATE INDEX search_entries_failure_idx ON search_entries (failure_class, attempt_id, world_slug, entry_seq)
    WHERE failure_class IS NOT NULL;

-- The epoch up to which the attempts of a world have been indexed.
CREATE TABLE search_progress (
    world_slug human_id_text PRIMARY KEY REFERENCES worlds DEFERRABLE,
    epoch positive_bigint NOT NULL
);


-- What follows from rows

-- A row for each piece of each message.
CREATE VIEW llm_message_pieces AS
    SELECT message_hash, pieces.position, pieces.origin, coalesce(pieces.text, llm_segments.text) AS text
    FROM llm_messages
        CROSS JOIN unnest(origins, texts, segment_hashes) WITH ORDINALITY AS pieces (origin, text, segment_hash, position)
        LEFT JOIN llm_segments USING (segment_hash);

-- The messages of each conversation. A process that does not know what another one has listed lists it again.
CREATE VIEW llm_conversation_messages AS
    SELECT DISTINCT calls.world_slug, calls.attempt_id, conversation,
        (message_count - cardinality(new_messages) + place)::int AS position, message_hash
    FROM source_invocations AS calls JOIN llm_calls USING (world_slug, llm_call_id)
        CROSS JOIN LATERAL unnest(new_messages) WITH ORDINALITY AS listed (message_hash, place);

-- Each stream, from its first flush to its end.
CREATE VIEW llm_streams AS
    SELECT world_slug, llm_call_id, batch_seq::int, text, pieces, event_id FROM llm_chunks
    UNION ALL
    SELECT world_slug, llm_call_id, 2147483646, last_text, last_pieces, NULL::bigint FROM llm_calls
    WHERE last_text IS NOT NULL;

CREATE VIEW patch_effects AS
    SELECT world_slug, turn, patch_seq, effect_index, op, entity_id, environment_label, state_before, state_after
    FROM world_patches, json_to_recordset(effects) AS row (effect_index int, op effect_operation, entity_id text,
        environment_label text, state_before text, state_after text);

-- The whole timeline of each attempt. The beginning of an attempt is its first event; patches and the turn are its last.
CREATE VIEW attempt_timeline_events AS
    SELECT events.world_slug, events.attempt_id, event_id, event_kind, occurred_at, events.source_invocation_id,
        calls.workflow_hash AS cognition_workflow_hash, events.workflow_node_id, events.workflow_subject_entity_id,
        NULL::positive_int AS patch_seq, details
    FROM attempt_events AS events
        LEFT JOIN source_invocations AS calls
            ON calls.world_slug = events.world_slug AND calls.source_invocation_id = events.source_invocation_id
    UNION ALL
    SELECT world_slug, attempt_id, started_event_id, 'call_started', started_at, source_invocation_id, workflow_hash,
        workflow_node_id, workflow_subject_entity_id, NULL, '{}'
    FROM source_invocations
    WHERE started_event_id IS NOT NULL
    UNION ALL
    SELECT world_slug, attempt_id, ended_event_id,
        CASE WHEN status = 'succeeded' THEN 'call_answered'::timeline_event_kind
            WHEN refused THEN 'call_refused'
            ELSE 'call_failed' END,
        CASE WHEN started_event_id IS NULL THEN started_at ELSE ended_at END,
        source_invocation_id, workflow_hash, workflow_node_id, workflow_subject_entity_id, NULL, '{}'
    FROM source_invocations
    WHERE ended_event_id IS NOT NULL
    UNION ALL
    SELECT world_slug, attempt_id, 0, 'attempt_began', started_at, NULL, NULL, NULL, NULL, NULL,
        CASE WHEN adopts IS NULL THEN '{}' ELSE json_build_object('adopts', adopts, 'calls', (
            SELECT count(*) FROM adopted_calls
            WHERE adopted_calls.world_slug = attempts.world_slug AND adopted_calls.attempt_id = attempts.attempt_id))
        END
    FROM attempts
    UNION ALL
    SELECT patches.world_slug, turns.attempt_id, 9223372036000000000 + patch_seq, 'patch_applied', committed_at,
        patches.source_invocation_id, workflow_hash, patches.workflow_node_id, patches.workflow_subject_entity_id,
        patch_seq, json_build_object('touched_entities', touched_entities)
    FROM turns JOIN world_patches AS patches USING (world_slug, turn)
        JOIN source_invocations AS calls
            ON calls.world_slug = patches.world_slug AND calls.source_invocation_id = patches.source_invocation_id
    UNION ALL
    SELECT world_slug, attempt_id, 9223372036854775807, 'turn_committed', committed_at, NULL, NULL, NULL, NULL, NULL,
        json_build_object('turn', turn, 'patches', (
            SELECT count(*) FROM world_patches
            WHERE world_patches.world_slug = turns.world_slug AND world_patches.turn = turns.turn))
    FROM turns
    WHERE attempt_id IS NOT NULL;

-- The whole audit of each world.
CREATE VIEW world_audit_events AS
    SELECT entries.world_slug, audit_entry_id AS audit_event_id, audit_kind, entries.attempt_id, attempts.attempted_turn,
        occurred_at, entries.source_invocation_id, calls.llm_call_id, calls.workflow_hash AS cognition_workflow_hash,
        calls.source_hash AS response_source_hash, calls.workflow_node_id, calls.workflow_subject_entity_id,
        NULL::positive_int AS patch_seq, attempt_number, raw_response, rejection, details
    FROM audit_entries AS entries JOIN attempts USING (world_slug, attempt_id)
        LEFT JOIN source_invocations AS calls
            ON calls.world_slug = entries.world_slug AND calls.source_invocation_id = entries.source_invocation_id
    UNION ALL
    SELECT events.world_slug, event_id,
        (CASE event_kind WHEN 'turn_committed' THEN 'turn_complete' WHEN 'attempt_interrupted' THEN 'attempt_failed'
            ELSE event_kind::text END)::audit_kind,
        events.attempt_id, attempts.attempted_turn, occurred_at, events.source_invocation_id, calls.llm_call_id,
        calls.workflow_hash, calls.source_hash, events.workflow_node_id, events.workflow_subject_entity_id, patch_seq,
        NULL, NULL, NULL, details
    FROM attempt_timeline_events AS events JOIN attempts USING (world_slug, attempt_id)
        LEFT JOIN source_invocations AS calls
            ON calls.world_slug = events.world_slug AND calls.source_invocation_id = events.source_invocation_id
    WHERE event_kind IN ('patch_applied', 'turn_committed', 'attempt_failed', 'attempt_interrupted', 'call_settled');

-- The UUID (version 8) that follows from two names, as the program makes it. No name needs escaping in JSON.
CREATE FUNCTION named_uuid(first text, second text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN (SELECT (substr(digits, 1, 12) || '8' || substr(digits, 14, 3)
        || substr('89ab', ('x' || substr(digits, 17, 1))::bit(4)::int % 4 + 1, 1) || substr(digits, 18, 15))::uuid
    FROM encode(sha256(convert_to('["' || first || '","' || second || '"]', 'UTF8')), 'hex') AS digits);


-- Rows stay. Only the owner of the tables can disable these triggers. Rows go with their whole world only: the transaction that deletes
-- one says so by a setting, and needs the right to delete. A trigger function has a search path of its own, so that it calls no operator
-- and no function of the session's.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;

DO $$
DECLARE
    kept text;
BEGIN
    -- What is written once.
    FOREACH kept IN ARRAY ARRAY['adopted_calls', 'attempt_events', 'audit_entries', 'call_settlements', 'cognition_profiles',
        'cognition_workflows', 'component_references', 'components', 'entity_memories', 'entity_states',
        'environment_contents', 'json_schemas', 'llm_chunks', 'llm_messages', 'llm_segments', 'offered_schemas',
        'prompt_texts', 'response_sources', 'scenarios', 'search_entries', 'tool_policies', 'turns', 'world_lineage',
        'world_patches', 'world_scenarios'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', kept);
    END LOOP;
    -- What changes until it has ended.
    FOREACH kept IN ARRAY ARRAY['agent_inbox', 'agent_state_heads', 'attempts', 'llm_calls', 'operator_actions',
        'pending_calls', 'source_invocations', 'worlds'] LOOP
        EXECUTE format('CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting(%L)', kept, 'no row is removed');
    END LOOP;
END
$$;

CREATE TRIGGER outcome_is_final BEFORE UPDATE ON operator_actions FOR EACH ROW WHEN (OLD.outcome IS NOT NULL)
    EXECUTE FUNCTION refuse_rewriting('what came of an action is final');

-- A trigger for some columns runs only where a statement names them: heartbeats and leases do not pay for these.

CREATE TRIGGER origin_is_final BEFORE UPDATE OF world_slug, root_world_slug, created_at ON worlds FOR EACH ROW
    EXECUTE FUNCTION refuse_rewriting('where a world comes from is final');

CREATE FUNCTION turns_follow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.turn <> OLD.turn + 1 THEN
        RAISE 'worlds: a turn is followed by the next one' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER turns_follow_each_other BEFORE UPDATE OF turn ON worlds FOR EACH ROW EXECUTE FUNCTION turns_follow();

CREATE FUNCTION epochs_follow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.lease_epoch <= OLD.lease_epoch THEN
        RAISE 'worlds: an epoch only grows' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER epochs_grow BEFORE UPDATE OF lease_epoch ON worlds FOR EACH ROW EXECUTE FUNCTION epochs_follow();

CREATE FUNCTION sound_world() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF num_nulls(NEW.lease_attempt_id, NEW.lease_host, NEW.lease_pid, NEW.lease_until) NOT IN (0, 4) THEN
        RAISE 'worlds: a lease is whole' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON worlds FOR EACH ROW EXECUTE FUNCTION sound_world();

CREATE FUNCTION sound_attempt() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL THEN
        RAISE 'attempts: an attempt that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.status <= 'suspended') <> (NEW.ended_at IS NULL) OR (NEW.status >= 'failed') <> (NEW.failure_class IS NOT NULL) THEN
        RAISE 'attempts: an attempt has an end and a failure as its status says' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION sound_attempt();

CREATE FUNCTION sound_call() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON source_invocations FOR EACH ROW EXECUTE FUNCTION sound_call();

CREATE FUNCTION sound_generation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL THEN
        RAISE 'llm_calls: a generation that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE UPDATE ON llm_calls FOR EACH ROW EXECUTE FUNCTION sound_generation();

-- The call that a message ended keeps what it said, as far as redaction allows. So a consumed message keeps nothing: neither a large
-- answer twice, nor the address that a service echoes.
CREATE FUNCTION sound_message() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON agent_inbox FOR EACH ROW EXECUTE FUNCTION sound_message();

CREATE FUNCTION sound_head() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (NEW.status = 'idle') <> (NEW.active_agent_turn_id IS NULL) THEN
        RAISE 'agent_state_heads: an agent has a turn unless it is idle' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON agent_state_heads FOR EACH ROW EXECUTE FUNCTION sound_head();
