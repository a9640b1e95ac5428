-- What is to be done: turns that worlds wait for, and messages to attempts that wait. The table is the truth; whoever
-- rings at a worker's door only saves it the time until it looks by itself.

CREATE TYPE inbox_message_type AS ENUM ('turn', 'tool_result', 'timeout', 'stop', 'ui_action');
CREATE TYPE inbox_status AS ENUM ('queued', 'pending', 'deferred', 'consumed');

CREATE TABLE agent_inbox (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug),
    -- Ordered by time: what came first is first in the queue.
    inbox_id uuid NOT NULL,
    -- Left out for the world itself.
    agent_id entity_id_text,
    message_type inbox_message_type NOT NULL,
    status inbox_status NOT NULL,
    -- Of a turn: the attempt that does it. Of every other message: the attempt that it is for.
    attempt_id uuid,
    agent_turn_id uuid,
    turn_epoch bigint CHECK (turn_epoch >= 1),
    -- The call that is answered or has run out of time; of a stop, the attempt.
    correlation_id uuid,
    payload json NOT NULL DEFAULT '{}',
    retry_count int NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    -- Nobody takes it up before. Infinity while an attempt does it; a while ahead while somebody is about to begin.
    next_retry_at timestamptz,
    -- When a worker may claim it; none for what no worker claims. A column, so that the planner knows how many there are.
    due_at timestamptz GENERATED ALWAYS AS (
        CASE WHEN status IN ('pending', 'deferred') AND (message_type <> 'turn' OR agent_id IS NULL)
            THEN next_retry_at END) STORED,
    defer_reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    consumed_at timestamptz,
    PRIMARY KEY (world_slug, inbox_id),
    CONSTRAINT agent_inbox_attempt_fk
        FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id),
    CHECK ((status = 'consumed') = (consumed_at IS NOT NULL)),
    CHECK ((status = 'queued') = (next_retry_at IS NULL)),
    CHECK (status <> 'queued' OR message_type = 'turn'),
    CHECK (message_type NOT IN ('tool_result', 'timeout', 'stop') OR num_nulls(attempt_id, correlation_id) = 0)
);

-- One turn of each world at a time is to be taken up, so the line of those is as long as there are worlds, however
-- many turns wait behind them; and it goes round the worlds.
CREATE UNIQUE INDEX agent_inbox_turn_idx ON agent_inbox (world_slug)
    WHERE message_type = 'turn' AND agent_id IS NULL AND status IN ('pending', 'deferred');
CREATE UNIQUE INDEX agent_inbox_agent_turn_idx ON agent_inbox (world_slug, agent_id)
    WHERE message_type = 'turn' AND agent_id IS NOT NULL AND status IN ('pending', 'deferred');
CREATE INDEX agent_inbox_due_idx ON agent_inbox (due_at, inbox_id) WHERE due_at IS NOT NULL;
CREATE INDEX agent_inbox_queue_idx ON agent_inbox (world_slug, inbox_id)
    WHERE status = 'queued' AND agent_id IS NULL;
CREATE INDEX agent_inbox_attempt_idx ON agent_inbox (world_slug, attempt_id)
    WHERE status IN ('pending', 'deferred') AND attempt_id IS NOT NULL;
-- A report that is made again is the same report.
CREATE UNIQUE INDEX agent_inbox_correlation_idx ON agent_inbox (world_slug, correlation_id, message_type)
    WHERE correlation_id IS NOT NULL;

ALTER TABLE attempts
    -- The message that asked for it; none where a person ran it there and then.
    ADD COLUMN inbox_id uuid,
    ADD CONSTRAINT attempts_inbox_fk
        FOREIGN KEY (world_slug, inbox_id) REFERENCES agent_inbox (world_slug, inbox_id);

-- Attempts that have lost their driver are found among those that run.
CREATE INDEX attempts_running_idx ON attempts (world_slug) WHERE status = 'running';
