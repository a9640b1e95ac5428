-- The log of this database: one leaf for each seal, in the order in which checkpoints took them in. A leaf stays when its
-- world is deleted, so that a checkpoint shows what is gone.
CREATE TABLE log_leaves (
    -- From 0 on, without gaps.
    log_index bigint PRIMARY KEY CHECK (log_index >= 0),
    world_slug human_id_text NOT NULL,
    seal_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    -- The canonical JSON of the seal.
    seal text NOT NULL,
    -- SHA-256(0x00 || seal), as in RFC 6962.
    leaf_hash bytea NOT NULL CHECK (length(leaf_hash) = 32),
    UNIQUE (world_slug, seal_seq, attempt_id)
);

-- The states of the log that its key has signed.
CREATE TABLE checkpoints (
    -- The name of the log, which follows from its key.
    origin text NOT NULL CHECK (origin <> ''),
    tree_size bigint NOT NULL CHECK (tree_size >= 0),
    root bytea NOT NULL CHECK (length(root) = 32),
    -- As it was given to the anchor.
    note text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    PRIMARY KEY (origin, tree_size)
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log_leaves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
