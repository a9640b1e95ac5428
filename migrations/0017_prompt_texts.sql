-- Prompts in files of their own, stored by content like every other document.

ALTER TYPE component_kind ADD VALUE IF NOT EXISTS 'prompt_text';

-- A value that was added cannot be used before its transaction has ended: the kind is written as text here.
CREATE TABLE prompt_texts (
    hash sha256_hex PRIMARY KEY,
    kind component_kind NOT NULL DEFAULT ('prompt_text'::text)::component_kind CHECK (kind::text = 'prompt_text'),
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (kind, hash) REFERENCES components (kind, hash) DEFERRABLE
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON prompt_texts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
