-- One message says how a call ended: a report, or that its time has run out. Which of them counts is decided by this
-- index and by nothing else: a report takes the place of a timeout that no driver has taken yet, and is late afterwards.
DELETE FROM agent_inbox AS timeouts
WHERE message_type = 'timeout' AND EXISTS (
    SELECT FROM agent_inbox AS reports
    WHERE reports.world_slug = timeouts.world_slug AND reports.correlation_id = timeouts.correlation_id
      AND reports.message_type = 'tool_result');

DROP INDEX agent_inbox_correlation_idx;
CREATE UNIQUE INDEX agent_inbox_correlation_idx ON agent_inbox (world_slug, correlation_id)
    WHERE correlation_id IS NOT NULL;
