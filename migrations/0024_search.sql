-- Lists of documents by label are read by an index; documents are written once, and rarely.

CREATE INDEX scenarios_label_idx ON scenarios ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX cognition_profiles_label_idx ON cognition_profiles ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX cognition_workflows_label_idx ON cognition_workflows ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX tool_policies_label_idx ON tool_policies ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX response_sources_label_idx ON response_sources ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX json_schemas_label_idx ON json_schemas ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);
CREATE INDEX prompt_texts_label_idx ON prompt_texts ((left(coalesce(
    content->>'label', content->>'title', content->>'$id', left(split_part(content->>'text', E'\n', 1), 60), hash::text), 200) COLLATE "C"), hash);

-- Texts that can be searched for, taken in after their attempt has ended: no turn writes here. They say nothing that is not on
-- record elsewhere.

CREATE TYPE search_kind AS ENUM ('narration', 'state', 'prompt', 'answer', 'result');

CREATE TABLE search_entries (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    attempt_id uuid NOT NULL,
    entry_seq positive_int NOT NULL,
    turn positive_bigint NOT NULL,
    kind search_kind NOT NULL,
    workflow_subject_entity_id entity_id_text,
    source_label text,
    failure_class text,
    patch_seq positive_int,
    source_invocation_id uuid,
    llm_call_id uuid,
    text text NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', text)) STORED,
    PRIMARY KEY (world_slug, attempt_id, entry_seq),
    FOREIGN KEY (world_slug, attempt_id) REFERENCES attempts (world_slug, attempt_id) DEFERRABLE,
    FOREIGN KEY (world_slug, source_invocation_id) REFERENCES source_invocations (world_slug, source_invocation_id) DEFERRABLE,
    FOREIGN KEY (world_slug, llm_call_id) REFERENCES llm_calls (world_slug, llm_call_id) DEFERRABLE
);

CREATE INDEX search_entries_words_idx ON search_entries USING gin (words);
-- The order in which they are found, backwards.
CREATE INDEX search_entries_order_idx ON search_entries (attempt_id, world_slug, entry_seq);
CREATE INDEX search_entries_failure_idx ON search_entries (failure_class, attempt_id, world_slug, entry_seq)
    WHERE failure_class IS NOT NULL;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON search_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Up to which epoch the attempts of a world have been taken in.
CREATE TABLE search_progress (
    world_slug human_id_text PRIMARY KEY REFERENCES worlds DEFERRABLE,
    epoch positive_bigint NOT NULL
);
