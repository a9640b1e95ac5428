-- People see grants, and take them back, and see where the arguments of a call come from. What a person was asked, and
-- what was decided, are events of the attempt.
ALTER TABLE approvals ADD COLUMN origins json;
ALTER TABLE approval_grants ADD COLUMN uses natural_int;
UPDATE approval_grants SET uses = uses_left + (SELECT count(*) FROM approvals WHERE approvals.grant_id = approval_grants.grant_id);
ALTER TABLE approval_grants ALTER COLUMN uses SET NOT NULL;
ALTER TABLE approval_grants ADD COLUMN revoked_at timestamp with time zone;

ALTER TYPE timeline_event_kind ADD VALUE 'approval_asked';
ALTER TYPE timeline_event_kind ADD VALUE 'approval_decided';
