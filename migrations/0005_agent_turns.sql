-- What the subjects of an attempt do, as turns of agents: a projection of what the turn decided, from which nothing in
-- the world follows. Its rows are written by the statements that write what they tell of.

CREATE TYPE agent_status AS ENUM ('idle', 'dispatched', 'running', 'suspended');
CREATE TYPE agent_activity AS ENUM ('thinking', 'executing_tool', 'awaiting_tool_result');
CREATE TYPE agent_turn_outcome AS ENUM ('success', 'failed', 'stopped', 'timed_out');
CREATE TYPE box_kind AS ENUM ('context', 'output');
CREATE TYPE card_kind AS ENUM (
    'task.instruction', 'task.result_fields', 'ambient.reading', 'tool.call', 'tool.result', 'task.deliverable');
CREATE TYPE execution_primitive AS ENUM ('enqueue', 'tool_call', 'report', 'join');
CREATE TYPE edge_phase AS ENUM ('request', 'response');

CREATE TABLE agent_turns (
    world_slug human_id_text NOT NULL,
    agent_turn_id uuid NOT NULL,
    agent_id entity_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    turn_epoch bigint NOT NULL CHECK (turn_epoch >= 1),
    -- The message that asks for it, which the attempt writes and takes up itself.
    inbox_id uuid NOT NULL,
    -- Made when the agent enters: one that never did has none.
    context_box_id uuid NOT NULL,
    output_box_id uuid NOT NULL,
    began_at timestamptz NOT NULL,
    ended_at timestamptz,
    outcome agent_turn_outcome,
    deliverable_card_id uuid,
    PRIMARY KEY (world_slug, agent_turn_id),
    UNIQUE (world_slug, attempt_id, agent_id),
    UNIQUE (world_slug, agent_id, turn_epoch),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    FOREIGN KEY (world_slug, inbox_id) REFERENCES agent_inbox (world_slug, inbox_id),
    -- However it ends, it leaves something.
    CHECK (num_nonnulls(ended_at, outcome, deliverable_card_id) IN (0, 3))
);
CREATE INDEX agent_turns_id_idx ON agent_turns (agent_turn_id);

CREATE TABLE agent_state_heads (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    agent_id entity_id_text NOT NULL,
    status agent_status NOT NULL DEFAULT 'idle',
    turn_epoch bigint NOT NULL DEFAULT 0 CHECK (turn_epoch >= 0),
    active_agent_turn_id uuid,
    activity agent_activity,
    current_tool text,
    waiting_tool_count int NOT NULL DEFAULT 0 CHECK (waiting_tool_count >= 0),
    resume_deadline timestamptz,
    -- Kept for waits that are bound to one correlation; the waiting set has replaced it.
    expecting_correlation_id uuid,
    PRIMARY KEY (world_slug, agent_id),
    CONSTRAINT agent_state_heads_turn_fk
        FOREIGN KEY (world_slug, active_agent_turn_id) REFERENCES agent_turns (world_slug, agent_turn_id),
    CHECK ((status = 'idle') = (active_agent_turn_id IS NULL)),
    CHECK ((status = 'suspended') = (resume_deadline IS NOT NULL))
) WITH (fillfactor = 70);

INSERT INTO agent_state_heads (world_slug, agent_id)
SELECT world_slug, entity->>'id'
FROM worlds JOIN scenarios ON scenarios.hash = worlds.scenario_hash,
    json_array_elements(content->'entities') AS row (entity)
WHERE entity->>'kind' = 'agent';

-- The calls that a suspended turn waits for.
CREATE TABLE turn_waiting_tools (
    world_slug human_id_text NOT NULL,
    agent_turn_id uuid NOT NULL,
    tool_call_id uuid NOT NULL,
    registered_at timestamptz NOT NULL,
    received_at timestamptz,
    PRIMARY KEY (world_slug, agent_turn_id, tool_call_id),
    FOREIGN KEY (world_slug, agent_turn_id) REFERENCES agent_turns (world_slug, agent_turn_id),
    FOREIGN KEY (world_slug, tool_call_id) REFERENCES source_invocations (world_slug, source_invocation_id)
);

CREATE TABLE boxes (
    world_slug human_id_text NOT NULL,
    box_id uuid NOT NULL,
    -- Its one writer.
    agent_turn_id uuid NOT NULL,
    kind box_kind NOT NULL,
    -- A context box is made full, and takes no more.
    card_limit int NOT NULL CHECK (card_limit >= 1),
    PRIMARY KEY (world_slug, box_id),
    -- What a card says of the box that it lies in.
    CONSTRAINT boxes_writer_key UNIQUE (world_slug, box_id, agent_turn_id, card_limit),
    FOREIGN KEY (world_slug, agent_turn_id) REFERENCES agent_turns (world_slug, agent_turn_id)
);

CREATE TABLE cards (
    world_slug human_id_text NOT NULL,
    box_id uuid NOT NULL,
    position int NOT NULL,
    card_id uuid NOT NULL,
    -- Who lays it in, and how many the box takes: only what is true of the box is let in.
    agent_turn_id uuid NOT NULL,
    card_limit int NOT NULL,
    kind card_kind NOT NULL,
    -- A card points. Content of its own has only one that says why there is nothing to point to.
    component_hash sha256_hex,
    source_invocation_id uuid,
    llm_call_id uuid,
    patch_seq int,
    content json,
    PRIMARY KEY (world_slug, box_id, position),
    CONSTRAINT cards_id_key UNIQUE (world_slug, box_id, card_id),
    FOREIGN KEY (world_slug, box_id, agent_turn_id, card_limit)
        REFERENCES boxes (world_slug, box_id, agent_turn_id, card_limit),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id),
    CHECK (position BETWEEN 1 AND card_limit),
    CHECK (num_nonnulls(component_hash, source_invocation_id, content) >= 1)
);

-- The deliverable lies in the turn's own output box.
ALTER TABLE agent_turns ADD CONSTRAINT agent_turns_deliverable_fk
    FOREIGN KEY (world_slug, output_box_id, deliverable_card_id) REFERENCES cards (world_slug, box_id, card_id);

-- What caused what. A request and its response have one correlation.
CREATE TABLE execution_edges (
    world_slug human_id_text NOT NULL,
    agent_turn_id uuid NOT NULL,
    primitive execution_primitive NOT NULL,
    edge_phase edge_phase NOT NULL,
    -- Of an enqueue the message, of a tool's call and its report the invocation, of a join the agent turn.
    correlation_id uuid NOT NULL,
    edge_id bigint GENERATED ALWAYS AS IDENTITY,
    -- The attempt.
    trace_id uuid NOT NULL,
    -- The invocation out of which it came.
    parent_step_id uuid,
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (world_slug, agent_turn_id, primitive, edge_phase, correlation_id),
    FOREIGN KEY (world_slug, agent_turn_id) REFERENCES agent_turns (world_slug, agent_turn_id)
);

-- Each transition of a turn says what it has to say once, and its end says `task` once.
CREATE TABLE agent_events (
    world_slug human_id_text NOT NULL,
    agent_turn_id uuid NOT NULL,
    transition text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('wakeup', 'state', 'step', 'task')),
    event_id bigint GENERATED ALWAYS AS IDENTITY,
    agent_id entity_id_text NOT NULL,
    subject text NOT NULL GENERATED ALWAYS AS (
        CASE kind WHEN 'wakeup' THEN 'cmd' ELSE 'evt' END || '.agent.' || agent_id::text || '.' || kind) STORED,
    occurred_at timestamptz NOT NULL,
    payload json NOT NULL,
    PRIMARY KEY (world_slug, agent_turn_id, transition, kind),
    FOREIGN KEY (world_slug, agent_turn_id) REFERENCES agent_turns (world_slug, agent_turn_id),
    CHECK (kind <> 'task' OR transition = 'ended')
);

DO $$
DECLARE
    recorded text;
BEGIN
    FOREACH recorded IN ARRAY ARRAY['boxes', 'cards', 'execution_edges', 'agent_events'] LOOP
        EXECUTE format(
            'CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', recorded);
    END LOOP;
END
$$;
