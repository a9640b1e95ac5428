-- Assistants act through a surface of their own.
ALTER TYPE action_surface ADD VALUE 'mcp';

-- The turns that an assistant has queued with one request. Their messages and attempts say how far they are.
CREATE TABLE assistant_tasks (
    world_slug human_id_text NOT NULL REFERENCES worlds (world_slug) DEFERRABLE,
    task_id uuid NOT NULL UNIQUE,
    -- Who began it, and alone may ask for it.
    principal text NOT NULL CHECK (principal <> ''),
    inbox_ids uuid[] NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    PRIMARY KEY (world_slug, task_id)
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON assistant_tasks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
