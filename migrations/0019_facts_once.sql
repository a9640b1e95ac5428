-- What the subjects of an attempt do as agents follows from its record: their calls, the timeline, the patches and its end.
-- Nothing of it is stored beside these but one state head for each agent, and the message that asks for its turn.

-- The UUID (version 8) that follows from two names, as the program makes it. No name needs escaping in JSON.
CREATE FUNCTION named_uuid(first text, second text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (substr(digits, 1, 12) || '8' || substr(digits, 14, 3)
        || substr('89ab', ('x' || substr(digits, 17, 1))::bit(4)::int % 4 + 1, 1) || substr(digits, 18, 15))::uuid
    FROM encode(sha256(convert_to('["' || first || '","' || second || '"]', 'UTF8')), 'hex') AS digits
$$;

ALTER TABLE agent_state_heads
    DROP CONSTRAINT agent_state_heads_turn_fk,
    DROP COLUMN activity,
    DROP COLUMN current_tool,
    DROP COLUMN waiting_tool_count,
    DROP COLUMN resume_deadline,
    DROP COLUMN expecting_correlation_id;

ALTER TABLE agent_turns DROP CONSTRAINT agent_turns_deliverable_fk;
DROP TABLE turn_waiting_tools, cards, boxes, execution_edges, agent_events, agent_turns;
DROP TYPE agent_activity, agent_turn_outcome, box_kind, card_kind, execution_primitive, edge_phase;

-- An agent turn is found by its id.
CREATE INDEX agent_inbox_agent_turn_id_idx ON agent_inbox (agent_turn_id)
    WHERE message_type = 'turn' AND agent_turn_id IS NOT NULL;
