-- What an operator did is called by the name that its declaration gives it: an action needs no migration.
ALTER TABLE operator_actions ALTER COLUMN action TYPE text;
DROP TYPE operator_action;
