-- A row that is named by the SHA-256 of its content holds that content, whoever writes it.
-- `format` puts no value of the session into its text.
CREATE FUNCTION name_of_message(role message_role, origins segment_origin[], texts bytea[], segment_hashes sha256_hex[])
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(format('["%s",[%s]]', role, (
        SELECT string_agg(format('["%s","%s"]', origin, coalesce(hash, encode(sha256(piece), 'hex'))), ',' ORDER BY place)
        FROM unnest(origins, texts, segment_hashes) WITH ORDINALITY AS pieces (origin, piece, hash, place))), 'UTF8')), 'hex');

ALTER TABLE llm_segments ADD CONSTRAINT named_by_content CHECK (segment_hash = encode(sha256(text), 'hex'));
ALTER TABLE llm_messages ADD CONSTRAINT named_by_content CHECK (
    cardinality(origins) = cardinality(texts) AND cardinality(origins) = cardinality(segment_hashes)
    AND message_hash = name_of_message(role, origins, texts, segment_hashes));

DO $$
DECLARE named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['cognition_profiles', 'cognition_workflows', 'json_schemas', 'offered_schemas',
        'prompt_texts', 'response_sources', 'scenarios', 'tool_policies'] LOOP
        EXECUTE format($check$ALTER TABLE %I ADD CONSTRAINT named_by_content
            CHECK (hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))$check$, named);
    END LOOP;
END
$$;

-- An operator or a function of the session's search path is never the one that a trigger calls. A function in standard SQL
-- is bound when it is made.
CREATE OR REPLACE FUNCTION named_uuid(first text, second text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    RETURN (SELECT (substr(digits, 1, 12) || '8' || substr(digits, 14, 3)
        || substr('89ab', ('x' || substr(digits, 17, 1))::bit(4)::int % 4 + 1, 1) || substr(digits, 18, 15))::uuid
    FROM encode(sha256(convert_to('["' || first || '","' || second || '"]', 'UTF8')), 'hex') AS digits);

DO $$
DECLARE called regprocedure;
BEGIN
    FOR called IN SELECT oid FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND prorettype = 'trigger'::regtype LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', called);
    END LOOP;
END
$$;
