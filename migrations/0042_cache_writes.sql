-- Providers bill input that they write to a cache at a price of its own.
ALTER TABLE llm_calls ADD COLUMN cache_written_input_tokens natural_bigint;
