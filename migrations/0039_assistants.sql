-- Assistants act through a surface of their own.
ALTER TYPE action_surface ADD VALUE 'mcp';
