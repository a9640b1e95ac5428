-- A session that first checks a reference while tables are empty keeps the plan that it makes then, until somebody
-- counts the rows: a server within minutes. Of indexes that all seem to find one row it takes the one made last, which
-- was one that finds every row of the world. So the index that finds the row that is meant is made last.

DROP INDEX attempts_id_idx;
CREATE INDEX attempts_id_idx ON attempts (attempt_id);

DROP INDEX source_invocations_id_idx;
CREATE INDEX source_invocations_id_idx ON source_invocations (source_invocation_id);
