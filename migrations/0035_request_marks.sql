-- A random part of the client request ids of a world's calls: a world that is deleted and made again, one of the same name in
-- another database and a fork ask services under ids of their own. An import keeps the part: it continues the world.
ALTER TABLE worlds ADD COLUMN request_mark text NOT NULL
  DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12) CHECK (request_mark ~ '^[0-9a-f]{12}$');
