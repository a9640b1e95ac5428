-- The decision of the tool policy about a call, where the call needed leave: what it was, by which rule, and why.
ALTER TABLE source_invocations ADD COLUMN policy_ruling json;
