import { toStoredText } from '../../core/content/stored-text.js';
import { isUuid } from '../../core/content/uuid.js';
import type { AwaitedCall, MeantCall } from '../../ports/pending-calls.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import type { OpenDatabase } from '../database.js';
import { turnOf } from '../state-heads.js';
import { prepare, run, type Runner } from '../statement.js';

const FIND_OWN = prepare(
  'find_call_by_id',
  `SELECT source_invocation_id, world_slug, attempt_id, pending_deadline_ms IS NOT NULL AS may_pend FROM source_invocations
   WHERE source_invocation_id = :correlation::uuid`,
);

// A name means the calls that need an answer: awaited ones, and those in doubt. Without such calls, it means the last
// call that had it, so that a repeated report learns that it changes nothing.
const FIND_ALIAS = prepare(
  'find_call_by_alias',
  `WITH named AS (
     SELECT source_invocation_id, world_slug, attempt_id, pended_at, is_awaited OR EXISTS (
       SELECT FROM source_invocations AS calls
         JOIN worlds ON worlds.world_slug = calls.world_slug AND worlds.adoptable_attempt_id = calls.attempt_id
       WHERE calls.world_slug = pending_calls.world_slug
         AND calls.source_invocation_id = pending_calls.source_invocation_id AND ${IS_DOUBTED}) AS is_open
     FROM pending_calls
     WHERE correlation_alias = :correlation)
   SELECT source_invocation_id, world_slug, attempt_id, true AS may_pend FROM named WHERE is_open
   UNION ALL
   (SELECT source_invocation_id, world_slug, attempt_id, true FROM named
    WHERE NOT EXISTS (SELECT FROM named WHERE is_open) ORDER BY pended_at DESC LIMIT 1)`,
);

/**
 * Finds the calls of a correlation id: the call's own id, or the service's. Several where services gave the same id to awaited
 * calls; of others, the latest.
 */
export async function findCalls(runner: Runner, correlation: string): Promise<readonly MeantCall[]> {
  // The database stores no text with such a character, so no name has one.
  if (correlation !== toStoredText(correlation)) return [];
  const own = isUuid(correlation) ? await run<MeantCall>(runner, FIND_OWN, { correlation }) : [];
  return own.length > 0 ? own : run<MeantCall>(runner, FIND_ALIAS, { correlation });
}

const AWAITED = prepare(
  'awaited_calls',
  `SELECT pending_calls.source_invocation_id, command_key, response_sources.content->>'label' AS source_label, correlation_alias,
     pended_at, deadline
   FROM attempts
     JOIN pending_calls ON pending_calls.world_slug = attempts.world_slug AND pending_calls.attempt_id = attempts.attempt_id
     JOIN source_invocations ON source_invocations.world_slug = pending_calls.world_slug
       AND source_invocations.source_invocation_id = pending_calls.source_invocation_id
     JOIN response_sources ON response_sources.hash = source_invocations.source_hash
   WHERE attempts.attempt_id = :attempt_id::uuid AND is_awaited
   ORDER BY deadline, invocation_seq`,
);

/** The calls that an attempt waits for, the nearest deadline first. */
export function listAwaited(runner: Runner, attempt_id: string): Promise<readonly AwaitedCall[]> {
  return run<AwaitedCall>(runner, AWAITED, { attempt_id });
}

// `now()` and not the clock, which may move within the statement and so cannot bound a walk through the index. Each call
// is reported once; an attempt that is over consumes its reports. A message locks the rows of its attempt and world:
// where another holder has locked one, the call is left for the next time.
const EXPIRE = prepare(
  'expire_calls',
  `WITH due AS (
     SELECT world_slug, source_invocation_id, attempt_id, row_number() OVER (ORDER BY deadline) AS place, (
         SELECT workflow_subject_entity_id FROM source_invocations AS calls
         WHERE calls.world_slug = found.world_slug AND calls.source_invocation_id = found.source_invocation_id) AS agent_id
     FROM (
       SELECT pending_calls.world_slug, source_invocation_id, pending_calls.attempt_id, deadline
       FROM pending_calls JOIN attempts USING (world_slug, attempt_id) JOIN worlds USING (world_slug)
       WHERE is_awaited AND NOT is_timed_out AND deadline <= now()
       ORDER BY deadline LIMIT cardinality(:inbox_ids::uuid[])
       FOR UPDATE OF pending_calls SKIP LOCKED FOR KEY SHARE OF attempts, worlds SKIP LOCKED) AS found),
   told AS (
     UPDATE pending_calls SET is_timed_out = true
     FROM due
     WHERE pending_calls.world_slug = due.world_slug
       AND pending_calls.source_invocation_id = due.source_invocation_id),
   written AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, agent_id, agent_turn_id,
       turn_epoch, correlation_id, next_retry_at)
     SELECT due.world_slug, ids.inbox_id, 'timeout', 'pending', due.attempt_id, due.agent_id, ${turnOf('due')},
       due.source_invocation_id, now()
     FROM due JOIN unnest(:inbox_ids::uuid[]) WITH ORDINALITY AS ids (inbox_id, place) USING (place)
     ON CONFLICT (world_slug, correlation_id) WHERE correlation_id IS NOT NULL DO NOTHING
     RETURNING world_slug)
   SELECT world_slug FROM written`,
);

/**
 * Notifies attempts of expired calls, by the clock of the database. One statement.
 * @param inbox_ids fresh ids: one for each call that may be found
 * @returns how many were notified
 */
export async function expireCalls(
  database: Pick<OpenDatabase, 'query' | 'ring'>,
  inbox_ids: readonly string[],
): Promise<number> {
  const expired = await run<{ readonly world_slug: string }>(database, EXPIRE, { inbox_ids });
  database.ring(expired.map(({ world_slug }) => world_slug));
  return expired.length;
}
