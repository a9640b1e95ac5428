import { CHANGEABLE_SCENARIO_FIELDS } from '../changeable-fields.js';
import { content, environment, type ProblemEntry, unknown, usage } from './entry.js';

function notStored(noun: string, kind: string): ProblemEntry {
  return unknown(`No ${noun} of this hash is stored.`, `\`chukwa list ${kind}\`, or \`chukwa put PATH\``);
}

export const COMMAND_PROBLEMS = {
  USAGE: usage('The command line itself is wrong.', '`chukwa --help`'),
  RUN_TOOL_NOT_OFFERED: content(
    '`run --tools` names a tool that the scenario does not offer, or that its policy does not allow: a run can ' +
      'only narrow.',
    'Name those that the message lists.',
  ),
  RUN_CONNECTION_NOT_GRANTED: content(
    '`run --connections` names a connection that no profile grants.',
    'Leave it out.',
  ),
  NO_SCENARIO: content('There is no scenario in what was named.', "Name a scenario's file."),
  SEVERAL_SCENARIOS: content('There are several.', 'Name the file of one.'),
  COMPONENT_KIND_UNKNOWN: usage('There is no such kind of document.', 'The message lists all kinds.'),
  COMPONENT_HASH_INVALID: content(
    'What was given is no hash, and no beginning of one.',
    'Write 64 hex digits, or at least the first 8.',
  ),
  UNKNOWN_JSON_SCHEMA: notStored('JSON Schema', 'json_schema'),
  UNKNOWN_RESPONSE_SOURCE: notStored('response source', 'response_source'),
  UNKNOWN_COGNITION_WORKFLOW: notStored('cognition workflow', 'cognition_workflow'),
  UNKNOWN_COGNITION_PROFILE: notStored('cognition profile', 'cognition_profile'),
  UNKNOWN_PROMPT_TEXT: notStored('prompt', 'prompt_text'),
  UNKNOWN_TOOL_POLICY: notStored('tool policy', 'tool_policy'),
  UNKNOWN_SCENARIO: notStored('scenario', 'scenario'),
  COMPONENT_AMBIGUOUS: content(
    'Several documents begin with these digits.',
    'Write more of them; the message names the candidates.',
  ),
  SCENARIO_DIFFERS: content(
    "A world, or a fork of it, cannot go on by this scenario: its time or its roster is not the world's.",
    `Change ${CHANGEABLE_SCENARIO_FIELDS} only, and the files that they name, or make a new world.`,
  ),
  SEARCH_FILTER_UNKNOWN: unknown(
    'A search asks for a subject, a source or a failure class that no text has.',
    'Write one of those that the message lists.',
  ),
  WORLD_UNKNOWN: unknown('There is no world of this name.', '`chukwa world list`'),
  WORLD_UNDER_WAY: content(
    'The world cannot be exported, deleted or changed, because one of its attempts has not ended.',
    'Wait for it. If no driver runs it, resume it with `chukwa run SLUG`; `chukwa stop ATTEMPT` before that lets the run end it.',
  ),
  WORLD_HAS_FORKS: content('A world is not deleted while forks share its turns.', 'Delete the forks first.'),
  WORLD_FILE_DAMAGED: content(
    'A file is not as `chukwa world export` wrote it: cut off, altered, or no export at all. Nothing was imported.',
    'Copy it anew, or export again.',
  ),
  WORLD_FILE_OF_ANOTHER_VERSION: content(
    'The file comes from a database with other migrations.',
    'Bring both databases to one version with `chukwa migrate`, and export again.',
  ),
  WORLD_FOLDER_EXISTS: content(
    '`new world` would write into a folder that is there already.',
    'Choose another name, or another folder with `--into`.',
  ),
  WORLD_EXISTS: content('There is one already.', 'Choose another name.'),
  WORLD_SLUG_INVALID: content(
    'A world cannot have this name.',
    'Use lower-case letters and digits, joined by single hyphens or underscores.',
  ),
  WORLD_BUSY: environment('Another process runs this world.', 'Wait for it, or stop it.'),
  WORLD_OVERTAKEN: environment(
    'Another driver took the world while a turn ran here. Nothing was written here since.',
    '`chukwa attempts SLUG`',
  ),
  WORLD_TIME_ENDED: content(
    "The world's next turn would lie beyond the year 9999.",
    'Make a world that begins earlier, or whose turns take less time.',
  ),
  TURN_UNKNOWN: unknown('The world has not reached this turn.', 'Ask for one that it has.'),
  ATTEMPT_UNKNOWN: unknown('There is no such attempt.', '`chukwa attempts SLUG`'),
  CALL_UNKNOWN: unknown(
    'No call has this id, and no service calls one so.',
    '`chukwa attempts SLUG`, then `chukwa attempt ID`',
  ),
  CALL_AMBIGUOUS: content(
    'Services call several calls so that are awaited.',
    'Use the id of one: `chukwa attempts SLUG`, then `chukwa attempt ID`.',
  ),
  CALL_ENDING: environment(
    'A driver is ending the call at this moment, or has just died of it, so that the report was not kept.',
    'Send the report again in a few seconds.',
  ),
  CALL_NOT_AWAITED: content('The call is answered at once or not at all.', '`chukwa attempt ID` says what is awaited.'),
  AGENT_TURN_UNKNOWN: unknown('There is no such agent turn.', '`chukwa attempt ID`'),
  CALL_IN_DOUBT: content(
    "Whether a side effect of the world's latest attempt took place is not known, and another turn would make it " +
      'again.',
    '`chukwa attempt settle ID --result FILE`, or `--not-performed`',
  ),
  RECORD_NOT_ADOPTABLE: content(
    'The latest attempt had a side effect whose record does not fit any more: the documents have changed, or the ' +
      'program asks something else.',
    '`chukwa attempt ID` shows what it did; `chukwa run SLUG --anew` makes its side effects again',
  ),
  CALL_NOT_IN_DOUBT: content(
    'Nothing is to be settled: how the call ended is known, or it may be made again.',
    '`chukwa attempt ID`',
  ),
  CALL_ALREADY_SETTLED: content('It has been decided whether this call took place.', '`chukwa run SLUG`'),
  SETTLED_TOO_LATE: content('The world has gone on since, or was begun anew.', '`chukwa attempts SLUG`'),
  ATTEMPT_NOT_ENDED: content(
    'The attempt has not ended, and its driver may still learn how the call ended.',
    '`chukwa run SLUG` goes on with it; then settle.',
  ),
  UNKNOWN_SOURCE_INVOCATION: unknown('There is no such source invocation.', '`chukwa attempt ID`'),
  LLM_CALL_UNKNOWN: unknown('There is no such LLM call.', '`chukwa attempt ID`'),
  MODEL_NOT_CHOOSABLE: content(
    '`--model` names a model, and no source of the world leaves its model to a variable.',
    'Write `"model_env"` in the source, and make a world of it; or leave `--model` out.',
  ),
  SOURCE_IS_NO_MODEL: content(
    'What is to be tried is not one source of a plugin that speaks `chat`.',
    'Name a file whose `interface` is `llm_chat`, or the hash of a stored one.',
  ),
  SCRIPT_UNKNOWN: unknown('There is no script of this name, and no file either.', 'The message lists those that ship.'),
  SCRIPT_UNREADABLE: content('A script cannot be read.', 'Check path and permissions.'),
  SCRIPT_NOT_JSON: content('A script is not JSON.', 'See `schemas/answers.schema.json`.'),
};
