import { canonicalText } from '../../core/content/canonical.js';
import type { AttemptLease } from '../../ports/attempts.js';
import type { InboxMessage, Report, Reported, Stop } from '../../ports/inbox.js';
import { type HotStatement, type Values, prepare, run, type Runner } from '../statement.js';
import { ringFor } from './ring.js';

// The attempt cannot end while its row is held, so what is written here is taken in, or over with it. Nothing is
// written for what is over already. A message holds on to its world, too: that is locked first, as whoever takes a world
// over does, so that neither waits for the other.
const TELL = `
   world AS (
     SELECT called.* FROM called JOIN worlds USING (world_slug) FOR KEY SHARE OF worlds),
   attempt AS (
     SELECT attempts.world_slug, attempts.attempt_id, world.is_open AND attempts.ended_at IS NULL AS is_open
     FROM world JOIN attempts USING (world_slug, attempt_id) FOR SHARE OF attempts),
   written AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, correlation_id, payload,
       next_retry_at)
     SELECT world_slug, :inbox_id::uuid, :message_type::inbox_message_type, 'pending', attempt_id,
       :correlation_id::uuid, :payload::json, now()
     FROM attempt WHERE is_open
     ON CONFLICT (world_slug, correlation_id, message_type) WHERE correlation_id IS NOT NULL DO NOTHING
     RETURNING world_slug)
   SELECT attempt.world_slug, attempt.attempt_id, ${ringFor('written')} = 1 AS is_accepted,
     EXISTS (
       SELECT FROM agent_inbox
       WHERE agent_inbox.world_slug = attempt.world_slug AND correlation_id = :correlation_id::uuid
         AND message_type = :message_type::inbox_message_type) AS is_known
   FROM attempt`;

const REPORT = prepare(
  'report_call',
  `WITH called AS (
     SELECT world_slug, attempt_id, status IN ('running', 'pending') AS is_open FROM source_invocations
     WHERE source_invocation_id = :correlation_id::uuid), ${TELL}`,
);

const STOP = prepare(
  'stop_attempt',
  `WITH called AS (
     SELECT world_slug, attempt_id, true AS is_open FROM attempts
     WHERE attempt_id = :correlation_id::uuid), ${TELL}`,
);

interface Told {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly is_accepted: boolean;
  /** A message that came between is not seen, and reads as late: as harmless. */
  readonly is_known: boolean;
}

/** Tells an attempt how one of its calls ended: one statement, which may be said again. */
export function report(runner: Runner, told: Report): Promise<Reported> {
  const { inbox_id, message_type, source_invocation_id, payload } = told;
  const values = { inbox_id, message_type, correlation_id: source_invocation_id, payload: canonicalText(payload) };
  return tell(runner, REPORT, values);
}

/** Tells an attempt to stop: one statement, which may be said again. */
export function stop(runner: Runner, { inbox_id, attempt_id, payload }: Stop): Promise<Reported> {
  const values = { inbox_id, message_type: 'stop', correlation_id: attempt_id, payload: canonicalText(payload) };
  return tell(runner, STOP, values);
}

async function tell(runner: Runner, statement: HotStatement, values: Values): Promise<Reported> {
  const [told] = await run<Told>(runner, statement, values);
  if (told === undefined) return { kind: 'unknown' };
  const { world_slug, attempt_id, is_accepted, is_known } = told;
  return { kind: is_accepted ? 'accepted' : is_known ? 'duplicate' : 'late', world_slug, attempt_id };
}

const MESSAGES_OF = prepare(
  'messages_of_attempt',
  `SELECT inbox_id, message_type, correlation_id, payload FROM agent_inbox
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND status IN ('pending', 'deferred')
     AND message_type <> 'turn'
   ORDER BY inbox_id`,
);

/** What an attempt has been told and has not taken in, oldest first. */
export function messagesOf(runner: Runner, { world_slug, attempt_id }: AttemptLease): Promise<readonly InboxMessage[]> {
  return run<InboxMessage>(runner, MESSAGES_OF, { world_slug, attempt_id });
}
