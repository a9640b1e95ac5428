-- A decision is bound to what a person was shown, so nothing of that changes while it waits. The hash of the policy is the
-- part of the binding that no other column has; it is absent where an earlier version asked.
ALTER TABLE approvals ADD COLUMN policy_hash sha256_hex;

CREATE TRIGGER question_is_final BEFORE UPDATE OF world_slug, approval_id, attempt_id, command_key, binding_hash, tool_name,
    source_hash, effect_class, workflow_node_id, workflow_subject_entity_id, request_json, origins, policy_hash, rule, because,
    asked_at, deadline ON approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting('what a person is asked is final');
