-- A call that the policy leaves to a person. It is bound to what the person is shown: a call that differs in any of it is
-- another one, and asks anew. Whether the attempt is over, so that nobody is asked any more, its own row says.
CREATE TYPE approval_status AS ENUM ('waiting', 'approved', 'denied', 'expired');

CREATE TABLE approvals (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug) DEFERRABLE,
    approval_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    command_key text NOT NULL,
    -- SHA-256 of the canonical JSON of the tool's definition, its arguments, the deciding rule, the subject and the attempt.
    binding_hash sha256_hex NOT NULL,
    status approval_status NOT NULL DEFAULT 'waiting',
    tool_name text NOT NULL,
    source_hash sha256_hex NOT NULL,
    effect_class effect_class NOT NULL,
    workflow_node_id human_id_text,
    workflow_subject_entity_id entity_id_text,
    request_json json NOT NULL,
    -- The pointer of the deciding rule in its policy, and its reason.
    rule text NOT NULL,
    because text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    -- Who decided, or the grant that did; nobody where the deadline has passed.
    decided_by text,
    grant_id uuid,
    reason text,
    PRIMARY KEY (world_slug, approval_id),
    UNIQUE (world_slug, attempt_id, command_key, binding_hash),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    CHECK ((status = 'waiting') = (decided_at IS NULL)),
    CHECK (status IN ('waiting', 'expired') OR decided_by IS NOT NULL)
);

CREATE INDEX approvals_waiting_idx ON approvals (deadline) WHERE status = 'waiting';

CREATE TRIGGER decision_is_final BEFORE UPDATE ON approvals
    FOR EACH ROW WHEN (old.status <> 'waiting') EXECUTE FUNCTION refuse_rewriting('a decision is final');
CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON approvals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting('no row is removed');

-- A person's decision for calls to come, in one world: it ends by its number of uses or its deadline.
CREATE TABLE approval_grants (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug) DEFERRABLE,
    grant_id uuid NOT NULL,
    tool_name text NOT NULL,
    -- NULL for every subject.
    workflow_subject_entity_id entity_id_text,
    -- Pointers into the arguments, and the values that must stand there.
    arguments json NOT NULL DEFAULT '{}',
    uses_left natural_int NOT NULL,
    granted_by text NOT NULL,
    granted_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    reason text,
    PRIMARY KEY (world_slug, grant_id)
);

ALTER TYPE operator_action ADD VALUE 'decide_call';
ALTER TYPE operator_action ADD VALUE 'grant_calls';
