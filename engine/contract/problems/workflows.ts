import { content, environment } from './entry.js';

/** Workflows that cannot work, and problems of the documents that they refer to. */
export const WORKFLOW_PROBLEMS = {
  NODE_ID_TWICE: content('Two nodes have one id.', 'Give each its own.'),
  NODE_ID_RESERVED: content('A node is called `ambient`.', 'Choose another id.'),
  NODE_UNKNOWN: content('A node reads the output of one that does not exist.', 'Correct the id.'),
  NODES_CYCLE: content(
    'Nodes wait for each other, or one for itself.',
    'Remove the reference that the finding names, or another of the circle.',
  ),
  TOOL_LOOPS_SEVERAL: content('A workflow has more than one `llm_tool_loop`.', 'Make the others `llm_json` nodes.'),
  APPLY_FROM_UNKNOWN: content('`apply.from` names no `llm_tool_loop`.', 'Write `<node id>.final`.'),
  MAX_SPECULATIVE_UNUSED: content(
    'A note: `max_speculative` has no meaning beside `per_subject_ordered`.',
    'Take it away, or let subjects run concurrently.',
  ),
  SPECULATION_COSTS: content(
    'A note: what concurrent subjects may cost beyond ordered ones, where they change what others read.',
    'Write a lower `max_speculative`, or accept that.',
  ),
  AMBIENT_ID_TWICE: content('Two ambient sources have one id.', 'Give each its own.'),
  INJECT_PATH_INVALID: content('`inject_as` is no place under `/ambient`.', 'Write one such as `/ambient/weather`.'),
  INJECT_PATHS_OVERLAP: content(
    'Two readings that one subject can see would overlap.',
    'Give each a place of its own.',
  ),
  ONCE_PER_TURN_HAS_NO_SUBJECT: content(
    'A source that runs once per turn speaks of the acting subject.',
    'Let it run before each subject, or name a world, environment or entity.',
  ),
  TEMPLATE_PATH_UNREADABLE: content(
    'A template reads what it cannot see.',
    'Read one of the [pointers](terms.md#templates) that it can.',
  ),
  PATH_NEVER_THERE: content(
    'A template or prompt reads what its producer can never give.',
    'The finding names the nearest that exist.',
  ),
  PATH_MAY_BE_MISSING: content(
    'A template or prompt reads what may not be there, for some subjects at least.',
    'Write a `default`, or a result schema that requires it.',
  ),
  PATH_HIDDEN: content(
    'A template or prompt reads what redaction hides.',
    'Add it to the `allow` of the binding that produces it.',
  ),
  REDACTION_NAMES_NOTHING: content(
    'A pointer of an allow-list leads to nothing in the result schema.',
    'Correct it, or take it away.',
  ),
  REQUEST_DOES_NOT_FIT: content(
    "A request template makes what the source's request schema refuses.",
    'Ask as the schema says.',
  ),
  ARGUMENTS_DO_NOT_FIT: content(
    "A tool's argument schema lets through what the source's request schema refuses.",
    'Make it as narrow.',
  ),
  OUTPUT_UNUSED: content(
    'A note: nothing reads what a node gives.',
    'Read it, unless its call is made for its effect.',
  ),
  NODE_LEADS_NOWHERE: content(
    'A note: what a node gives is read, but never on a way to the node whose patch is applied.',
    'Read it there, or take both out.',
  ),
  READING_UNSEEN: content(
    'A note: an ambient source runs each turn, and nobody is shown what it answers.',
    'Write `{{ambient.visible}}` into a prompt, correct `visible_to`, or take the binding out.',
  ),
  TOOLS_NEVER_OFFERED: content(
    'A note: a node has tools beside `"max_tool_calls": 0`.',
    'Allow calls, or take the tools out.',
  ),
  PROMPT_DOLLAR_BRACES: content(
    'A note: a prompt holds `${name}`, which the model is shown as it is.',
    'Write `{{name}}`, unless it is meant so.',
  ),
  PROMPT_SINGLE_BRACES: content(
    'A note: a prompt holds a name such as `{subject.name}` in single braces, which the model is shown as it is.',
    'Write `{{subject.name}}`, unless it is meant so.',
  ),
  TEMPLATE_READ_MALFORMED: content(
    '`$from` holds no pointer, or is beside something other than `default`.',
    'Write `{"$from": "/world/attempted_turn"}` or the like.',
  ),
  PROMPT_PLACEHOLDER_UNKNOWN: content(
    'A prompt names something that does not exist.',
    'Use one of the [placeholders](terms.md#templates).',
  ),
  EVENTS_NOT_PROJECTED: content(
    'A prompt shows `{{world.recent_events}}`, and the projection of its node asks for none.',
    'Add `"events": {"turns": 2}` to the projection.',
  ),
  EVENTS_NOT_SHOWN: content(
    'A note: a projection asks for events, and no message of the prompt shows them.',
    'Write `{{world.recent_events}}` into a message, or take `events` away.',
  ),
  PROMPT_PLACEHOLDER_UNCLOSED: content(
    'A prompt opens double braces and does not close them before others open, or at all.',
    'Close them, or write one brace.',
  ),
  TOOL_NAME_TWICE: content('Two tools of a node have one name.', 'Give each its own.'),
  TOOL_NAME_RESERVED: content(
    "A tool's name begins with `core__`, or with a prefix such as `mcp__` that is for sources of another plugin.",
    'Choose another.',
  ),
  TOOL_NAME_WITHOUT_SERVER: content(
    'A tool of a plugin that wants names with a prefix is not named so, such as `mcp__SERVER__TOOL`.',
    'Name it so, here and in the tool policy.',
  ),
  ARGUMENTS_NOT_OBJECT: content('A tool\'s argument schema does not say `"type": "object"`.', 'Write it at its root.'),
  FINAL_SCHEMA_NOT_WORLD_PATCH: content(
    'The final schema is not the one of a WorldPatch.',
    'Write `{"path": "chukwa:world-patch.schema.json"}`.',
  ),
  TOOL_POLICY_MISSING: content('A workflow offers tools and its profile names no policy.', 'Add `tool_policy_ref`.'),
  TOOL_NOT_ALLOWED: content(
    "A note: a workflow offers a tool that its profile's policy does not allow; its plugin need not be there.",
    'Add it to `allow`, spell it as the policy does, or leave it so.',
  ),
  POLICY_DENIES: content(
    'A call outside of tool calls does more than read, and no policy allows it.',
    'Add its id to `allow`.',
  ),
  PLUGIN_UNKNOWN: content(
    "A source's interface names a plugin that is not there, or that is left out.",
    "Correct the name, or add the plugin's folder to `CHUKWA_PLUGIN_PATH`; `chukwa plugin list` says why one is " +
      'left out.',
  ),
  RETRY_BACKOFF_TOO_LONG: content(
    "A source's first wait before a retry is longer than its longest.",
    'Lower `backoff_ms`, or raise `backoff_max_ms`.',
  ),
  REPEATABLE_NEEDS_EFFECT: content(
    'A binding that is `read_only` says `repeatable`.',
    'Take `repeatable` away, or correct `effect`.',
  ),
  EFFECT_READS_ONLY: content(
    'A binding that is `read_only` names a source that changes something outside, such as one that asks by ' +
      '`DELETE`.',
    'Write the effect that it has.',
  ),
  VARIABLE_NAME_FOREIGN: content(
    'A source names a variable whose name does not begin with `CHUKWA_`.',
    'Choose such a name, and set it where the program runs.',
  ),
  SOURCE_IS_NO_SERVER: content(
    '`mcp tools` was given a source of a plugin that lists no tools.',
    'Name a source of a tool server, a variable, a URL or a command.',
  ),
  MCP_SERVER_NAME_INVALID: content(
    'The name given with `--as` cannot be a part of a variable.',
    'Use letters, digits and underscores.',
  ),
  MCP_SERVER_FAILED: environment(
    'An MCP server did not list its tools. The message says how that failed.',
    'Correct the variable, or mend the server.',
  ),
  MCP_TOOL_UNKNOWN: content(
    '`mcp tools` was to write a tool that the server does not list, or the server has none that can be written.',
    'Choose one that is listed.',
  ),
  MCP_TOOL_UNUSABLE: content(
    'A tool that was chosen cannot be written as documents: its name or its schema is not fit for them, or several ' +
      'have its name.',
    'Choose others, or write its documents by hand.',
  ),
  SOURCE_SPEAKS_OTHERWISE: content(
    'A model is named where a JSON service is needed, or the other way round.',
    'Refer to another source.',
  ),
  NOT_SUPPORTED_YET: content(
    'The document asks for something that this version cannot do. It runs nothing that it cannot do as written.',
    'Take it away for now.',
  ),
};
