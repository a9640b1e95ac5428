-- A world may go on with edited documents, and may be deleted.

CREATE TABLE world_scenarios (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    scenario_seq positive_int NOT NULL,
    -- The first turn that is played by it, unless another one follows before.
    from_turn positive_bigint NOT NULL,
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios DEFERRABLE,
    chosen_at timestamptz NOT NULL,
    -- The files that it was read from, with their digests: only known where they are.
    files json,
    PRIMARY KEY (world_slug, scenario_seq)
);

CREATE INDEX world_scenarios_hash_idx ON world_scenarios (scenario_hash);

INSERT INTO world_scenarios (world_slug, scenario_seq, from_turn, scenario_hash, chosen_at)
SELECT world_slug, 1, 1 + (SELECT min(turn) FROM turns WHERE turns.world_slug = worlds.world_slug), scenario_hash, created_at
FROM worlds;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON world_scenarios
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Rows go with their whole world only. The transaction that deletes one says so, and needs the right to delete.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE OR REPLACE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('chukwa.deletes_world', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;
