-- A statement reads each CHECK of a table that it writes anew, and pays by its length. A condition on one column is a domain,
-- which a session reads once. What a row must fulfil is one short condition.

-- Statuses are compared by the order of their type: those of what is under way come first, those of failures last.

ALTER TABLE source_invocations
    DROP CONSTRAINT source_invocations_check,
    DROP CONSTRAINT source_invocations_check1,
    DROP CONSTRAINT source_invocations_pending_deadline_ms_check,
    ALTER COLUMN pending_deadline_ms TYPE positive_bigint,
    ADD CONSTRAINT source_invocations_status_check CHECK (
        (status <= 'pending') = (ended_at IS NULL) AND (status >= 'failed') = (failure_class IS NOT NULL));

ALTER TABLE attempts
    DROP CONSTRAINT attempts_check,
    DROP CONSTRAINT attempts_check1,
    DROP CONSTRAINT attempts_take_overs_check,
    ALTER COLUMN take_overs TYPE natural_int,
    ADD CONSTRAINT attempts_status_check CHECK (
        (status <= 'suspended') = (ended_at IS NULL) AND (status >= 'failed') = (failure_class IS NOT NULL));

ALTER TABLE agent_inbox
    DROP CONSTRAINT agent_inbox_check,
    DROP CONSTRAINT agent_inbox_check1,
    DROP CONSTRAINT agent_inbox_check2,
    DROP CONSTRAINT agent_inbox_check3,
    DROP CONSTRAINT agent_inbox_retry_count_check,
    DROP CONSTRAINT agent_inbox_transient_failures_check,
    DROP CONSTRAINT agent_inbox_turn_epoch_check,
    ALTER COLUMN retry_count TYPE natural_int,
    ALTER COLUMN transient_failures TYPE natural_int,
    ALTER COLUMN turn_epoch TYPE positive_bigint,
    ADD CONSTRAINT agent_inbox_check CHECK (
        (status = 'consumed') = (consumed_at IS NOT NULL)
        AND (status = 'queued') = (next_retry_at IS NULL)
        AND (message_type = 'turn' OR status <> 'queued'
            AND (message_type = 'ui_action' OR num_nulls(attempt_id, correlation_id) = 0)));

ALTER TABLE agent_state_heads
    DROP CONSTRAINT agent_state_heads_turn_epoch_check,
    ALTER COLUMN turn_epoch TYPE natural_bigint;

ALTER TABLE worlds
    DROP CONSTRAINT worlds_check,
    ADD CONSTRAINT worlds_check CHECK (num_nulls(lease_attempt_id, lease_host, lease_pid, lease_until) % 4 = 0);

ALTER TABLE patch_effects
    DROP CONSTRAINT patch_effects_check,
    ADD CONSTRAINT patch_effects_check CHECK ((entity_id IS NULL) <> (environment_label IS NULL));

ALTER TABLE entity_states
    DROP CONSTRAINT entity_states_check,
    ADD CONSTRAINT entity_states_check CHECK ((patch_seq IS NULL) = (effect_index IS NULL));

ALTER TABLE environment_contents
    DROP CONSTRAINT environment_contents_check,
    ADD CONSTRAINT environment_contents_check CHECK ((patch_seq IS NULL) = (effect_index IS NULL));

-- A key that follows from others is not checked again: a value refers to its effect, that to its patch, that to its turn, that
-- to its attempt, and that to its world. The values that a world begins with have no effect: one statement writes them with
-- their world and its first turn. Turns keep theirs, since the first one has no attempt.

ALTER TABLE entity_states DROP CONSTRAINT entity_states_world_slug_turn_fkey;
ALTER TABLE entity_memories DROP CONSTRAINT entity_memories_world_slug_turn_fkey;
ALTER TABLE environment_contents DROP CONSTRAINT environment_contents_world_slug_turn_fkey;
