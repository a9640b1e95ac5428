-- The most tokens of an answer that budgets left, where that was less than the source's own limit.
ALTER TABLE llm_calls ADD COLUMN max_output_tokens positive_bigint;

-- A budget of all worlds for one day, or of one world. Each change is one statement, which sees all others.
CREATE TABLE budgets (
    budget_key text NOT NULL PRIMARY KEY,
    -- Whose budget it is; NULL where all worlds share it.
    world_slug human_id_text REFERENCES worlds (world_slug) DEFERRABLE,
    spent_tokens natural_bigint NOT NULL DEFAULT 0,
    spent_money natural_bigint NOT NULL DEFAULT 0,
    reserved_tokens natural_bigint NOT NULL DEFAULT 0,
    reserved_money natural_bigint NOT NULL DEFAULT 0,
    -- The call that the latest statement let through, if it did.
    granted_to uuid
);

-- A call under way. It ends with its call, or with the lease of its driver.
CREATE TABLE budget_reservations (
    budget_key text NOT NULL,
    call_id uuid NOT NULL,
    lease_world human_id_text NOT NULL,
    lease_attempt_id uuid NOT NULL,
    lease_epoch natural_bigint NOT NULL,
    least_tokens natural_bigint NOT NULL,
    least_money natural_bigint NOT NULL,
    most_tokens natural_bigint NOT NULL,
    most_money natural_bigint NOT NULL,
    PRIMARY KEY (budget_key, call_id)
);
