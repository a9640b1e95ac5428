-- Who answers the calls of a study is sealed with it: runs that are answered by others could not be compared with its own.
-- Nobody has written that down of a study from before this, so it goes on whoever answers; no other says 'unknown'.
ALTER TABLE studies ADD COLUMN answered_by text NOT NULL DEFAULT 'unknown' CHECK (length(answered_by) BETWEEN 1 AND 2000);
ALTER TABLE studies ALTER COLUMN answered_by DROP DEFAULT;
