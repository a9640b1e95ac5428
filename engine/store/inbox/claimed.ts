import { IS_DUE } from './turn-message.js';

/**
 * Claims due messages, longest due first, for a while, as the CTE `claimed` of a statement.
 *
 * It compares with `now()` and not with the clock: a clock that may move within the statement cannot bound a walk
 * through the index, which would then walk the claimed messages too, due at infinity. Messages to a driven attempt are
 * its driver's business. The choice of worlds is no parameter that may be NULL: with a value the planner thinks the
 * statement cheaper than without, and then a session plans it anew each time.
 * @param most an expression: how much at most; a constant lets the planner walk the index for so many
 * @param some whether it takes of the worlds `:worlds` alone
 * @param condition whether anything is taken at all
 */
export const claimed = (most: string, some: boolean, condition = 'true'): string => `
  found AS (
    SELECT world_slug, inbox_id, next_retry_at AS due_at FROM agent_inbox
    WHERE ${condition} AND ${IS_DUE} ${some ? 'AND world_slug = ANY(:worlds::text[])' : ''}
      AND (message_type = 'turn' OR EXISTS (
        SELECT FROM attempts
        WHERE attempts.world_slug = agent_inbox.world_slug AND attempts.attempt_id = agent_inbox.attempt_id
          AND attempts.status = 'suspended'))
    ORDER BY next_retry_at, inbox_id LIMIT ${most} FOR UPDATE SKIP LOCKED),
  claimed AS (
    UPDATE agent_inbox SET next_retry_at = now() + :reserve_ms::int * interval '1 millisecond'
    FROM found
    WHERE agent_inbox.world_slug = found.world_slug AND agent_inbox.inbox_id = found.inbox_id
    RETURNING agent_inbox.world_slug, agent_inbox.inbox_id, message_type, retry_count,
      (extract(epoch FROM now() - found.due_at) * 1000)::float8 AS waited_ms)`;
