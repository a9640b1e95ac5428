import { content } from './entry.js';

/** Workflows that cannot work, and problems of the documents that they refer to. */
export const WORKFLOW_PROBLEMS = {
  NODE_ID_TWICE: content('Two nodes have the same id.', 'Give each its own id.'),
  NODE_ID_RESERVED: content('A node has the reserved id `ambient`.', 'Choose another id.'),
  NODE_UNKNOWN: content('A node reads the output of a node that does not exist.', 'Correct the id.'),
  NODES_CYCLE: content(
    'Nodes wait for each other in a cycle.',
    'Remove the reference that the finding names, or another one of the cycle.',
  ),
  TOOL_LOOPS_SEVERAL: content('A workflow has more than one `llm_tool_loop`.', 'Make the others `llm_json` nodes.'),
  APPLY_FROM_UNKNOWN: content('`apply.from` names no `llm_tool_loop`.', 'Write `<node id>.final`.'),
  MAX_SPECULATIVE_UNUSED: content(
    'A note: `max_speculative` has no effect with `per_subject_ordered`.',
    'Remove it, or let subjects run concurrently.',
  ),
  SPECULATION_COSTS: content(
    'A note: how many more calls concurrent subjects may make than ordered ones, where a subject changes what another one reads.',
    'Lower `max_speculative`, or accept the cost.',
  ),
  AMBIENT_ID_TWICE: content('Two ambient sources have the same id.', 'Give each its own id.'),
  INJECT_PATH_INVALID: content(
    '`inject_as` is not a pointer under `/ambient`.',
    'Write a pointer such as `/ambient/weather`.',
  ),
  INJECT_PATHS_OVERLAP: content('Two readings that one subject can see would overlap.', 'Give each its own pointer.'),
  ONCE_PER_TURN_HAS_NO_SUBJECT: content(
    'A source that runs once per turn refers to the acting subject.',
    'Let it run before each subject, or name a world, environment or entity.',
  ),
  TEMPLATE_PATH_UNREADABLE: content(
    'A template reads a value that is not in its context.',
    'Use one of the available [pointers](terms.md#templates).',
  ),
  PATH_NEVER_THERE: content(
    'A template or prompt reads a path that its producer never has.',
    'Use a path that exists; the finding names the nearest.',
  ),
  PATH_MAY_BE_MISSING: content(
    'A template or prompt reads a path that may be missing, at least for some subjects.',
    'Write a `default`, or require the path in the result schema.',
  ),
  PATH_HIDDEN: content(
    'A template or prompt reads a value that redaction hides.',
    'Add it to the `allow` of the binding that produces it.',
  ),
  REDACTION_NAMES_NOTHING: content(
    'A pointer of an allow-list matches nothing in the result schema.',
    'Correct it, or remove it.',
  ),
  REQUEST_DOES_NOT_FIT: content(
    "A request template makes a request that the source's request schema rejects.",
    'Make the request fit the schema.',
  ),
  ARGUMENTS_DO_NOT_FIT: content(
    "A tool's argument schema accepts values that the source's request schema rejects.",
    'Make the argument schema as narrow as the request schema.',
  ),
  OUTPUT_UNUSED: content(
    'A note: nothing reads the output of a node.',
    'Read it, unless the call is made for its effect.',
  ),
  NODE_LEADS_NOWHERE: content(
    'A note: the output of a node is read, but never by a node on the way to the one whose patch is applied.',
    'Read it there, or remove both nodes.',
  ),
  READING_UNSEEN: content(
    'A note: an ambient source runs each turn, but no prompt or request of a subject that may see its reading uses it.',
    'Write `{{ambient.visible}}` into a prompt, correct `visible_to`, or remove the binding.',
  ),
  TOOLS_NEVER_OFFERED: content(
    'A note: a node has tools, but `"max_tool_calls": 0` allows no call.',
    'Allow calls, or remove the tools.',
  ),
  PROMPT_DOLLAR_BRACES: content(
    'A note: a prompt holds `${name}`, which the model sees unchanged.',
    'Write `{{name}}`, unless this is meant.',
  ),
  PROMPT_SINGLE_BRACES: content(
    'A note: a prompt holds a name in single braces, such as `{subject.name}`, which the model sees unchanged.',
    'Write `{{subject.name}}`, unless this is meant.',
  ),
  TEMPLATE_BRACES: content(
    'A note: a request template has a placeholder in braces, which only prompts fill in.',
    'Write `{"$from": pointer}` in place of the text.',
  ),
  TEMPLATE_READ_MALFORMED: content(
    '`$from` is not a pointer, or has a neighbour other than `default`.',
    'Write, for example, `{"$from": "/world/attempted_turn"}`.',
  ),
  PROMPT_PLACEHOLDER_UNKNOWN: content(
    'A prompt has an unknown placeholder.',
    'Use one of the [placeholders](terms.md#templates).',
  ),
  EVENTS_NOT_PROJECTED: content(
    'A prompt uses `{{world.recent_events}}`, but the projection of its node requests no events.',
    'Add `"events": {"turns": 2}` to the projection.',
  ),
  EVENTS_NOT_SHOWN: content(
    'A note: a projection requests events, but no message of the prompt uses them.',
    'Write `{{world.recent_events}}` into a message, or remove `events`.',
  ),
  PROMPT_PLACEHOLDER_UNCLOSED: content(
    'A prompt opens double braces without closing them.',
    'Close them, or write a single brace.',
  ),
  TOOL_NAME_TWICE: content('Two tools of a node have the same name.', 'Give each its own name.'),
  TOOL_NAME_RESERVED: content(
    "A tool's name begins with `core__`, or with a prefix that belongs to another plugin, such as `mcp__`.",
    'Choose another name.',
  ),
  TOOL_NAME_WITHOUT_SERVER: content(
    'The plugin requires a prefix in the names of tools, such as `mcp__SERVER__TOOL`, and this name has none.',
    'Add the prefix, here and in the tool policy.',
  ),
  ARGUMENTS_NOT_OBJECT: content(
    'A tool\'s argument schema does not say `"type": "object"`.',
    'Write it at the root of the schema.',
  ),
  FINAL_SCHEMA_NOT_WORLD_PATCH: content(
    'The final schema is not the WorldPatch schema.',
    'Write `{"path": "chukwa:world-patch.schema.json"}`.',
  ),
  TOOL_POLICY_MISSING: content('A workflow offers tools, but its profile names no policy.', 'Add `tool_policy_ref`.'),
  TOOL_NOT_ALLOWED: content(
    "A note: a workflow lists a tool that its profile's policy does not allow. The tool is not offered, and its plugin may be missing.",
    'Add it to `allow`, correct the spelling, or keep it so.',
  ),
  ALLOWED_NAMES_NOTHING: content(
    'A note: `allow` of a policy names no tool and no call of the workflows that it is for.',
    'Correct the name, remove it, or keep it for another scenario.',
  ),
  APPROVAL_NAMES_NOTHING: content(
    'A note: `require_approval` of a policy names no effect class and no call of the workflow.',
    'Remove it: this version does not support approvals.',
  ),
  POLICY_DENIES: content(
    'A call that is no tool call has a side effect, and no policy allows it.',
    'Add its id to `allow`.',
  ),
  PLUGIN_UNKNOWN: content(
    "A source's interface names a plugin that does not exist or could not be loaded.",
    "Correct the name, or add the plugin's folder to `CHUKWA_PLUGIN_PATH`; `chukwa plugin list` says why it is " +
      'left out.',
  ),
  RETRY_BACKOFF_TOO_LONG: content(
    "A source's `backoff_ms` is greater than its `backoff_max_ms`.",
    'Lower `backoff_ms`, or raise `backoff_max_ms`.',
  ),
  FALLBACK_IS_THE_SAME: content(
    'The `fallback` of a node is its first source.',
    'Refer to another source, or write `retry` in the source.',
  ),
  FALLBACK_DELIVERS_OTHERWISE: content(
    'One of the two sources of a node has the schema of its answer in the prompt, and the other beside it.',
    'Choose one `schema_delivery` for both.',
  ),
  FALLBACK_HAS_NO_TIME: content(
    'A `fallback` after a `timeout` would never be asked: one call of the first source may use up the time of the node.',
    'Lower the timeout of the source, or raise `timeout_seconds`.',
  ),
  REPEATABLE_NEEDS_EFFECT: content(
    'A `read_only` binding says `repeatable` or `not_performed_on`.',
    'Remove it, or correct `effect`.',
  ),
  EFFECT_READS_ONLY: content(
    'A `read_only` binding names a source with side effects, such as one that sends `DELETE`.',
    'Write the effect that the call has.',
  ),
  VARIABLE_NAME_FOREIGN: content({
    meaning: 'A source names a variable whose name does not begin with CHUKWA_.',
    message: ({ name, prefix }: { readonly name: string; readonly prefix: string }) =>
      `${JSON.stringify(name)} may not be named by a document: a variable that a document names begins with ${prefix}`,
    repair: ({ name, prefix }) =>
      `Write a name such as ${JSON.stringify(`${prefix}${name}`)}, and set that variable where the program runs.`,
    example: { name: 'HARBOUR_URL', prefix: 'CHUKWA_' },
  }),
  VARIABLE_NAME_RESERVED: content({
    meaning: 'A source names a variable that the engine, or a plugin, reads for itself.',
    message: ({ name }: { readonly name: string }) =>
      `${name} may not be named by a document here: the program reads that variable for itself`,
    repair: 'Write a name of its own, such as CHUKWA_HARBOUR_URL, and set that variable where the program runs.',
    example: { name: 'CHUKWA_TOKEN' },
  }),
  SOURCE_SPEAKS_OTHERWISE: content(
    'A reference names a model where a JSON service is needed, or a JSON service where a model is needed.',
    'Refer to another source.',
  ),
  NOT_SUPPORTED_YET: content(
    'The document uses a feature that this version does not support, so it does not run.',
    'Remove it for now.',
  ),
};
