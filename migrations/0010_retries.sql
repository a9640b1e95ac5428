-- Calls that are made again after they have failed, and turns that are put off after a transient failure.

-- A call is performed again after a performance that nobody saw end, or that ended without an answer.
ALTER TABLE source_invocations
    -- Beside status, so that the beginning and the end of a call with an answer change no indexed value.
    ADD COLUMN may_be_followed boolean NOT NULL
        GENERATED ALWAYS AS (status = 'interrupted' OR (status = 'failed' AND NOT answered)) STORED;

DROP INDEX source_invocations_command_idx;
CREATE UNIQUE INDEX source_invocations_command_idx
    ON source_invocations (world_slug, attempt_id, command_key) WHERE NOT may_be_followed;

ALTER TABLE source_invocations DROP COLUMN is_interrupted;

ALTER TABLE agent_inbox
    -- How many attempts at this turn have failed for something that may pass by itself.
    ADD COLUMN transient_failures integer NOT NULL DEFAULT 0 CHECK (transient_failures >= 0);
