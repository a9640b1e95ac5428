-- Each generation lists the messages that it adds to its conversation, and has its tokens. An update writes what follows the first changed column
-- of a row to the log, so that what the end of a generation writes stands last.

ALTER TABLE llm_conversation_messages RENAME TO earlier_conversation_messages;

DROP TRIGGER ended_is_final ON llm_calls;
ALTER TABLE llm_calls RENAME COLUMN status TO earlier_status;
ALTER TABLE llm_calls RENAME COLUMN normalised_text TO earlier_normalised_text;
ALTER TABLE llm_calls RENAME COLUMN finish_reason TO earlier_finish_reason;
ALTER TABLE llm_calls RENAME COLUMN ended_at TO earlier_ended_at;
ALTER TABLE llm_calls
    -- Hashes of the messages that no generation of the conversation listed before, up to the message_count-th.
    ADD COLUMN new_messages sha256_hex[] NOT NULL DEFAULT '{}',
    ADD COLUMN status source_invocation_status NOT NULL DEFAULT 'running',
    ADD COLUMN ended_at timestamptz,
    ADD COLUMN finish_reason text,
    ADD COLUMN input_tokens bigint,
    ADD COLUMN output_tokens bigint,
    ADD COLUMN cached_input_tokens bigint,
    ADD COLUMN reasoning_tokens bigint,
    -- Of a text that was judged, null where it is the text that streamed in.
    ADD COLUMN normalised_text bytea;

UPDATE llm_calls
SET status = earlier_status, ended_at = earlier_ended_at, finish_reason = earlier_finish_reason,
    input_tokens = counted.input_tokens, output_tokens = counted.output_tokens,
    cached_input_tokens = counted.cached_input_tokens, reasoning_tokens = counted.reasoning_tokens,
    normalised_text = earlier_normalised_text,
    new_messages = ARRAY(
        SELECT message_hash FROM earlier_conversation_messages AS listed
        WHERE listed.world_slug = llm_calls.world_slug AND listed.attempt_id = llm_calls.attempt_id
            AND listed.conversation = llm_calls.conversation AND listed.position > counted.before
            AND listed.position <= llm_calls.message_count
        ORDER BY listed.position)
FROM (
    SELECT said.world_slug, said.llm_call_id,
        observed.input_tokens, observed.output_tokens, observed.cached_input_tokens, observed.reasoning_tokens,
        coalesce(max(message_count) OVER (
            PARTITION BY said.world_slug, said.attempt_id, conversation ORDER BY invocation_seq
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM llm_calls AS said JOIN source_invocations USING (world_slug, source_invocation_id)
        LEFT JOIN llm_token_observations AS observed
            ON observed.world_slug = said.world_slug AND observed.llm_call_id = said.llm_call_id) AS counted
WHERE counted.world_slug = llm_calls.world_slug AND counted.llm_call_id = llm_calls.llm_call_id;

DROP TABLE earlier_conversation_messages, llm_token_observations;
ALTER TABLE llm_calls
    DROP COLUMN earlier_status,
    DROP COLUMN earlier_normalised_text,
    DROP COLUMN earlier_finish_reason,
    DROP COLUMN earlier_ended_at,
    -- A domain from the beginning would have every row written and checked once more.
    ALTER COLUMN input_tokens TYPE natural_bigint,
    ALTER COLUMN output_tokens TYPE natural_bigint,
    ALTER COLUMN cached_input_tokens TYPE natural_bigint,
    ALTER COLUMN reasoning_tokens TYPE natural_bigint;

CREATE TRIGGER ended_is_final BEFORE UPDATE ON llm_calls FOR EACH ROW
    WHEN (old.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting('a generation that has ended is final');

-- The messages of each conversation. A process that does not know what another one has listed lists it again.
CREATE VIEW llm_conversation_messages AS
    SELECT DISTINCT calls.world_slug, calls.attempt_id, conversation,
        (message_count - cardinality(new_messages) + place)::int AS position, message_hash
    FROM source_invocations AS calls JOIN llm_calls USING (world_slug, llm_call_id)
        CROSS JOIN LATERAL unnest(new_messages) WITH ORDINALITY AS listed (message_hash, place);
