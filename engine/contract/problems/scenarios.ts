import { content } from './entry.js';

/** Contradictions in a scenario. */
export const SCENARIO_PROBLEMS = {
  ENTITY_ID_NOT_CANONICAL: content(
    'An id does not follow the [grammar](terms.md#entity-ids).',
    'Write the canonical form that the finding names.',
  ),
  ENTITY_TWICE: content('Two entities have one id.', 'Give each its own.'),
  ENTITY_UNKNOWN: content(
    'A named entity does not exist.',
    'Correct the id, or add the entity. A filter of a command accepts the ids that the message lists.',
  ),
  ENVIRONMENT_TWICE: content('Two environments have one label.', 'Give each its own.'),
  ENVIRONMENT_UNKNOWN: content('A named environment does not exist.', 'Correct the label, or add the environment.'),
  BLANK_TEXT: content(
    'A name, state, goal, memory or content has no visible character.',
    'Write some text, or remove the field if it is optional.',
  ),
  AGENT_ONLY: content('A prop has a goal or memories.', 'Remove them, or make it an agent.'),
  START_TIME_UNUSABLE: content(
    'The start time is not supported: a leap second, a year outside 0001 to 9999, or an offset of more than 15 hours.',
    'Write a time such as `2026-05-01T09:00:00Z`.',
  ),
  CHRONON_TOO_LONG: content(
    'Turn 10000 would lie beyond the year 9999.',
    'Write a shorter `chronon_seconds`, or an earlier `start_time`.',
  ),
  SUBJECT_NOT_AGENT: content('A subject is a prop.', 'Make it an agent, or remove it from the subjects.'),
  AGENT_NEVER_ACTS: content(
    'A note: an agent is the subject of no profile, so it never acts.',
    'Add it to the `subjects` of a profile, or keep it.',
  ),
  SUBJECT_TWICE: content('A subject is listed twice.', 'Remove it from one list.'),
};
