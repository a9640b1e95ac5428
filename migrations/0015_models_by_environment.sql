-- A source may leave the name of its model, and its endpoint, to the environment: each call keeps what they came to. A
-- schema is sent without the bounds that servers refuse: each call keeps which one was sent, beside the whole one.

ALTER TYPE schema_delivery ADD VALUE IF NOT EXISTS 'json_object';

ALTER TABLE llm_calls
    ADD COLUMN endpoint_origin text,
    ADD COLUMN delivered_schema_hash sha256_hex REFERENCES offered_schemas (hash) DEFERRABLE;
