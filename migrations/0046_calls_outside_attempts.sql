-- A model that is tried counts against the operator's budget too. No lease says whether who tries it lives: its
-- reservation ends with the deadline of the call.
ALTER TABLE budget_reservations
  ALTER COLUMN lease_world DROP NOT NULL,
  ALTER COLUMN lease_attempt_id DROP NOT NULL,
  ALTER COLUMN lease_epoch DROP NOT NULL,
  ADD COLUMN held_until timestamptz,
  ADD CONSTRAINT budget_reservations_held_check CHECK (
    num_nonnulls(lease_world, lease_attempt_id, lease_epoch) = CASE WHEN held_until IS NULL THEN 3 ELSE 0 END);
