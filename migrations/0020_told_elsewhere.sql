-- A turn writes each fact in one row. What another row of the turn says is derived when it is read.

-- The audit keeps what no other table tells: answers that were rejected, and attempts that were set aside. The view of the
-- old name joins them with what the timeline tells of patches, turns, failures and settlements.

ALTER TABLE world_audit_events RENAME TO audit_entries;
ALTER TABLE audit_entries RENAME COLUMN audit_event_id TO audit_entry_id;
ALTER TABLE audit_entries RENAME CONSTRAINT world_audit_events_pkey TO audit_entries_pkey;
ALTER TABLE audit_entries RENAME CONSTRAINT world_audit_events_check TO audit_entries_rejection_check;
ALTER TABLE audit_entries RENAME CONSTRAINT world_audit_events_world_slug_attempt_id_fkey TO audit_entries_attempt_fkey;
ALTER TABLE audit_entries
    RENAME CONSTRAINT world_audit_events_world_slug_source_invocation_id_fkey TO audit_entries_source_invocation_fkey;
ALTER INDEX world_audit_events_attempt_idx RENAME TO audit_entries_attempt_idx;
ALTER INDEX world_audit_events_invocation_idx RENAME TO audit_entries_invocation_idx;

ALTER TABLE audit_entries DISABLE TRIGGER append_only;
DELETE FROM audit_entries WHERE audit_kind NOT IN ('generation_rejected', 'attempt_set_aside');

-- Entries and events of an attempt share one sequence of numbers, which gives their order.
ALTER TABLE audit_entries ALTER COLUMN audit_entry_id DROP IDENTITY;
UPDATE audit_entries SET audit_entry_id = nextval('attempt_events_event_id_seq') WHERE audit_kind = 'attempt_set_aside';
ALTER TABLE audit_entries ALTER COLUMN audit_entry_id SET DEFAULT nextval('attempt_events_event_id_seq');
ALTER TABLE audit_entries ENABLE TRIGGER append_only;

ALTER TABLE audit_entries
    DROP CONSTRAINT world_audit_events_check1,
    DROP COLUMN attempted_turn,
    DROP COLUMN llm_call_id,
    DROP COLUMN cognition_workflow_hash,
    DROP COLUMN response_source_hash,
    DROP COLUMN workflow_node_id,
    DROP COLUMN workflow_subject_entity_id,
    DROP COLUMN patch_seq,
    ADD CONSTRAINT audit_entries_kind_check CHECK (audit_kind IN ('generation_rejected', 'attempt_set_aside'));

-- What stands on the row of the call is no column of the patch.
ALTER TABLE world_patches
    DROP COLUMN llm_call_id,
    DROP COLUMN cognition_workflow_hash,
    DROP COLUMN response_source_hash;

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
    FROM attempt_events AS events JOIN attempts USING (world_slug, attempt_id)
        LEFT JOIN source_invocations AS calls
            ON calls.world_slug = events.world_slug AND calls.source_invocation_id = events.source_invocation_id
    WHERE event_kind IN ('patch_applied', 'turn_committed', 'attempt_failed', 'attempt_interrupted', 'call_settled');

-- What the calls of an attempt come to follows from their rows.
ALTER TABLE attempts
    DROP COLUMN source_invocation_count,
    DROP COLUMN last_source_invocation_id,
    DROP COLUMN source_trace_summary;

-- What the row of its call says is no column of a generation.
ALTER TABLE llm_calls
    DROP COLUMN attempted_turn,
    DROP COLUMN workflow_hash,
    DROP COLUMN workflow_node_id,
    DROP COLUMN workflow_subject_entity_id,
    DROP COLUMN logical_generation_attempt,
    DROP COLUMN tool_loop_round,
    DROP COLUMN model_output_kind,
    DROP COLUMN duration_ms;

-- The request of a generation stands on its row in llm_calls.
ALTER TABLE source_invocations ALTER COLUMN request_json DROP NOT NULL;

-- A generation names its call. The call's copy of that needs no check of its own, and no index: nothing looks it up.
ALTER TABLE source_invocations DROP CONSTRAINT source_invocations_llm_call_fk;
DROP INDEX source_invocations_llm_call_idx;

-- No query of the program uses these.
DROP INDEX source_invocations_kind_idx, source_invocations_source_idx, source_invocations_subject_idx,
    source_invocations_workflow_idx, source_invocations_world_time_idx, patch_effects_entity_idx, attempts_running_idx;

-- Few attempts adopt.
ALTER TABLE attempts DROP CONSTRAINT attempts_adopts_idx;
CREATE UNIQUE INDEX attempts_adopts_idx ON attempts (world_slug, adopts) WHERE adopts IS NOT NULL;
