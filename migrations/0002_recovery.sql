-- An attempt outlives its driver: the next one takes it over and answers finished calls from their records.

ALTER TYPE timeline_event_kind ADD VALUE 'attempt_continued';
ALTER TYPE timeline_event_kind ADD VALUE 'attempt_handed_over';
ALTER TYPE timeline_event_kind ADD VALUE 'call_interrupted';
ALTER TYPE timeline_event_kind ADD VALUE 'call_settled';
ALTER TYPE audit_kind ADD VALUE 'call_settled';

ALTER TABLE attempts
    -- How many drivers have left it without a word.
    ADD COLUMN take_overs int NOT NULL DEFAULT 0 CHECK (take_overs >= 0),
    -- Its driver gave the lease back in good order, for the next one to go on.
    ADD COLUMN handed_over boolean NOT NULL DEFAULT false,
    -- The failed attempt whose records answer this one's commands, once a person has settled what was in doubt.
    ADD COLUMN continues_attempt_id uuid,
    ADD CONSTRAINT attempts_continues_fk
        FOREIGN KEY (world_slug, continues_attempt_id) REFERENCES attempts (world_slug, attempt_id),
    ADD CONSTRAINT attempts_continues_idx UNIQUE (world_slug, continues_attempt_id);

DROP INDEX attempts_running_idx;
-- One attempt at a time goes on, whatever the program believes.
CREATE UNIQUE INDEX attempts_open_idx ON attempts (world_slug) WHERE status IN ('running', 'suspended');

-- The settled attempt that the next one continues.
ALTER TABLE worlds
    ADD COLUMN settled_attempt_id uuid,
    ADD CONSTRAINT worlds_settled_attempt_fk
        FOREIGN KEY (world_slug, settled_attempt_id) REFERENCES attempts (world_slug, attempt_id);

-- An answer arrived and the turn heard it, whatever it made of it: of a generation that said something unusable the
-- status is failed all the same.
ALTER TABLE source_invocations ADD COLUMN answered boolean NOT NULL DEFAULT false;

-- What a person found out about a call with a side effect that nobody saw end.
CREATE TABLE call_settlements (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    performed boolean NOT NULL,
    -- What it answered, where it was performed.
    response_json json,
    settled_at timestamptz NOT NULL,
    PRIMARY KEY (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    CHECK (performed = (response_json IS NOT NULL))
);
CREATE INDEX call_settlements_attempt_idx ON call_settlements (world_slug, attempt_id);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON call_settlements
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
