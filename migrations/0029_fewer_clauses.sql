-- A turn is written by fewer clauses: PostgreSQL sets up each of them whenever its statement runs.

-- What a plugin and the verdict leave beside a generation stands on its row, as canonical JSON.

ALTER TABLE llm_calls ADD COLUMN artifacts json NOT NULL DEFAULT '[]';
ALTER TABLE llm_calls DISABLE TRIGGER ended_is_final;
UPDATE llm_calls SET artifacts = listed.artifacts
FROM (
    SELECT world_slug, llm_call_id, ('[' || string_agg(
        '{"kind":' || to_json(kind)::text || ',"value":' || value::text || '}', ',' ORDER BY artifact_seq) || ']')::json AS artifacts
    FROM llm_artifacts
    GROUP BY world_slug, llm_call_id) AS listed
WHERE listed.world_slug = llm_calls.world_slug AND listed.llm_call_id = llm_calls.llm_call_id;
ALTER TABLE llm_calls ENABLE TRIGGER ended_is_final;
DROP TABLE llm_artifacts;

-- Nothing read it.

ALTER TABLE source_invocations DROP COLUMN metadata;

-- The effects of a patch stand on its row, as canonical JSON.

ALTER TABLE entity_states DROP CONSTRAINT entity_states_world_slug_turn_patch_seq_effect_index_fkey;
ALTER TABLE entity_memories DROP CONSTRAINT entity_memories_world_slug_turn_patch_seq_effect_index_fkey;
ALTER TABLE environment_contents DROP CONSTRAINT environment_contents_world_slug_turn_patch_seq_effect_inde_fkey;

ALTER TABLE world_patches DISABLE TRIGGER append_only;
ALTER TABLE world_patches ADD COLUMN effects json NOT NULL DEFAULT '[]';
UPDATE world_patches SET effects = listed.effects
FROM (
    SELECT world_slug, turn, patch_seq, ('[' || string_agg(json_strip_nulls(json_build_object(
        'effect_index', effect_index, 'entity_id', entity_id, 'environment_label', environment_label, 'op', op,
        'state_after', state_after, 'state_before', state_before))::text, ',' ORDER BY effect_index) || ']')::json AS effects
    FROM patch_effects
    GROUP BY world_slug, turn, patch_seq) AS listed
WHERE listed.world_slug = world_patches.world_slug AND listed.turn = world_patches.turn
    AND listed.patch_seq = world_patches.patch_seq;
ALTER TABLE world_patches ALTER COLUMN effects DROP DEFAULT;
ALTER TABLE world_patches ENABLE TRIGGER append_only;
DROP TABLE patch_effects;

CREATE VIEW patch_effects AS
    SELECT world_slug, turn, patch_seq, effect_index, op, entity_id, environment_label, state_before, state_after
    FROM world_patches, json_to_recordset(effects) AS row (effect_index int, op effect_operation, entity_id text,
        environment_label text, state_before text, state_after text);

-- What a row must be is said by a function of its table, which a session compiles once. A CHECK, a generated column and the
-- condition of a trigger are text that every statement which writes the table reads anew.

ALTER TABLE source_invocations
    DROP CONSTRAINT source_invocations_status_check,
    ALTER COLUMN may_be_followed DROP EXPRESSION,
    ALTER COLUMN may_be_followed SET DEFAULT false;
DROP TRIGGER ended_is_final ON source_invocations;
CREATE FUNCTION sound_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL THEN
        RAISE 'source_invocations: a call that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- Statuses are compared by the order of their type: those of what is under way come first, those of failures last.
    IF (NEW.status <= 'pending') <> (NEW.ended_at IS NULL) OR (NEW.status >= 'failed') <> (NEW.failure_class IS NOT NULL) THEN
        RAISE 'source_invocations: a call has an end and a failure as its status says' USING ERRCODE = 'check_violation';
    END IF;
    -- An index names it. Beside status, so that the beginning and the end of a call with an answer change no indexed value.
    IF NEW.may_be_followed <> (NEW.status = 'interrupted' OR NEW.status = 'failed' AND NOT NEW.answered) THEN
        NEW.may_be_followed := NOT NEW.may_be_followed;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON source_invocations FOR EACH ROW EXECUTE FUNCTION sound_call();

ALTER TABLE attempts DROP CONSTRAINT attempts_status_check;
DROP TRIGGER ended_is_final ON attempts;
CREATE FUNCTION sound_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NOT NULL THEN
        RAISE 'attempts: an attempt that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.status <= 'suspended') <> (NEW.ended_at IS NULL) OR (NEW.status >= 'failed') <> (NEW.failure_class IS NOT NULL) THEN
        RAISE 'attempts: an attempt has an end and a failure as its status says' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION sound_attempt();

DROP TRIGGER ended_is_final ON llm_calls;
CREATE FUNCTION sound_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL THEN
        RAISE 'llm_calls: a generation that has ended is final' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE UPDATE ON llm_calls FOR EACH ROW EXECUTE FUNCTION sound_generation();

ALTER TABLE agent_inbox DROP CONSTRAINT agent_inbox_check;
DROP TRIGGER forget_payload ON agent_inbox;
DROP FUNCTION forget_payload;
CREATE FUNCTION sound_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status = 'consumed') <> (NEW.consumed_at IS NOT NULL) OR (NEW.status = 'queued') <> (NEW.next_retry_at IS NULL)
        OR NEW.message_type <> 'turn' AND (NEW.status = 'queued'
            OR NEW.message_type <> 'ui_action' AND num_nulls(NEW.attempt_id, NEW.correlation_id) > 0) THEN
        RAISE 'agent_inbox: a message has moments as its status says, and names what it is about' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.status = 'consumed' AND NEW.message_type <> 'turn' THEN
        NEW.payload := '{}';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON agent_inbox FOR EACH ROW EXECUTE FUNCTION sound_message();

ALTER TABLE agent_state_heads DROP CONSTRAINT agent_state_heads_check;
CREATE FUNCTION sound_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status = 'idle') <> (NEW.active_agent_turn_id IS NULL) THEN
        RAISE 'agent_state_heads: an agent has a turn unless it is idle' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON agent_state_heads FOR EACH ROW EXECUTE FUNCTION sound_head();

ALTER TABLE worlds DROP CONSTRAINT worlds_check;
CREATE FUNCTION sound_world() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF num_nulls(NEW.lease_attempt_id, NEW.lease_host, NEW.lease_pid, NEW.lease_until) NOT IN (0, 4) THEN
        RAISE 'worlds: a lease is whole' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER row_is_sound BEFORE INSERT OR UPDATE ON worlds FOR EACH ROW EXECUTE FUNCTION sound_world();

DROP TRIGGER turns_follow_each_other ON worlds;
CREATE FUNCTION turns_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.turn <> OLD.turn + 1 THEN
        RAISE 'worlds: a turn is followed by the next one' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER turns_follow_each_other BEFORE UPDATE OF turn ON worlds FOR EACH ROW EXECUTE FUNCTION turns_follow();

DROP TRIGGER epochs_grow ON worlds;
CREATE FUNCTION epochs_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.lease_epoch <= OLD.lease_epoch THEN
        RAISE 'worlds: an epoch only grows' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER epochs_grow BEFORE UPDATE OF lease_epoch ON worlds FOR EACH ROW EXECUTE FUNCTION epochs_follow();

-- One statement writes both columns of these from one effect, and the lists of a message from one list of pieces.

ALTER TABLE entity_states DROP CONSTRAINT entity_states_check;
ALTER TABLE environment_contents DROP CONSTRAINT environment_contents_check;
ALTER TABLE entity_memories DROP CONSTRAINT entity_memories_check;
ALTER TABLE llm_messages DROP CONSTRAINT llm_messages_check;

-- A statement that makes a row of one that it holds, writes or selects itself needs no check that this is there: the fence of a
-- driver holds the row of its world, which names its attempt. An import looks for such references by itself.

ALTER TABLE attempts
    DROP CONSTRAINT attempts_world_slug_fkey,
    DROP CONSTRAINT attempts_scenario_hash_fkey;
ALTER TABLE worlds
    DROP CONSTRAINT worlds_head_fk,
    DROP CONSTRAINT worlds_lease_attempt_fk;
ALTER TABLE turns
    DROP CONSTRAINT turns_world_slug_fkey,
    DROP CONSTRAINT turns_world_slug_attempt_id_fkey;
ALTER TABLE source_invocations DROP CONSTRAINT source_invocations_attempt_fk;
ALTER TABLE llm_calls DROP CONSTRAINT llm_calls_world_slug_source_invocation_id_fkey;
ALTER TABLE llm_chunks DROP CONSTRAINT llm_chunks_world_slug_llm_call_id_fkey;
ALTER TABLE world_patches DROP CONSTRAINT world_patches_world_slug_turn_fkey;
