-- Studies whose first run has begun. What a study asks and is made of does not change any more.
CREATE TABLE studies (
    study_label human_id_text NOT NULL PRIMARY KEY,
    -- Of all that its results depend on: its document without its budget, its scenarios and its probes.
    study_hash sha256_hex NOT NULL,
    document json NOT NULL,
    -- Its probes by the paths with which the document names them.
    probes json NOT NULL,
    sealed_at timestamp with time zone NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON studies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The worlds that a study plays, in the order in which they begin: a world for each run, one for each stretch of turns that
-- runs share, and one for each probe of a run. Their rows are there before the worlds are, and outlive them.
CREATE TABLE study_worlds (
    study_label human_id_text NOT NULL REFERENCES studies DEFERRABLE,
    world_slug human_id_text NOT NULL,
    place natural_int NOT NULL,
    seed bigint NOT NULL,
    -- NULL of turns that runs of several conditions share.
    condition text,
    -- The probe that the world asks; NULL of others.
    probe text,
    scenario_hash sha256_hex NOT NULL REFERENCES scenarios (hash) DEFERRABLE,
    -- The world of the study that it is a fork of, and the turn; NULL of those that begin by themselves.
    parent_slug human_id_text,
    parent_turn natural_bigint,
    -- The last turn that it plays.
    until_turn positive_bigint NOT NULL,
    -- The order in which its agents act.
    roster json NOT NULL,
    PRIMARY KEY (study_label, world_slug)
);
CREATE UNIQUE INDEX study_worlds_world_slug_idx ON study_worlds (world_slug);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON study_worlds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The limits of a study's budget are kept beside what it has spent, for all processes that play its worlds. Those of others
-- are set by an operator's variable, or by a scenario.
ALTER TABLE budgets ADD COLUMN limit_tokens natural_bigint;
ALTER TABLE budgets ADD COLUMN limit_money natural_bigint;
