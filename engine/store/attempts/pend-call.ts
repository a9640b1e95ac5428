import { canonicalText } from '../../core/content/canonical.js';
import type { AttemptLease } from '../../ports/attempts.js';
import type { CallPended } from '../../ports/sources.js';
import { prepare, type Runner, toTimestamp } from '../statement.js';
import { toStoredHeaders } from './call-ending.js';
import { FENCE, findHeld } from './fence.js';

/** The timeline's events for the calls in a CTE `call` that have become pending. */
export const PENDED_EVENTS = `
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id, details)
     SELECT world_slug, attempt_id, 'call_pended', :pended_at::timestamptz, source_invocation_id, workflow_node_id,
       workflow_subject_entity_id, json_build_object('deadline', deadline)
     FROM call`;

// The deadline is the database's, counted from here.
const PEND = prepare(
  'pend_call',
  `WITH ${FENCE},
   called AS (
     SELECT calls.world_slug, source_invocation_id, attempt_id, pending_deadline_ms
     FROM fence JOIN source_invocations AS calls USING (world_slug)
     WHERE source_invocation_id = :source_invocation_id::uuid AND attempt_id = :attempt_id::uuid
       AND status = 'running' AND pending_deadline_ms IS NOT NULL),
   waits AS (
     INSERT INTO pending_calls (world_slug, source_invocation_id, attempt_id, correlation_alias, pended_at, deadline,
       accepted_body)
     SELECT world_slug, source_invocation_id, attempt_id, :correlation_alias::text, clock_timestamp(),
       clock_timestamp() + pending_deadline_ms * interval '1 millisecond', :accepted_body::bytea
     FROM called
     RETURNING world_slug, source_invocation_id, deadline),
   call AS (
     UPDATE source_invocations AS calls
     SET status = 'pending', http_status = :http_status::int, response_headers = :response_headers::json
     FROM waits
     WHERE calls.world_slug = waits.world_slug AND calls.source_invocation_id = waits.source_invocation_id
     RETURNING calls.world_slug, attempt_id, calls.source_invocation_id, workflow_node_id,
       workflow_subject_entity_id, deadline),
   event AS (${PENDED_EVENTS})
   SELECT (SELECT deadline FROM call) AS deadline FROM fence`,
);

/** Records that a call will be answered later: one statement. @returns the deadline, by the clock of the database */
export async function pendCall(
  runner: Runner,
  lease: AttemptLease,
  source_invocation_id: string,
  pended: CallPended,
): Promise<number | 'overtaken'> {
  const row = await findHeld<{ readonly deadline: string | null }>(runner, PEND, lease, {
    source_invocation_id,
    correlation_alias: pended.correlation_alias ?? null,
    accepted_body: pended.response_body ?? null,
    http_status: pended.http_status ?? null,
    response_headers: canonicalText(toStoredHeaders(pended.response_headers ?? {})),
    pended_at: toTimestamp(pended.pended_at),
  });
  if (row === undefined) return 'overtaken';
  if (row.deadline === null)
    throw new Error(`the call ${source_invocation_id} does not run, or may not be answered later`);
  return Date.parse(row.deadline);
}
