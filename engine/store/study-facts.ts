import type { StudyFacts } from '../ports/studies.js';
import { RAW_TEXT } from './records/invocation-rows.js';
import { isSuperseded } from './records/work-state.js';
import { prepare, run, type Runner } from './statement.js';

/** The worlds whose rows each run reads, and how far: a fork reads its ancestors' rows up to where it left them. */
const OF_RUNS = `
  place AS (
    SELECT world_slug, least(turn, until_turn) AS turn FROM study_worlds JOIN worlds USING (world_slug)
    WHERE study_label = :study_label AND condition IS NOT NULL AND probe IS NULL),
  readable AS (
    SELECT world_slug AS run_slug, world_slug, turn AS until_turn FROM place
    UNION ALL
    SELECT place.world_slug, ancestor_slug, least(until_turn, turn) FROM place JOIN world_lineage USING (world_slug))`;

const isCall = (of_attempt: string): string => `
   SELECT run_slug AS world_slug, turns.turn, calls.workflow_subject_entity_id AS subject_id, calls.tool_name AS tool,
     calls.request_json AS arguments, calls.invocation_seq
   FROM readable JOIN turns ON turns.world_slug = readable.world_slug AND turns.turn <= readable.until_turn
     ${of_attempt}
   WHERE calls.invocation_kind = 'model_elected_tool' AND calls.status = 'succeeded'
     AND calls.tool_name = ANY(:tools::text[]) AND NOT ${isSuperseded('calls', 'turns.attempt_id')}`;

// A call that a turn has adopted is of an earlier attempt at it.
const TOOL_CALLS = prepare(
  'study_tool_calls',
  `WITH ${OF_RUNS}, made AS (
     ${isCall('JOIN source_invocations AS calls ON calls.world_slug = turns.world_slug AND calls.attempt_id = turns.attempt_id')}
     UNION ALL ${isCall(`JOIN adopted_calls ON adopted_calls.world_slug = turns.world_slug AND adopted_calls.attempt_id = turns.attempt_id
       JOIN source_invocations AS calls ON calls.world_slug = adopted_calls.world_slug
         AND calls.source_invocation_id = adopted_calls.source_invocation_id`)})
   SELECT world_slug, turn, subject_id, tool, arguments FROM made ORDER BY world_slug, turn, invocation_seq`,
);

const STATES = prepare(
  'study_states',
  `WITH ${OF_RUNS}
   SELECT run_slug AS world_slug, turn, entity_id, state
   FROM readable JOIN entity_states USING (world_slug)
   WHERE turn <= until_turn AND entity_id = ANY(:entity_ids::text[])
   ORDER BY run_slug, turn`,
);

const ANSWERS = prepare(
  'study_answers',
  `SELECT calls.world_slug, asked.workflow_subject_entity_id AS subject_id, asked.workflow_node_id AS question_id,
     coalesce(normalised_text, ${RAW_TEXT}) AS text
   FROM study_worlds JOIN turns ON turns.world_slug = study_worlds.world_slug AND turns.turn = until_turn
     JOIN source_invocations AS asked ON asked.world_slug = turns.world_slug AND asked.attempt_id = turns.attempt_id
     JOIN llm_calls AS calls ON calls.world_slug = asked.world_slug AND calls.llm_call_id = asked.llm_call_id
   WHERE study_label = :study_label AND probe IS NOT NULL AND asked.model_output_kind = 'json_answer'
   ORDER BY place, asked.invocation_seq`,
);

/** What measures read of the runs of a study. @param wanted the tools and the entities that they name */
export async function readStudyFacts(
  runner: Runner,
  study_label: string,
  wanted: { readonly tools: readonly string[]; readonly entity_ids: readonly string[] },
): Promise<StudyFacts> {
  const { tools, entity_ids } = wanted;
  const answers = await run<{ readonly text: Buffer } & Omit<StudyFacts['answers'][number], 'text'>>(runner, ANSWERS, {
    study_label,
  });
  return {
    tool_calls: tools.length === 0 ? [] : await run(runner, TOOL_CALLS, { study_label, tools }),
    states: entity_ids.length === 0 ? [] : await run(runner, STATES, { study_label, entity_ids }),
    answers: answers.map(({ text, ...answer }) => ({ ...answer, text: text.toString('utf8') })),
  };
}
