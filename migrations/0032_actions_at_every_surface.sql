-- Actions at the terminal are audited like those of pages and programs; so is a look at what redaction hides.
ALTER TYPE operator_action ADD VALUE 'see_unredacted';

CREATE TYPE action_surface AS ENUM ('command_line', 'http', 'browser');

ALTER TABLE operator_actions DISABLE TRIGGER outcome_is_final;
ALTER TABLE operator_actions ADD COLUMN surface action_surface;
UPDATE operator_actions
    SET surface = CASE WHEN acted_by LIKE 'session %' THEN 'browser' WHEN acted_by = 'proof' THEN 'command_line' ELSE 'http' END::action_surface;
ALTER TABLE operator_actions ALTER COLUMN surface SET NOT NULL;
ALTER TABLE operator_actions ENABLE TRIGGER outcome_is_final;
