-- A prompt may show what has happened lately: each message says which of its pieces are that.

ALTER TYPE segment_origin ADD VALUE IF NOT EXISTS 'world.recent_events';
