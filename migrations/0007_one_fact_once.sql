-- What the row of a call says of it stands nowhere else: neither in the timeline of its attempt, nor in a foreign key of
-- a row that refers to the call anyhow.

ALTER TABLE source_invocations
    -- The place of its start and of its end among what happened in the attempt. A call that was refused never started;
    -- of one that was interrupted nobody saw the end, and what is told of that is an event of its own.
    ADD COLUMN started_event_id bigint,
    ADD COLUMN ended_event_id bigint;

UPDATE source_invocations AS calls
SET started_event_id = told.started_event_id, ended_event_id = told.ended_event_id
FROM (
    SELECT world_slug, source_invocation_id,
        min(event_id) FILTER (WHERE event_kind = 'call_started') AS started_event_id,
        min(event_id) FILTER (WHERE event_kind <> 'call_started') AS ended_event_id
    FROM attempt_timeline_events
    WHERE event_kind IN ('call_started', 'call_answered', 'call_failed', 'call_refused')
    GROUP BY world_slug, source_invocation_id) AS told
WHERE calls.world_slug = told.world_slug AND calls.source_invocation_id = told.source_invocation_id;

-- What happened in an attempt and is no start or end of a call. Written from the row of the attempt or of the call that
-- the event is about: the attempt is not looked up once more. Node and subject may be known where there is no call.
CREATE TABLE attempt_events (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    -- Numbers of all attempts together: within one they tell the order, and who reads counts from 1. A statement that
    -- writes calls draws one for all of them, and the fifteen after it are theirs.
    event_id bigint GENERATED ALWAYS AS IDENTITY (INCREMENT BY 16),
    event_kind timeline_event_kind NOT NULL,
    occurred_at timestamptz NOT NULL,
    source_invocation_id uuid,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    patch_seq positive_int,
    details json NOT NULL DEFAULT '{}',
    PRIMARY KEY (world_slug, attempt_id, event_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id)
);

INSERT INTO attempt_events (world_slug, attempt_id, event_id, event_kind, occurred_at, source_invocation_id,
    workflow_node_id, workflow_subject_entity_id, patch_seq, details)
OVERRIDING SYSTEM VALUE
SELECT world_slug, attempt_id, event_id, event_kind, occurred_at, source_invocation_id, workflow_node_id,
    workflow_subject_entity_id, patch_seq, details
FROM attempt_timeline_events
WHERE event_kind NOT IN ('call_started', 'call_answered', 'call_failed', 'call_refused');

SELECT setval('attempt_events_event_id_seq', last_value) FROM attempt_timeline_events_event_id_seq;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON attempt_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DROP TABLE attempt_timeline_events;

-- The whole timeline of an attempt.
CREATE VIEW attempt_timeline_events AS
    SELECT events.world_slug, events.attempt_id, event_id, event_kind, occurred_at, events.source_invocation_id,
        calls.workflow_hash AS cognition_workflow_hash, events.workflow_node_id, events.workflow_subject_entity_id,
        patch_seq, details
    FROM attempt_events AS events
        LEFT JOIN source_invocations AS calls
            ON calls.world_slug = events.world_slug AND calls.source_invocation_id = events.source_invocation_id
    UNION ALL
    SELECT world_slug, attempt_id, started_event_id, 'call_started'::timeline_event_kind, started_at,
        source_invocation_id, workflow_hash, workflow_node_id, workflow_subject_entity_id, NULL::positive_int, '{}'::json
    FROM source_invocations
    WHERE started_event_id IS NOT NULL
    UNION ALL
    SELECT world_slug, attempt_id, ended_event_id,
        CASE WHEN status = 'succeeded' THEN 'call_answered'::timeline_event_kind
            WHEN refused THEN 'call_refused'::timeline_event_kind
            ELSE 'call_failed'::timeline_event_kind END,
        CASE WHEN started_event_id IS NULL THEN started_at ELSE ended_at END,
        source_invocation_id, workflow_hash, workflow_node_id, workflow_subject_entity_id, NULL::positive_int, '{}'::json
    FROM source_invocations
    WHERE ended_event_id IS NOT NULL;

-- A column that is copied from the row that another foreign key of its own row demands needs no foreign key itself:
-- what it names was looked up when that row was written.

ALTER TABLE llm_calls
    -- Of its call, which demands its attempt and its workflow.
    DROP CONSTRAINT llm_calls_world_slug_attempt_id_fkey,
    DROP CONSTRAINT llm_calls_workflow_hash_fkey;

ALTER TABLE pending_calls
    -- Of its call.
    DROP CONSTRAINT pending_calls_world_slug_attempt_id_fkey;

ALTER TABLE world_patches
    -- Of the generation that said it, whose call demands its own record, its workflow and its source.
    DROP CONSTRAINT world_patches_world_slug_llm_call_id_fkey,
    DROP CONSTRAINT world_patches_cognition_workflow_hash_fkey,
    DROP CONSTRAINT world_patches_response_source_hash_fkey,
    -- Of its turn, which demands the attempt that made it.
    DROP CONSTRAINT world_patches_world_slug_attempt_id_fkey;

ALTER TABLE cards
    -- Of the call that it points at, without which it names no generation.
    DROP CONSTRAINT cards_world_slug_llm_call_id_fkey,
    DROP CONSTRAINT cards_check1,
    ADD CONSTRAINT cards_pointer_check CHECK (
        num_nonnulls(component_hash, source_invocation_id, content) >= 1
        AND (llm_call_id IS NULL OR source_invocation_id IS NOT NULL));
