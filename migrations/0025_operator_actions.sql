-- What operators do by hand, who they were and why: written before it is done, with what came of it afterwards.

CREATE TYPE operator_action AS ENUM ('run_turns', 'stop_attempt', 'fork_world', 'settle_call', 'report_call');

CREATE TABLE operator_actions (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    action_id uuid NOT NULL,
    action operator_action NOT NULL,
    -- By a session, a token or a proof: operators share one token.
    acted_by text NOT NULL CHECK (acted_by <> ''),
    -- Only known where it was done.
    address text,
    -- Null where a program gave none.
    reason text CHECK (reason <> ''),
    details json NOT NULL,
    attempt_id uuid,
    source_invocation_id uuid,
    acted_at timestamptz NOT NULL,
    -- Null where the server died before it knew.
    accepted boolean,
    outcome text,
    PRIMARY KEY (world_slug, action_id),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts DEFERRABLE,
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations DEFERRABLE,
    CHECK ((accepted IS NULL) = (outcome IS NULL))
);

CREATE INDEX operator_actions_attempt_idx ON operator_actions (world_slug, attempt_id) WHERE attempt_id IS NOT NULL;

CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON operator_actions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');
CREATE TRIGGER outcome_is_final BEFORE UPDATE ON operator_actions
    FOR EACH ROW WHEN (OLD.outcome IS NOT NULL)
    EXECUTE FUNCTION refuse_rewriting('what came of an action is final');
