-- What has ended is not written again, and nothing is removed. The owner of the tables alone can disable the triggers.

CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER ended_is_final BEFORE UPDATE ON attempts FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting('an attempt that has ended is final');
CREATE TRIGGER ended_is_final BEFORE UPDATE ON source_invocations FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting('a call that has ended is final');
CREATE TRIGGER ended_is_final BEFORE UPDATE ON llm_calls FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting('a generation that has ended is final');
CREATE TRIGGER ended_is_final BEFORE UPDATE ON agent_turns FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting('an agent turn that has ended is final');

-- A trigger of some columns runs only where a statement names them, so heartbeats and leases do not pay for these.
CREATE TRIGGER turns_follow_each_other BEFORE UPDATE OF turn ON worlds FOR EACH ROW
    WHEN (NEW.turn <> OLD.turn + 1) EXECUTE FUNCTION refuse_rewriting('a turn is followed by the next one');
CREATE TRIGGER epochs_grow BEFORE UPDATE OF lease_epoch ON worlds FOR EACH ROW
    WHEN (NEW.lease_epoch <= OLD.lease_epoch) EXECUTE FUNCTION refuse_rewriting('an epoch only grows');
CREATE TRIGGER origin_is_final BEFORE UPDATE OF world_slug, root_world_slug, created_at ON worlds FOR EACH ROW
    EXECUTE FUNCTION refuse_rewriting('where a world comes from is final');

-- Rows of these tables change until they are over; none of them goes.
DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY[
        'agent_inbox', 'agent_state_heads', 'agent_turns', 'attempts', 'llm_calls', 'pending_calls',
        'source_invocations', 'turn_waiting_tools', 'worlds'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER rows_stay BEFORE DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting(%L)',
            kept, 'no row is removed');
    END LOOP;
END
$$;

-- Rows of a world refer to each other in circles: an import writes them table by table and has them checked at its end.
DO $$
DECLARE
    reference record;
BEGIN
    FOR reference IN
        SELECT conrelid::regclass AS place, conname FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND NOT condeferrable
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', reference.place, reference.conname);
    END LOOP;
END
$$;
