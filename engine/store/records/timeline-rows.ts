import type { TimelineRecord } from '../../ports/records.js';
import { prepare, run, type Runner } from '../statement.js';

const TIMELINE = prepare(
  'timeline_of_attempt',
  `SELECT row_number() OVER (ORDER BY event_id) AS event_seq, event_kind, occurred_at, source_invocation_id, workflow_subject_entity_id, workflow_node_id, patch_seq,
     details
   FROM attempt_timeline_events
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY event_seq`,
);

/** Everything that happened in an attempt, in order. */
export function listTimeline(
  runner: Runner,
  { world_slug, attempt_id }: { readonly world_slug: string; readonly attempt_id: string },
): Promise<readonly TimelineRecord[]> {
  return run<TimelineRecord>(runner, TIMELINE, { world_slug, attempt_id });
}
