import { CHANGEABLE_SCENARIO_FIELDS } from '../changeable-fields.js';
import { content, environment, type ProblemEntry, unknown, usage } from './entry.js';

function notStored(noun: string, kind: string): ProblemEntry {
  return unknown(`No ${noun} of this hash is stored.`, `\`chukwa list ${kind}\`, or \`chukwa put PATH\``);
}

export const COMMAND_PROBLEMS = {
  USAGE: usage('The command line itself is wrong.', '`chukwa --help`'),
  RUN_TOOL_NOT_OFFERED: content(
    '`run --tools` names a tool that the scenario does not offer, or that its policy does not allow: a run can ' +
      'only restrict the tools.',
    'Name tools that the message lists.',
  ),
  RUN_CONNECTION_NOT_GRANTED: content(
    '`run --connections` names a connection that no profile grants: connections are not supported yet.',
    'Leave it out.',
  ),
  NO_SCENARIO: content('The named paths hold no scenario.', 'Name the file of a scenario.'),
  SEVERAL_SCENARIOS: content('The named paths hold several scenarios.', 'Name the file of one.'),
  COMPONENT_KIND_UNKNOWN: usage('There is no such kind of document.', 'The message lists all kinds.'),
  COMPONENT_HASH_INVALID: content(
    'The argument is not a hash, nor the beginning of one.',
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
    'Several hashes begin with these digits.',
    'Write more digits; the message names the candidates.',
  ),
  SCENARIO_DIFFERS: content(
    "A world, or its fork, cannot continue with this scenario: the time or the roster differs from the world's.",
    `Change ${CHANGEABLE_SCENARIO_FIELDS} only, and the files that they name, or make a new world.`,
  ),
  SEARCH_FILTER_UNKNOWN: unknown(
    'A search filters by a subject, a source or a failure class that no text has.',
    'Use one that the message lists.',
  ),
  WORLD_UNKNOWN: unknown('There is no world of this name.', '`chukwa world list`'),
  WORLD_UNDER_WAY: content(
    'The world cannot be exported, deleted or changed, because one of its attempts has not ended.',
    'Wait for it. If no driver runs it, resume it with `chukwa run SLUG`; `chukwa stop ATTEMPT` before that lets the run end it.',
  ),
  WORLD_HAS_FORKS: content('The world cannot be deleted, because forks share its turns.', 'Delete the forks first.'),
  WORLD_FILE_DAMAGED: content(
    'The file is truncated or altered, or is not an export of a world. Nothing was imported.',
    'Copy the file again, or export the world again.',
  ),
  WORLD_FILE_OF_ANOTHER_VERSION: content(
    'The file comes from a database with other migrations.',
    'Bring both databases to one version with `chukwa migrate`, and export again.',
  ),
  WORLD_FOLDER_EXISTS: content(
    'The folder for `new world` already exists.',
    'Choose another name, or another folder with `--into`.',
  ),
  WORLD_EXISTS: content('A world of this name already exists.', 'Choose another name.'),
  WORLD_SLUG_INVALID: content(
    'A world cannot have this name.',
    'Use lower-case letters and digits, joined by single hyphens or underscores.',
  ),
  WORLD_BUSY: environment('Another process runs this world.', 'Wait for it, or stop it.'),
  WORLD_OVERTAKEN: environment(
    'Another driver took over the world while a turn ran here. Since then, nothing was written here.',
    '`chukwa attempts SLUG`',
  ),
  WORLD_TIME_ENDED: content(
    "The world's next turn would be after the year 9999.",
    'Make a world that begins earlier, or whose turns take less time.',
  ),
  TURN_UNKNOWN: unknown('The world has not reached this turn.', 'Name a turn that it has reached.'),
  ATTEMPT_UNKNOWN: unknown('There is no such attempt.', '`chukwa attempts SLUG`'),
  CALL_UNKNOWN: unknown(
    'No call has this id, and no service has given it to a call.',
    '`chukwa attempts SLUG`, then `chukwa attempt ID`',
  ),
  CALL_AMBIGUOUS: content(
    'Several pending calls have this alias.',
    'Use the id of the call: `chukwa attempts SLUG`, then `chukwa attempt ID`.',
  ),
  CALL_ENDING: environment(
    'The call is ending at this moment, or its driver has just died. The report was not stored.',
    'Send the report again in a few seconds.',
  ),
  CALL_NOT_AWAITED: content(
    'The call accepts no report: it is answered at once or not at all.',
    '`chukwa attempt ID` lists the pending calls.',
  ),
  AGENT_TURN_UNKNOWN: unknown('There is no such agent turn.', '`chukwa attempt ID`'),
  CALL_IN_DOUBT: content(
    "It is unknown whether a side effect of the world's latest attempt took place, and another turn would repeat it.",
    '`chukwa attempt settle ID --result FILE`, or `--not-performed`',
  ),
  RECORD_NOT_ADOPTABLE: content(
    'The record of a side effect of the latest attempt no longer fits: the documents have changed, or the program ' +
      'sends another request.',
    '`chukwa attempt ID` shows the attempt; `chukwa run SLUG --anew` repeats its side effects',
  ),
  CALL_NOT_IN_DOUBT: content(
    'The call is not in doubt: its outcome is known, or it may be repeated.',
    '`chukwa attempt ID`',
  ),
  CALL_ALREADY_SETTLED: content('The call has been settled already.', '`chukwa run SLUG`'),
  SETTLED_TOO_LATE: content(
    'It is too late to settle the call: the world has continued since, or began anew.',
    '`chukwa attempts SLUG`',
  ),
  ATTEMPT_NOT_ENDED: content(
    'The attempt has not ended, so its driver may still receive the outcome of the call.',
    'Resume it with `chukwa run SLUG`; then settle the call.',
  ),
  UNKNOWN_SOURCE_INVOCATION: unknown('There is no such source invocation.', '`chukwa attempt ID`'),
  LLM_CALL_UNKNOWN: unknown('There is no such LLM call.', '`chukwa attempt ID`'),
  MODEL_NOT_CHOOSABLE: content(
    '`--model` names a model, but no source of the world takes its model from a variable.',
    'Write `"model_env"` in the source and create a world with it, or leave `--model` out.',
  ),
  SOURCE_IS_NO_MODEL: content(
    'The argument of `model try` is not one source of a plugin that speaks `chat`.',
    'Name a file whose `interface` is `llm_chat`, or the hash of a stored one.',
  ),
  SCRIPT_UNKNOWN: unknown(
    'There is no script and no file of this name.',
    'Use a script that the message lists, or the path of a file.',
  ),
  SCRIPT_UNREADABLE: content('The script cannot be read.', 'Check its path and permissions.'),
  SCRIPT_NOT_JSON: content('The script is not JSON.', 'See `schemas/answers.schema.json`.'),
};
