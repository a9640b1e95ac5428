import { present } from '../../contract/present.js';
import type { AnsweredText, ShownText, TextRecord, WrittenText } from '../../core/world/trace-text.js';
import { READABLE } from '../lineage.js';
import { prepare, run, type Runner } from '../statement.js';

// A text is looked for as it is, and as JSON writes it. Only what committed turns count on: their attempts, with the calls
// that these have adopted, but for superseded ones.
const HAS = (text: string): string => `(strpos(${text}, :text) > 0 OR strpos(${text}, :escaped) > 0)`;

const CALLS = `
  committed AS (
    SELECT readable.world_slug, turns.turn, turns.attempt_id
    FROM readable JOIN turns ON turns.world_slug = readable.world_slug AND turns.turn <= until_turn
    WHERE turns.attempt_id IS NOT NULL),
  counted AS (
    SELECT calls.*, committed.turn FROM committed JOIN source_invocations AS calls USING (world_slug, attempt_id)
    UNION ALL
    SELECT calls.*, committed.turn FROM committed JOIN adopted_calls USING (world_slug, attempt_id)
      JOIN source_invocations AS calls USING (world_slug, source_invocation_id)),
  made AS (
    SELECT * FROM counted WHERE NOT EXISTS (
      SELECT FROM attempt_events AS events
      WHERE events.world_slug = counted.world_slug AND events.attempt_id = counted.attempt_id
        AND event_kind = 'call_superseded' AND events.source_invocation_id = counted.source_invocation_id))`;

// What a placeholder shows is in several pieces where parts of it come from elsewhere.
const SHOWN = prepare(
  'texts_shown',
  `WITH ${READABLE}, ${CALLS}
   SELECT made.turn, invocation_seq, workflow_subject_entity_id AS agent_id, said.llm_call_id, placed.origin, segment
   FROM made JOIN llm_calls AS said USING (world_slug, llm_call_id)
     CROSS JOIN LATERAL unnest(said.new_messages) AS listed (message_hash)
     CROSS JOIN LATERAL (
       SELECT origin, convert_from(string_agg(text, '' ORDER BY position), 'UTF8') AS segment
       FROM (
         SELECT *, position - row_number() OVER (PARTITION BY origin ORDER BY position) AS run FROM llm_message_pieces
         WHERE message_hash = listed.message_hash) AS pieces
       GROUP BY origin, run) AS placed
   WHERE ${HAS('segment')}
   ORDER BY made.turn, invocation_seq`,
);

const WRITTEN = prepare(
  'texts_written',
  `WITH ${READABLE},
   patches AS (
     SELECT patch.*, call.invocation_seq FROM readable
       JOIN world_patches AS patch ON patch.world_slug = readable.world_slug AND patch.turn <= until_turn
       JOIN source_invocations AS call ON call.world_slug = patch.world_slug
         AND call.source_invocation_id = patch.source_invocation_id)
   SELECT turn, invocation_seq, patch_seq, workflow_subject_entity_id AS agent_id, 'narration' AS op,
     workflow_subject_entity_id AS target, NULL::json AS sources
   FROM patches WHERE strpos(narration, :text) > 0
   UNION ALL
   SELECT turn, invocation_seq, patch_seq, workflow_subject_entity_id, op::text, coalesce(entity_id, environment_label), sources
   FROM patches JOIN patch_effects USING (world_slug, turn, patch_seq) WHERE strpos(state_after, :text) > 0
   ORDER BY turn, patch_seq`,
);

const ANSWERED = prepare(
  'texts_answered',
  `WITH ${READABLE}, ${CALLS}
   SELECT made.turn, invocation_seq, workflow_subject_entity_id AS agent_id, source_invocation_id,
     content->>'label' AS source_label
   FROM made JOIN response_sources ON response_sources.hash = made.source_hash
   WHERE llm_call_id IS NULL AND ${HAS('response_json::text')}
   ORDER BY made.turn, invocation_seq`,
);

/** Everything of a world, and of its ancestors for it, that holds a text. @param turn the latest turn that counts */
export async function readTextRecord(
  runner: Runner,
  { world_slug, turn, text }: { readonly world_slug: string; readonly turn: number; readonly text: string },
): Promise<TextRecord> {
  const values = { world_slug, turn, text, escaped: JSON.stringify(text).slice(1, -1) };
  const { escaped: _, ...plain } = values;
  const written = await run<Omit<WrittenText, 'sources'> & { readonly sources: readonly string[] | null }>(
    runner,
    WRITTEN,
    plain,
  );
  return {
    text,
    shown: await run<ShownText>(runner, SHOWN, values),
    written: written.map(({ sources, ...patch }) => ({ ...patch, ...present({ sources: sources ?? undefined }) })),
    answered: await run<AnsweredText>(runner, ANSWERED, values),
  };
}
