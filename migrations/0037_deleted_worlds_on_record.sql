-- The deletion of a world is audited too. Its entry names no world, as that is gone with its other entries, and another one
-- may get its name; the details have the name.
ALTER TYPE operator_action ADD VALUE 'delete_world';

ALTER TABLE operator_actions DROP CONSTRAINT operator_actions_pkey;
ALTER TABLE operator_actions ALTER COLUMN world_slug DROP NOT NULL;
ALTER TABLE operator_actions ADD PRIMARY KEY (action_id);
CREATE INDEX operator_actions_world_idx ON operator_actions (world_slug, action_id);
