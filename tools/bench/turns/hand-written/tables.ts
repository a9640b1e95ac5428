// The record that a careful engineer writes by hand: the same facts of a turn as this program, in plain tables with
// primary and foreign keys, and no other indexes than those.

/** Makes the tables, and a world with the states that the park begins with. */
export const TABLES = `
  CREATE TABLE floor_worlds (slug text PRIMARY KEY, turn bigint NOT NULL, holder text);
  CREATE TABLE floor_attempts (id uuid PRIMARY KEY, slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL,
    status text NOT NULL, call_count int NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz);
  CREATE TABLE floor_schemas (hash text PRIMARY KEY, content json NOT NULL);
  CREATE TABLE floor_calls (id uuid PRIMARY KEY, attempt_id uuid NOT NULL REFERENCES floor_attempts,
    slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL, seq int NOT NULL, command_key text NOT NULL,
    parent_id uuid REFERENCES floor_calls, kind text NOT NULL, request_hash text NOT NULL, request json NOT NULL,
    status text NOT NULL, response json, headers json, http_status int,
    started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz, UNIQUE (attempt_id, command_key));
  CREATE TABLE floor_llm_calls (id uuid PRIMARY KEY, call_id uuid NOT NULL REFERENCES floor_calls, model text NOT NULL,
    schema_hash text REFERENCES floor_schemas, conversation text NOT NULL, message_count int NOT NULL,
    status text NOT NULL, normalised_text text, output_kind text, finish_reason text);
  CREATE TABLE floor_messages (attempt_id uuid NOT NULL REFERENCES floor_attempts, conversation text NOT NULL,
    position int NOT NULL, role text NOT NULL, content text NOT NULL, PRIMARY KEY (attempt_id, conversation, position));
  CREATE TABLE floor_chunks (llm_call_id uuid NOT NULL REFERENCES floor_llm_calls, batch_seq int NOT NULL,
    text text NOT NULL, lengths int[] NOT NULL, offsets_ms int[] NOT NULL, PRIMARY KEY (llm_call_id, batch_seq));
  CREATE TABLE floor_artifacts (llm_call_id uuid NOT NULL REFERENCES floor_llm_calls, seq int NOT NULL,
    kind text NOT NULL, value json NOT NULL, PRIMARY KEY (llm_call_id, seq));
  CREATE TABLE floor_tokens (llm_call_id uuid PRIMARY KEY REFERENCES floor_llm_calls, input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL);
  CREATE TABLE floor_turns (slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL,
    attempt_id uuid REFERENCES floor_attempts, committed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (slug, turn));
  CREATE TABLE floor_patches (slug text NOT NULL, turn bigint NOT NULL, patch_seq int NOT NULL,
    call_id uuid NOT NULL REFERENCES floor_calls, patch json NOT NULL, PRIMARY KEY (slug, turn, patch_seq),
    FOREIGN KEY (slug, turn) REFERENCES floor_turns);
  CREATE TABLE floor_effects (slug text NOT NULL, turn bigint NOT NULL, patch_seq int NOT NULL, seq int NOT NULL,
    entity_id text NOT NULL, state_before text, state_after text NOT NULL,
    PRIMARY KEY (slug, turn, patch_seq, seq),
    FOREIGN KEY (slug, turn, patch_seq) REFERENCES floor_patches);
  CREATE TABLE floor_states (slug text NOT NULL, entity_id text NOT NULL, turn bigint NOT NULL, state text NOT NULL,
    PRIMARY KEY (slug, entity_id, turn), FOREIGN KEY (slug, turn) REFERENCES floor_turns);
  CREATE TABLE floor_audit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id uuid NOT NULL REFERENCES floor_attempts, kind text NOT NULL, call_id uuid REFERENCES floor_calls,
    details json NOT NULL, occurred_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE floor_timeline (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id uuid NOT NULL REFERENCES floor_attempts, kind text NOT NULL, call_id uuid REFERENCES floor_calls,
    occurred_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE floor_inbox (id uuid PRIMARY KEY, attempt_id uuid NOT NULL REFERENCES floor_attempts,
    agent_id text NOT NULL, epoch bigint NOT NULL, status text NOT NULL);
  CREATE TABLE floor_agents (id text PRIMARY KEY, status text NOT NULL DEFAULT 'idle', epoch bigint NOT NULL DEFAULT 0);
  INSERT INTO floor_agents (id) VALUES ('bob'), ('ant');
  INSERT INTO floor_worlds (slug, turn) VALUES ('bench', 0);
  INSERT INTO floor_turns (slug, turn) VALUES ('bench', 0);
  INSERT INTO floor_states (slug, entity_id, turn, state)
    SELECT 'bench', entity_id, 0, 'as it was'
    FROM unnest(ARRAY['bob', 'ant', 'plate', 'vending_machine', 'drinking_fountain']) AS row (entity_id);`;
