-- When a message may be claimed is when it is due, as long as it is not over: the turns of agents, which no worker claims, are
-- due at infinity. A generated column that said so again was computed, and its expression read anew, by every statement that
-- writes the inbox.

UPDATE agent_inbox SET next_retry_at = 'infinity'
WHERE message_type = 'turn' AND agent_id IS NOT NULL AND status IN ('pending', 'deferred') AND next_retry_at < 'infinity';
ALTER TABLE agent_inbox DROP COLUMN due_at;
CREATE INDEX agent_inbox_due_idx ON agent_inbox (next_retry_at, inbox_id) WHERE status IN ('pending', 'deferred');

-- What consumes a message says when: no other statement has to ask whether it does.

DROP TRIGGER forget_payload ON agent_inbox;
CREATE TRIGGER forget_payload BEFORE UPDATE OF consumed_at ON agent_inbox
    FOR EACH ROW WHEN (NEW.status = 'consumed' AND NEW.message_type <> 'turn') EXECUTE FUNCTION forget_payload();
