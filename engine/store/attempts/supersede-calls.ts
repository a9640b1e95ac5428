import type { AttemptLease, SupersedeCalls, Written } from '../../ports/attempts.js';
import { prepare, type Runner, toTimestamp } from '../statement.js';
import { FENCE, runFenced } from './fence.js';

const SUPERSEDE = prepare(
  'supersede_calls',
  `WITH ${FENCE},
   events AS (
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id)
     SELECT calls.world_slug, :attempt_id::uuid, 'call_superseded', :at::timestamptz, calls.source_invocation_id,
       workflow_node_id, workflow_subject_entity_id
     FROM fence JOIN source_invocations AS calls ON calls.world_slug = fence.world_slug
       AND calls.source_invocation_id = ANY (:source_invocation_ids::uuid[])
     WHERE NOT EXISTS (SELECT FROM attempt_events AS noted WHERE noted.attempt_id = :attempt_id::uuid
       AND noted.event_kind = 'call_superseded' AND noted.source_invocation_id = calls.source_invocation_id)
     ORDER BY invocation_seq)
   SELECT world_slug FROM fence`,
);

/** Marks these calls as superseded, once: one statement. A call whose start is not on record has no note. */
export function supersedeCalls(runner: Runner, lease: AttemptLease, superseded: SupersedeCalls): Promise<Written> {
  const { at, source_invocation_ids } = superseded;
  return runFenced(runner, SUPERSEDE, lease, { at: toTimestamp(at), source_invocation_ids });
}
