import type { AttemptLease, Closed } from '../../ports/attempts.js';
import { FENCE, findHeld } from '../attempts/fence.js';
import { prepare, type Runner } from '../statement.js';
import { IS_OPEN } from './turn-message.js';

// One message decides how a call ended, by a unique index: a report, or a timeout. A driver claims a timeout before it
// handles it, by making it due at infinity, as all claimed messages are. Until then a report replaces it. Afterwards
// none is accepted; a driver that dies leaves the timeout to the next.

/** A message that no driver has taken. */
export const IS_UNCLAIMED = `${IS_OPEN} AND agent_inbox.next_retry_at < 'infinity'`;

const CLAIM = prepare(
  'take_timeout',
  `WITH ${FENCE},
   taken AS (
     UPDATE agent_inbox SET next_retry_at = 'infinity'
     FROM fence
     WHERE agent_inbox.world_slug = fence.world_slug AND agent_inbox.correlation_id = :source_invocation_id::uuid
       AND agent_inbox.message_type = 'timeout' AND agent_inbox.status IN ('pending', 'deferred')
     RETURNING 1)
   SELECT EXISTS (SELECT FROM taken) AS closed FROM fence`,
);

// It is consumed as soon as it is written: nobody has to handle it.
const CLOSE = prepare(
  'close_to_reports',
  `WITH ${FENCE},
   closed AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, correlation_id, next_retry_at,
       consumed_at)
     SELECT world_slug, :inbox_id::uuid, 'timeout', 'consumed', :attempt_id::uuid, :source_invocation_id::uuid, now(),
       now()
     FROM fence
     ON CONFLICT (world_slug, correlation_id) WHERE correlation_id IS NOT NULL DO NOTHING
     RETURNING 1)
   SELECT EXISTS (SELECT FROM closed) AS closed FROM fence`,
);

interface ClosedRow {
  readonly closed: boolean;
}

/** Claims the timeout of a call, after which no report of it is accepted: one statement. */
export async function claimTimeout(runner: Runner, lease: AttemptLease, source_invocation_id: string): Promise<Closed> {
  return toClosed(await findHeld<ClosedRow>(runner, CLAIM, lease, { source_invocation_id }));
}

/**
 * Accepts no report any more of a call that its service has answered at once: one statement.
 * @param inbox_id a fresh id
 */
export async function closeToReports(
  runner: Runner,
  lease: AttemptLease,
  call: { readonly source_invocation_id: string; readonly inbox_id: string },
): Promise<Closed> {
  return toClosed(await findHeld<ClosedRow>(runner, CLOSE, lease, { ...call }));
}

function toClosed(row: ClosedRow | undefined): Closed {
  if (row === undefined) return 'overtaken';
  return row.closed ? 'closed' : 'reported';
}
