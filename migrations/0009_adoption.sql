-- A new attempt goes on from the records of the one before it, and nothing that had a side effect is made twice.

ALTER TABLE source_invocations
    -- It has a side effect, and its service performs it once however often it is sent: it may be made again.
    ADD COLUMN repeatable boolean NOT NULL DEFAULT false,
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
