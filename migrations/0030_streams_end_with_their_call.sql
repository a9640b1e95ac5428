-- What has streamed in since the last flush stands on the row of its generation, which is written when that ends anyway. A row
-- of its own was a clause, a key and an index entry for each generation.

ALTER TABLE llm_calls ADD COLUMN last_text bytea, ADD COLUMN last_pieces bytea;

-- A stream from its first piece to its last.

CREATE VIEW llm_streams AS
    SELECT world_slug, llm_call_id, batch_seq::int, text, pieces, event_id FROM llm_chunks
    UNION ALL
    SELECT world_slug, llm_call_id, 2147483646, last_text, last_pieces, NULL::bigint FROM llm_calls
    WHERE last_text IS NOT NULL;
