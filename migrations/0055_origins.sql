-- Where a patch comes from: everything that its generation saw, and the model. What it wrote has the same origins.
-- NULL of patches of earlier versions.
ALTER TABLE world_patches ADD COLUMN origins text[];

-- Where the arguments of a call come from, by their pointers; "" stands for all that are not listed.
ALTER TABLE source_invocations ADD COLUMN argument_origins json;

-- Where each segment comes from, joined by spaces; NULL where that follows from what put it there. Equal texts of other
-- origins are other messages.
ALTER TABLE llm_messages ADD COLUMN segment_origins text[];
ALTER TABLE llm_messages DROP CONSTRAINT named_by_content;
DROP FUNCTION name_of_message(message_role, segment_origin[], bytea[], sha256_hex[]);
CREATE FUNCTION name_of_message(role message_role, origins segment_origin[], texts bytea[], segment_hashes sha256_hex[],
    segment_origins text[] DEFAULT NULL)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(format('["%s",[%s]]', role, (
        SELECT string_agg(format('["%s","%s"%s]', origin, coalesce(hash, encode(sha256(piece), 'hex')), ',"' || comes_from || '"'),
            ',' ORDER BY place)
        FROM unnest(origins, texts, segment_hashes, segment_origins)
            WITH ORDINALITY AS pieces (origin, piece, hash, comes_from, place))), 'UTF8')), 'hex');
ALTER TABLE llm_messages ADD CONSTRAINT named_by_content CHECK (
    cardinality(origins) = cardinality(texts) AND cardinality(origins) = cardinality(segment_hashes)
    AND cardinality(origins) = coalesce(cardinality(segment_origins), cardinality(origins))
    AND message_hash = name_of_message(role, origins, texts, segment_hashes, segment_origins));
CREATE OR REPLACE VIEW llm_message_pieces AS
    SELECT message_hash, pieces.position, pieces.origin, coalesce(pieces.text, llm_segments.text) AS text, pieces.comes_from
    FROM llm_messages
        CROSS JOIN unnest(origins, texts, segment_hashes, segment_origins)
            WITH ORDINALITY AS pieces (origin, text, segment_hash, comes_from, position)
        LEFT JOIN llm_segments USING (segment_hash);
