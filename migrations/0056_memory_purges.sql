-- Memories that a person took out of the present of a world: those of this origin, up to the end of this turn. The turns
-- until then keep them, and so does every other world that shares those turns.
CREATE TABLE memory_purges (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug) DEFERRABLE,
    at_turn natural_bigint NOT NULL,
    origin text NOT NULL CHECK (origin <> ''),
    purged_at timestamp with time zone NOT NULL,
    PRIMARY KEY (world_slug, at_turn, origin)
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON memory_purges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
