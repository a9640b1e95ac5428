-- A seal makes what happened tamper-evident: the statement that ends an attempt writes the hash of each entry of its
-- ledgers, and so does a settlement. The entries themselves are folded from the record whenever they are wanted.
CREATE TABLE seals (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug) DEFERRABLE,
    -- In the order in which a world's attempts ended.
    seal_seq positive_int NOT NULL,
    attempt_id uuid NOT NULL,
    -- Of a settlement, the call that it settles.
    source_invocation_id uuid,
    -- 32 bytes for each entry: SHA-256(0x00 || its canonical JSON), as in RFC 6962.
    leaf_hashes bytea NOT NULL CHECK (length(leaf_hashes) % 32 = 0 AND length(leaf_hashes) > 0),
    -- The root of the Merkle tree over them.
    root bytea NOT NULL CHECK (length(root) = 32),
    -- The root of the seal before it in its world.
    previous_root bytea CHECK (length(previous_root) = 32),
    sealed_at timestamp with time zone NOT NULL,
    PRIMARY KEY (world_slug, seal_seq),
    CHECK ((seal_seq = 1) = (previous_root IS NULL)),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE
);

CREATE INDEX seals_attempt_idx ON seals (world_slug, attempt_id);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The session of an attempt is named by the hash of its id.
CREATE INDEX attempts_session_idx ON attempts
    (upper(left(encode(sha256(decode(replace(attempt_id::text, '-', ''), 'hex')), 'hex'), 8)));
