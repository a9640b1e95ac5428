import type { AttemptLease, CommitTurn } from '../../ports/attempts.js';
import { prepare, run, type Runner } from '../statement.js';
import { claimed } from './claimed.js';
import { AT_THE_FRONT, firstQueued, IS_OPEN, WORLD_TURN } from './turn-message.js';

// The changes to the inbox when attempts end, as CTEs of the statement that ends them. They read a CTE
// `ended (world_slug, attempt_id)`.

/** Messages to the attempt that are not over. */
const OF_ATTEMPT = `agent_inbox.world_slug = :world_slug AND agent_inbox.attempt_id = :attempt_id::uuid AND ${IS_OPEN}`;

const messagesOfEnded = (isOver: string): string => `
    ${OF_ATTEMPT} AND agent_inbox.message_type <> 'tool_result' AND ${isOver}`;

/** A turn that is deferred until the attempt of its world has ended. */
const WAITS_FOR_ENDED = `agent_inbox.world_slug = :world_slug AND ${AT_THE_FRONT} AND agent_inbox.attempt_id IS NULL`;

/**
 * The messages of ended attempts are over, and the next turns of their worlds are promoted. A report that was accepted
 * and not handled stays: it may settle its call.
 * @param isOver a condition on `agent_inbox`: a message that does not meet it is left to another clause
 * @param delay_ms until when the promoted turn is due
 */
const taken = (isOver: string, delay_ms = '0'): string => `
  messages AS (
    UPDATE agent_inbox
    SET status = 'consumed', consumed_at = now()
    FROM ended
    WHERE ${messagesOfEnded(isOver)}
    RETURNING agent_inbox.world_slug, agent_inbox.message_type, agent_inbox.agent_id),
  finished AS (
    SELECT world_slug FROM messages WHERE message_type = 'turn' AND agent_id IS NULL),
  promoted AS (
    UPDATE agent_inbox SET status = 'pending', next_retry_at = now() + ${delay_ms} * interval '1 millisecond'
    FROM finished
    WHERE agent_inbox.world_slug = :world_slug AND agent_inbox.inbox_id = (${firstQueued(':world_slug')})
      AND agent_inbox.status = 'queued'
    RETURNING agent_inbox.world_slug, agent_inbox.inbox_id)`;

/** Messages deferred while the attempts ran are due at once. */
const RECALLED = `
  recalled AS (
    UPDATE agent_inbox SET status = 'pending', next_retry_at = now()
    FROM ended
    WHERE ${WAITS_FOR_ENDED}
    RETURNING agent_inbox.world_slug)`;

/** The columns about the inbox in a statement that ends attempts. */
export interface Aftermath {
  /** Whether something of its world is due now. */
  readonly is_due: boolean;
  /**
   * It ended a turn and found no next one. The statement does not see a turn that was queued while it waited for its
   * lease.
   */
  readonly is_last: boolean;
}

/** The columns of `Aftermath`. @param due the CTEs of what is due now */
const aftermathColumns = (...due: readonly string[]): string => `
  ${['false', ...due.map((rows) => `EXISTS (SELECT FROM ${rows})`)].join(' OR ')} AS is_due,
  EXISTS (SELECT FROM finished) AND NOT EXISTS (SELECT FROM promoted) AS is_last`;

/** A part of the statement that ends attempts. */
interface Part {
  readonly clauses: string;
  readonly columns: string;
}

export interface CommitEnd extends Pick<CommitTurn, 'is_asked_for'> {
  /** Whether its driver continues: in all worlds, or in some. */
  readonly goes_on?: 'anywhere' | 'in_some';
}

/** Of an attempt whose turn is committed: the clauses that it needs, and the columns that report them. */
export function aftermathOfCommit({ is_asked_for, goes_on }: CommitEnd): Part {
  if (is_asked_for === false && goes_on === undefined) return LOOKS_FIRST;
  // A world has one promoted turn. If the attempt was begun for it, there is no other to recall.
  const recalls = is_asked_for !== true;
  return goes_on === undefined ? ending(recalls) : goingOn(recalls, goes_on === 'in_some');
}

const ending = (recalls: boolean): Part => ({
  clauses: `${taken('true')} ${recalls ? `, ${RECALLED}` : ''}`,
  columns: `${aftermathColumns('promoted', ...(recalls ? ['recalled'] : []))}, NULL AS next`,
});

/**
 * For a driver that continues: claims the message longest due in any world, else the next turn of its own, for
 * `:reserve_ms`. `reserved` is one row at most, of which no other worker is notified. So no world waits for another to
 * end, and continuing takes no statement of its own. An attempt without its lease ends nothing and claims nothing. A
 * promoted turn notifies nobody: it is reserved here, or every worker with a free hand knows of others due before it.
 */
const goingOn = (recalls: boolean, some: boolean): Part => ({
  clauses: `
  ${claimed('1', some, 'EXISTS (SELECT FROM ended)')},
  ${taken('true', 'CASE WHEN EXISTS (SELECT FROM claimed) THEN 0 ELSE :reserve_ms::int END')},
  reserved AS (
    SELECT * FROM claimed
    UNION ALL
    SELECT world_slug, inbox_id, 'turn', 0, 0 FROM promoted WHERE NOT EXISTS (SELECT FROM claimed))
  ${recalls ? `, ${RECALLED}` : ''}`,
  columns: `${aftermathColumns(...(recalls ? ['recalled'] : []))}, (SELECT to_json(reserved) FROM reserved) AS next`,
});

/**
 * Of an attempt that no message asks for. There is hardly ever anything to do, so the commit only looks for it, and
 * `handleAftermath` follows if it finds something. If the process ends between the two, a turn that was put off waits until its
 * own time, and a worker tidies the other messages away.
 */
const LOOKS_FIRST: Part = {
  clauses: `
  waiting AS (
    SELECT FROM ended JOIN agent_inbox ON ${messagesOfEnded('true')}
    UNION ALL
    SELECT FROM ended JOIN agent_inbox ON ${WAITS_FOR_ENDED})`,
  columns: 'EXISTS (SELECT FROM waiting) AS is_waited_for, NULL AS next',
};

const AFTERMATH = prepare(
  'handle_aftermath',
  `WITH ended AS (SELECT :world_slug::text COLLATE "C" AS world_slug, :attempt_id::uuid AS attempt_id),
   ${ending(true).clauses}
   SELECT ${ending(true).columns}`,
);

/** Does what `LOOKS_FIRST` has found: one statement. Its attempt has ended. */
export async function handleAftermath(runner: Runner, { world_slug, attempt_id }: AttemptLease): Promise<Aftermath> {
  const [row] = await run<Aftermath>(runner, AFTERMATH, { world_slug, attempt_id });
  if (row === undefined) throw new Error('an aftermath answers with one row');
  return row;
}

/** How long the turn of a failed attempt is deferred; NULL where it is over. */
const DELAY_MS = '(:retry_delays_ms::int[])[agent_inbox.transient_failures + 1]';
const IS_PUT_OFF = `(${WORLD_TURN} AND ${DELAY_MS} IS NOT NULL)`;

/**
 * For a failed attempt whose queued turn may be retried: the turn stays first of its world, so that none overtakes it,
 * and is no longer assigned to an attempt.
 */
export const AFTERMATH_OF_FAILURE = `
  put_off AS (
    UPDATE agent_inbox
    SET status = 'deferred', attempt_id = NULL, retry_count = retry_count + 1,
      transient_failures = transient_failures + 1, defer_reason = :defer_reason,
      next_retry_at = now() + ${DELAY_MS} * interval '1 millisecond'
    FROM ended
    WHERE ${OF_ATTEMPT} AND ${IS_PUT_OFF}
    RETURNING transient_failures AS retry, extract(epoch FROM next_retry_at - now()) * 1000 AS delay_ms),
  ${taken(`NOT ${IS_PUT_OFF}`)}, ${RECALLED}`;

/** The columns of `Aftermath`, of a failed attempt. */
export const AFTERMATH_COLUMNS_OF_FAILURE = aftermathColumns('promoted', 'recalled');
