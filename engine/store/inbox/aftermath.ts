import { claimed } from './claimed.js';
import { AT_THE_FRONT, firstQueued, WORLD_TURN } from './turn-message.js';

/**
 * What the end of attempts does to the inbox, as CTEs of the statement that ends them: their messages are over, the next
 * turns of their worlds are to be taken up, and what could not be done while they ran is due at once. A report that was
 * accepted and not handled stays: it may settle its call.
 *
 * It reads a CTE `ended (world_slug, attempt_id)`, and costs three looks into empty indices where nobody queues.
 * @param isOver a condition on `agent_inbox`: a message that does not meet it is left to another clause
 * @param delay_ms until when the promoted turn is due
 */
const aftermath = (isOver: string, delay_ms = '0'): string => `
  messages AS (
    UPDATE agent_inbox
    SET status = 'consumed', consumed_at = now()
    FROM ended
    WHERE agent_inbox.world_slug = ended.world_slug AND agent_inbox.attempt_id = ended.attempt_id
      AND agent_inbox.status IN ('pending', 'deferred') AND agent_inbox.message_type <> 'tool_result' AND ${isOver}
    RETURNING agent_inbox.world_slug, agent_inbox.message_type, agent_inbox.agent_id),
  finished AS (
    SELECT world_slug FROM messages WHERE message_type = 'turn' AND agent_id IS NULL),
  promoted AS (
    UPDATE agent_inbox SET status = 'pending', next_retry_at = now() + ${delay_ms} * interval '1 millisecond'
    FROM finished
    WHERE agent_inbox.world_slug = finished.world_slug AND agent_inbox.status = 'queued'
      AND agent_inbox.inbox_id = (${firstQueued('finished.world_slug')})
    RETURNING agent_inbox.world_slug, agent_inbox.inbox_id),
  recalled AS (
    UPDATE agent_inbox SET status = 'pending', next_retry_at = now()
    FROM ended
    WHERE agent_inbox.world_slug = ended.world_slug AND ${AT_THE_FRONT} AND agent_inbox.attempt_id IS NULL
    RETURNING agent_inbox.world_slug)`;

const DUE = 'due AS (SELECT world_slug FROM promoted UNION ALL SELECT world_slug FROM recalled)';

/** Of an attempt whose turn is committed, by a driver that does not go on. */
export const AFTERMATH_OF_COMMIT = `
  ${aftermath('true')},
  ${DUE}`;

/**
 * Of an attempt whose turn is committed, by a driver that goes on: it takes what is due longest in any world, else the
 * next turn of its own, for `:reserve_ms`. `reserved` is one row at most, of which nobody else is told. So no world waits
 * for another to come to its end, and going on takes no statement of its own. An attempt that is not held ends nothing,
 * and goes on with nothing. Nobody is notified of a turn that is promoted while others were due before it: every worker
 * that has a free hand was notified of those.
 */
export const AFTERMATH_OF_COMMIT_THAT_GOES_ON = `
  ${claimed('1', 'EXISTS (SELECT FROM ended)')},
  ${aftermath('true', 'CASE WHEN EXISTS (SELECT FROM claimed) THEN 0 ELSE :reserve_ms::int END')},
  reserved AS (
    SELECT * FROM claimed
    UNION ALL
    SELECT world_slug, inbox_id, 'turn', 0, 0 FROM promoted WHERE NOT EXISTS (SELECT FROM claimed)),
  due AS (
    SELECT world_slug FROM promoted WHERE NOT EXISTS (SELECT FROM reserved)
    UNION ALL SELECT world_slug FROM recalled)`;

/** How long the turn of a failed attempt is put off; NULL where it is over. */
const DELAY_MS = '(:retry_delays_ms::int[])[agent_inbox.transient_failures + 1]';
const IS_PUT_OFF = `(${WORLD_TURN} AND ${DELAY_MS} IS NOT NULL)`;

/**
 * Of a failed attempt whose queued turn may be tried anew: the turn stays first of its world, so that none overtakes it,
 * and no attempt does it any more.
 */
export const AFTERMATH_OF_FAILURE = `
  put_off AS (
    UPDATE agent_inbox
    SET status = 'deferred', attempt_id = NULL, retry_count = retry_count + 1,
      transient_failures = transient_failures + 1, defer_reason = :defer_reason,
      next_retry_at = now() + ${DELAY_MS} * interval '1 millisecond'
    FROM ended
    WHERE agent_inbox.world_slug = ended.world_slug AND agent_inbox.attempt_id = ended.attempt_id
      AND agent_inbox.status IN ('pending', 'deferred') AND ${IS_PUT_OFF}
    RETURNING transient_failures AS retry, extract(epoch FROM next_retry_at - now()) * 1000 AS delay_ms),
  ${aftermath(`NOT ${IS_PUT_OFF}`)},
  ${DUE}`;

/**
 * Whether the statement ended a turn and found no next one, as a scalar query: one that was queued while it waited for
 * its lock is none that it can see.
 */
export const IS_LAST = `(SELECT count(*) > 0 FROM finished) AND (SELECT count(*) = 0 FROM promoted)`;
