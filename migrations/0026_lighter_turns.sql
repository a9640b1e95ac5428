-- A turn writes less to the log. What its rows say already is told by views; streamed pieces are numbers of one or two bytes;
-- an id is found by the index of its key.

-- Timeline: the beginning of an attempt stands on its row, a patch and a turn on theirs. They are the first and the last that
-- an attempt tells of.

DROP VIEW attempt_timeline_events, world_audit_events;

-- Where both stand among what else happens: streams tell events in the order of their numbers.

ALTER TABLE attempts DISABLE TRIGGER ended_is_final;
ALTER TABLE attempts ADD COLUMN began_event_id bigint;
UPDATE attempts SET began_event_id = events.event_id
FROM attempt_events AS events
WHERE events.world_slug = attempts.world_slug AND events.attempt_id = attempts.attempt_id
    AND event_kind = 'attempt_began';
ALTER TABLE attempts ALTER COLUMN began_event_id SET DEFAULT nextval('attempt_events_event_id_seq');
ALTER TABLE attempts ENABLE TRIGGER ended_is_final;

ALTER TABLE turns DISABLE TRIGGER append_only;
ALTER TABLE turns ADD COLUMN committed_event_id bigint;
UPDATE turns SET committed_event_id = events.event_id
FROM attempt_events AS events
WHERE events.world_slug = turns.world_slug AND events.attempt_id = turns.attempt_id AND event_kind = 'turn_committed';
ALTER TABLE turns ALTER COLUMN committed_event_id SET DEFAULT nextval('attempt_events_event_id_seq');
ALTER TABLE turns ENABLE TRIGGER append_only;

ALTER TABLE attempt_events DISABLE TRIGGER append_only;
DELETE FROM attempt_events WHERE event_kind IN ('attempt_began', 'patch_applied', 'turn_committed');
ALTER TABLE attempt_events ENABLE TRIGGER append_only;

-- The effects of a patch stand in patch_effects.

ALTER TABLE world_patches DISABLE TRIGGER append_only;
ALTER TABLE world_patches ADD COLUMN narration text;
UPDATE world_patches SET narration = coalesce(patch->>'narration', '');
ALTER TABLE world_patches
    ALTER COLUMN narration SET NOT NULL,
    DROP COLUMN patch;
ALTER TABLE world_patches ENABLE TRIGGER append_only;
ALTER TABLE attempt_events DROP COLUMN patch_seq;

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

-- Streamed pieces: of each, its bytes and the milliseconds since the piece before, as numbers of 7 bits a byte (LEB128).

CREATE FUNCTION leb128(value int) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    rest int := value;
    bytes bytea := '';
BEGIN
    WHILE rest > 127 LOOP
        bytes := bytes || set_byte('\x00', 0, rest % 128 + 128);
        rest := rest / 128;
    END LOOP;
    RETURN bytes || set_byte('\x00', 0, rest);
END
$$;

ALTER TABLE llm_chunks DISABLE TRIGGER append_only;
ALTER TABLE llm_chunks ADD COLUMN pieces bytea;
UPDATE llm_chunks
SET pieces = (
    SELECT coalesce(string_agg(leb128(length) || leb128(greatest(offset_ms - before, 0)), ''::bytea ORDER BY place), '')
    FROM (
        SELECT place, length, offset_ms, coalesce(max(offset_ms) OVER (
            ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM unnest(lengths, offsets_ms) WITH ORDINALITY AS piece (length, offset_ms, place)) AS measured);
ALTER TABLE llm_chunks
    ALTER COLUMN pieces SET NOT NULL,
    DROP COLUMN lengths,
    DROP COLUMN offsets_ms;
ALTER TABLE llm_chunks ENABLE TRIGGER append_only;
DROP FUNCTION leb128;

-- Documents and offered schemas are never removed, and a program is made of stored ones: a call needs no check that what its
-- attempt was compiled from is there.

ALTER TABLE source_invocations
    DROP CONSTRAINT source_invocations_input_schema_hash_fkey,
    DROP CONSTRAINT source_invocations_output_schema_hash_fkey,
    DROP CONSTRAINT source_invocations_source_hash_fkey,
    DROP CONSTRAINT source_invocations_workflow_hash_fkey;
ALTER TABLE llm_calls
    DROP CONSTRAINT llm_calls_output_schema_hash_fkey,
    DROP CONSTRAINT llm_calls_delivered_schema_hash_fkey;

-- Keys: the id comes first, so that one index finds a row by its id, with and without its world.

ALTER TABLE llm_chunks DROP CONSTRAINT llm_chunks_world_slug_llm_call_id_fkey;
ALTER TABLE search_entries DROP CONSTRAINT search_entries_world_slug_llm_call_id_fkey;
ALTER TABLE llm_calls
    DROP CONSTRAINT llm_calls_pkey,
    ADD PRIMARY KEY (llm_call_id, world_slug);
ALTER TABLE llm_chunks ADD FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id) DEFERRABLE;
ALTER TABLE search_entries
    ADD FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id) DEFERRABLE;
DROP INDEX llm_calls_id_idx;

ALTER TABLE adopted_calls DROP CONSTRAINT adopted_calls_world_slug_source_invocation_id_fkey;
ALTER TABLE attempt_events DROP CONSTRAINT attempt_events_world_slug_source_invocation_id_fkey;
ALTER TABLE attempts DROP CONSTRAINT attempts_failed_source_invocation_fk;
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_source_invocation_fkey;
ALTER TABLE call_settlements DROP CONSTRAINT call_settlements_world_slug_source_invocation_id_fkey;
ALTER TABLE llm_calls DROP CONSTRAINT llm_calls_world_slug_source_invocation_id_fkey;
ALTER TABLE operator_actions DROP CONSTRAINT operator_actions_world_slug_source_invocation_id_fkey;
ALTER TABLE pending_calls DROP CONSTRAINT pending_calls_world_slug_source_invocation_id_fkey;
ALTER TABLE search_entries DROP CONSTRAINT search_entries_world_slug_source_invocation_id_fkey;
ALTER TABLE source_invocations DROP CONSTRAINT source_invocations_parent_fk;
ALTER TABLE world_patches DROP CONSTRAINT world_patches_world_slug_source_invocation_id_fkey;
ALTER TABLE source_invocations
    DROP CONSTRAINT source_invocations_pkey,
    ADD PRIMARY KEY (source_invocation_id, world_slug);
DROP INDEX source_invocations_id_idx;
ALTER TABLE adopted_calls ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE attempt_events ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE attempts ADD CONSTRAINT attempts_failed_source_invocation_fk
    FOREIGN KEY (world_slug, failed_source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_source_invocation_fkey
    FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE call_settlements ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE llm_calls ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE operator_actions ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE search_entries ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE pending_calls ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE source_invocations ADD CONSTRAINT source_invocations_parent_fk
    FOREIGN KEY (world_slug, parent_source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;
ALTER TABLE world_patches ADD FOREIGN KEY (world_slug, source_invocation_id)
    REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE;

ALTER TABLE adopted_calls DROP CONSTRAINT adopted_calls_world_slug_attempt_id_fkey;
ALTER TABLE agent_inbox DROP CONSTRAINT agent_inbox_attempt_fk;
ALTER TABLE attempts DROP CONSTRAINT attempts_adopts_fk;
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_attempt_fkey;
ALTER TABLE call_settlements DROP CONSTRAINT call_settlements_world_slug_attempt_id_fkey;
ALTER TABLE operator_actions DROP CONSTRAINT operator_actions_world_slug_attempt_id_fkey;
ALTER TABLE search_entries DROP CONSTRAINT search_entries_world_slug_attempt_id_fkey;
ALTER TABLE source_invocations DROP CONSTRAINT source_invocations_attempt_fk;
ALTER TABLE turns DROP CONSTRAINT turns_world_slug_attempt_id_fkey;
ALTER TABLE worlds
    DROP CONSTRAINT worlds_adoptable_attempt_fk,
    DROP CONSTRAINT worlds_lease_attempt_fk;
ALTER TABLE attempts
    DROP CONSTRAINT attempts_pkey,
    ADD PRIMARY KEY (attempt_id, world_slug);
DROP INDEX attempts_id_idx;
ALTER TABLE adopted_calls ADD FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE agent_inbox ADD CONSTRAINT agent_inbox_attempt_fk
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE attempts ADD CONSTRAINT attempts_adopts_fk
    FOREIGN KEY (world_slug, adopts) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_attempt_fkey
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE call_settlements ADD FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE operator_actions ADD FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE search_entries ADD FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE source_invocations ADD CONSTRAINT source_invocations_attempt_fk
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE turns ADD FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;
ALTER TABLE worlds
    ADD CONSTRAINT worlds_adoptable_attempt_fk
        FOREIGN KEY (world_slug, adoptable_attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    ADD CONSTRAINT worlds_lease_attempt_fk
        FOREIGN KEY (world_slug, lease_attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE;

-- The end of a call finds room for its row on the page of its start, and then touches no index.
ALTER TABLE source_invocations SET (fillfactor = 90);
