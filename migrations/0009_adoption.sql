-- A new attempt goes on from the records of the one before it, and nothing that had a side effect is made twice.

ALTER TYPE audit_kind ADD VALUE 'attempt_set_aside';

ALTER TABLE source_invocations
    -- It has a side effect, and its service performs it once however often it is sent: it may be made again.
    ADD COLUMN repeatable boolean NOT NULL DEFAULT false,
    -- It failed, may have had its side effect all the same, and may not be made again. Of one that was interrupted its
    -- status says so.
    ADD COLUMN outcome_unknown boolean NOT NULL DEFAULT false,
    -- How long the service asked to be left alone, from the end of the call on.
    ADD COLUMN retry_after_ms natural_bigint;

ALTER TABLE attempts
    -- What ended it may pass by itself.
    ADD COLUMN is_transient boolean NOT NULL DEFAULT false;

UPDATE attempts
SET is_transient = true
FROM source_invocations AS calls
WHERE calls.world_slug = attempts.world_slug
    AND calls.source_invocation_id = attempts.failed_source_invocation_id
    AND (attempts.failure_class IN ('transport', 'timeout', 'unavailable')
        OR (attempts.failure_class = 'http_status'
            AND (calls.http_status IN (408, 425, 429) OR calls.http_status BETWEEN 500 AND 599)));

-- The attempt before, from whose records this one was answered; no longer only one that was settled.
ALTER TABLE attempts RENAME COLUMN continues_attempt_id TO adopts;
ALTER TABLE attempts RENAME CONSTRAINT attempts_continues_fk TO attempts_adopts_fk;
ALTER TABLE attempts RENAME CONSTRAINT attempts_continues_idx TO attempts_adopts_idx;

-- The calls of earlier attempts that answer commands of an attempt: decided when it begins, and the same ever after.
CREATE TABLE adopted_calls (
    world_slug human_id_text NOT NULL,
    attempt_id uuid NOT NULL,
    source_invocation_id uuid NOT NULL,
    PRIMARY KEY (world_slug, attempt_id, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id)
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON adopted_calls
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Attempts that went on with a settled one were answered from all of its records, and of those that it went on with.
INSERT INTO adopted_calls (world_slug, attempt_id, source_invocation_id)
WITH RECURSIVE chain (world_slug, attempt_id, earlier_id, distance) AS (
    SELECT world_slug, attempt_id, adopts, 1 FROM attempts WHERE adopts IS NOT NULL
    UNION ALL
    SELECT chain.world_slug, chain.attempt_id, earlier.adopts, distance + 1
    FROM chain JOIN attempts AS earlier
        ON earlier.world_slug = chain.world_slug AND earlier.attempt_id = chain.earlier_id
    WHERE earlier.adopts IS NOT NULL)
SELECT world_slug, attempt_id, source_invocation_id
FROM (
    SELECT DISTINCT ON (chain.world_slug, chain.attempt_id, command_key) chain.world_slug, chain.attempt_id,
        calls.source_invocation_id, answered OR coalesce(performed, false) AS has_answer
    FROM chain
        JOIN source_invocations AS calls
            ON calls.world_slug = chain.world_slug AND calls.attempt_id = chain.earlier_id
        LEFT JOIN call_settlements AS settled
            ON settled.world_slug = calls.world_slug AND settled.source_invocation_id = calls.source_invocation_id
    ORDER BY chain.world_slug, chain.attempt_id, command_key, distance, performance DESC) AS latest
WHERE has_answer;

-- The failed attempt with which the next one has to do: from which it adopts, or of which a call is in doubt.
ALTER TABLE worlds RENAME COLUMN settled_attempt_id TO adoptable_attempt_id;
ALTER TABLE worlds RENAME CONSTRAINT worlds_settled_attempt_fk TO worlds_adoptable_attempt_fk;

UPDATE worlds
SET adoptable_attempt_id = latest.attempt_id
FROM (
    SELECT DISTINCT ON (world_slug) world_slug, attempt_id, attempted_turn, status, is_transient
    FROM attempts ORDER BY world_slug, epoch DESC) AS latest
WHERE latest.world_slug = worlds.world_slug AND latest.status = 'failed' AND latest.attempted_turn = worlds.turn + 1
    AND EXISTS (
        SELECT FROM source_invocations AS calls
        WHERE calls.world_slug = latest.world_slug AND calls.attempt_id = latest.attempt_id
            AND (latest.is_transient AND answered
                OR effect_class <> 'read_only' AND calls.status IN ('succeeded', 'interrupted')));
