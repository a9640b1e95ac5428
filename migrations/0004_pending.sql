-- Answers that come later: a call may be pending, and its attempt may rest until somebody says how it ended.

ALTER TYPE timeline_event_kind ADD VALUE 'call_pended';
ALTER TYPE timeline_event_kind ADD VALUE 'attempt_suspended';

ALTER TABLE source_invocations
    -- How long an answer that comes later may take; where there is none, no answer may come later.
    ADD COLUMN pending_deadline_ms bigint CHECK (pending_deadline_ms > 0);

ALTER TABLE attempts
    -- While it is suspended: the first moment at which it has to go on, answered or not.
    ADD COLUMN resume_deadline timestamptz;

-- Beside the calls, whose own rows are written often and looked up by what never changes.
CREATE TABLE pending_calls (
    world_slug human_id_text NOT NULL,
    source_invocation_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    -- What the service calls it.
    correlation_alias text CHECK (length(correlation_alias) BETWEEN 1 AND 256),
    pended_at timestamptz NOT NULL,
    deadline timestamptz NOT NULL,
    -- What the service said when it took the call.
    accepted_body bytea,
    is_awaited boolean NOT NULL DEFAULT true,
    -- The attempt has been told that time has run out.
    is_timed_out boolean NOT NULL DEFAULT false,
    PRIMARY KEY (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id)
);
-- A service should give each name once. One that begins anew does not, and then a name says nothing: it is looked up
-- among all calls that are awaited.
CREATE INDEX pending_calls_alias_idx ON pending_calls (correlation_alias) WHERE correlation_alias IS NOT NULL;
CREATE INDEX pending_calls_deadline_idx ON pending_calls (deadline) WHERE is_awaited AND NOT is_timed_out;
CREATE INDEX pending_calls_attempt_idx ON pending_calls (world_slug, attempt_id) WHERE is_awaited;
