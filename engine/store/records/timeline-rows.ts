import type { NotNull } from 'kysely';
import { type InAttempt, query } from '../queries.js';

/** Everything that happened in an attempt, in order. */
export const listTimeline = query(({ from }, { world_slug, attempt_id }: InAttempt) =>
  from('attempt_timeline_events')
    .select((eb) =>
      eb.fn
        .agg<number>('row_number')
        .over((over) => over.orderBy('event_id'))
        .as('event_seq'),
    )
    .select(['event_kind', 'occurred_at', 'source_invocation_id', 'workflow_subject_entity_id', 'workflow_node_id'])
    .select(['patch_seq', 'details'])
    .where((eb) => eb.and({ world_slug, attempt_id }))
    .orderBy('event_seq')
    .$narrowType<{ event_kind: NotNull; occurred_at: NotNull }>(),
);
