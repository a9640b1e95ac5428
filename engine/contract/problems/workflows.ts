import type { Json } from '../json.js';
import { byKind, content, note, type Texts } from './entry.js';
import { type KnownNames, meant, suggested, typeNames } from './phrases.js';
import { twice } from './twice.js';

/** How long the name of a tool may be. */
const TOOL_NAME_LENGTH_MAX = 64;

/** What a prompt or a template reads, as its author wrote it. */
export interface Read {
  readonly text: string;
}

export interface ReadNowhere extends Read {
  /** The last part of the path that exists. */
  readonly above: string;
  readonly has: Held;
}

/** What there is below a place. */
export type Held =
  | {
      readonly kind: 'members';
      readonly meant: string | undefined;
      readonly nearest: readonly string[];
      readonly more: number;
    }
  | { readonly kind: 'items' }
  | { readonly kind: 'matching'; readonly patterns: readonly string[] }
  | { readonly kind: 'nothing'; readonly is_reading_of_prompt: boolean };

function sayHeld(has: Held): string {
  switch (has.kind) {
    case 'members':
      return `${has.nearest.join(', ')}${has.more > 0 ? ` and ${has.more} more` : ''}`;
    case 'items':
      return 'items';
    case 'matching':
      return `members whose names match ${has.patterns.join(' or ')}`;
    case 'nothing':
      return 'nothing below it';
  }
}

function sayReadInstead({ above, has }: ReadNowhere): string {
  switch (has.kind) {
    case 'members':
      return has.meant === undefined ? `Read ${above}, or one of those.` : `Did you mean ${has.meant}?`;
    case 'items':
      return 'Write an index, such as 0.';
    case 'matching':
      return 'Write a name that does.';
    case 'nothing':
      return `Read ${has.is_reading_of_prompt ? '{{ambient.visible}}, which shows all readings' : above}.`;
  }
}

/** A source's demands on a request: those of its schema, or of its path. */
export interface Demands {
  readonly source: string;
  readonly path?: string;
}

function sayDemands({ source, path }: Demands): string {
  return `the ${path === undefined ? 'request schema' : `path ${path}`} of the source ${source}`;
}

/** Why a value is not accepted. */
export type Unfit =
  | { readonly kind: 'type'; readonly found: string; readonly wanted: readonly string[] }
  | { readonly kind: 'value'; readonly found: string; readonly accepted: readonly Json[] }
  | { readonly kind: 'lacks'; readonly name: string; readonly always: boolean }
  | { readonly kind: 'refused' }
  /** A known value breaks a rule of the schema. */
  | { readonly kind: 'rule'; readonly message: string };

export interface Breach {
  /** The part of the request; empty for the request itself. */
  readonly place: string;
  readonly why: Unfit;
  readonly by: Demands;
}

const VALUES_SHOWN = 8;

function sayUnfit(why: Unfit): string {
  switch (why.kind) {
    case 'type':
      return `is ${typeNames([why.found])}, and ${typeNames(why.wanted) || 'nothing'} is wanted`;
    case 'value': {
      const shown = why.accepted.slice(0, VALUES_SHOWN).map((value) => JSON.stringify(value));
      const more = why.accepted.length > VALUES_SHOWN ? ', ...' : '';
      return `is ${typeNames([why.found])}, and only ${shown.join(', ')}${more} is accepted`;
    }
    case 'lacks':
      return `${why.always ? 'lacks' : 'may lack'} the required member ${JSON.stringify(why.name)}`;
    case 'refused':
      return 'is not accepted there';
    case 'rule':
      return `does not fit: ${why.message}`;
  }
}

/** What a placeholder shows, and the member of the projection that asks for it. */
export interface ProjectionPart {
  readonly shows: string;
  readonly member: keyof typeof PARTS;
}

/** Each such member, as an author may write it. */
const PARTS = {
  own_turns: '"own_turns": 3',
  'memory/pinned': '"pinned": true under "memory"',
  'memory/retrieve': '"retrieve": {"top": 5, "query": ["{{world.recent_events}}"]} under "memory"',
} as const;

/** A name that no policy allows, and the name that the policy probably means by it. */
export interface NotAllowed {
  readonly name: string;
  readonly meant?: string | undefined;
  /** The pointer of the rule that denies it, where one does. */
  readonly rule?: string | null;
}

function sayMeant({ meant }: NotAllowed): string {
  return meant === undefined ? '' : `The policy allows ${meant}, which is not in the workflow. `;
}

/** The repair where the policy misspells the name, or a rule of it denies. */
function sayDenying({ name, meant, rule = null }: NotAllowed): string | undefined {
  if (rule !== null) return `The rule at ${rule} of the policy denies it: change that rule, or keep it so.`;
  return meant === undefined ? undefined : `Did you mean ${JSON.stringify(name)}?`;
}

export interface OtherBraces {
  readonly written: string;
  /** What a placeholder would be called. */
  readonly name: string;
}

function otherBraces(example: OtherBraces) {
  return note({
    meaning: 'A placeholder has double braces; this reaches the model unchanged.',
    message: ({ written }) => `${written} reaches the model unchanged: a placeholder has double braces.`,
    repair: ({ name }) => `Write {{${name}}}, unless this text is meant.`,
    example,
  });
}

/** Workflows that cannot work, and problems of the documents that they refer to. */
export const WORKFLOW_PROBLEMS = {
  NODE_ID_TWICE: twice({ noun: 'node', member: 'id', example: 'plan' }),
  NODE_ID_RESERVED: content(
    '"ambient" is not a node id: calls of ambient sources are recorded under it.',
    'Choose another id.',
  ),
  NODE_UNKNOWN: content<Read & KnownNames>({
    message: ({ text }) => `${text} reads a node that does not exist.`,
    repair: suggested,
    example: { text: '/nodes/paln/output', nearest: 'plan', known: ['plan', 'act'] },
  }),
  NODES_CYCLE: content({
    message: ({ id, way }) =>
      way.length === 1
        ? `${id} reads its own output, so it would wait forever.`
        : `${[id, ...way].join(' waits for ')}: none of them can start.`,
    repair: ({ way }) =>
      way.length === 1 ? 'Remove the reference.' : `Remove this reference to ${way[0]}, or another of them.`,
    example: { id: 'plan', way: ['act', 'plan'] },
  }),
  TOOL_LOOPS_SEVERAL: content({
    meaning: 'A workflow has one llm_tool_loop.',
    message: ({ types }) => `A workflow has one ${types}, whose final patch is applied; this one has several.`,
    repair: 'Make the others llm_json nodes.',
    example: { types: 'llm_tool_loop' },
  }),
  APPLY_FROM_UNKNOWN: content<{ readonly types: string; readonly from: string; readonly id: string | undefined }>({
    message: ({ types, from }) => `No ${types} node is called ${JSON.stringify(from)}.`,
    repair: ({ types, id }) =>
      id === undefined ? `Add an ${types} node: only it ends in a patch.` : `Write ${JSON.stringify(`${id}.final`)}.`,
    example: { types: 'llm_tool_loop', from: 'plan', id: 'act' },
  }),
  APPLY_MISSING: content<{ readonly id: string }>({
    message: ({ id }) => `The final patch of the node ${id} would change nothing: the workflow has no "apply".`,
    repair: ({ id }) => `Add "apply": { "from": "${id}.final" }.`,
    example: { id: 'act' },
  }),
  REMEMBER_FROM_PATCH: content<{ readonly id: string }>({
    message: ({ id }) => `The node ${id} gives a patch, of which nothing is remembered.`,
    repair: 'Name an llm_json or source_call node.',
    example: { id: 'act' },
  }),
  REMEMBER_NOT_TEXT: content<{ readonly text: string; readonly types: readonly string[] }>({
    meaning: 'What would be remembered may be no text.',
    message: ({ text, types }) => `${text} may be ${types.join(', ')}: only a text can be remembered.`,
    repair:
      'Say "type": "string" in the schema of the output, or ["string", "null"] where there may be nothing to remember.',
    example: { text: '/nodes/summarise/output', types: ['object'] },
  }),
  QUESTION_TWICE: twice({ noun: 'question', member: 'id', example: 'candy' }),
  QUESTION_RANGE_EMPTY: content({
    message: ({ minimum, maximum }) => `No number is at least ${minimum} and at most ${maximum}.`,
    repair: 'Write a minimum that is not greater than the maximum.',
    example: { minimum: 5, maximum: 1 },
  }),
  PROBE_WOULD_ACT: content({
    meaning: 'The prompt may show the answer of a call with a side effect, and a probe makes none.',
    message: ({ id, effect }) =>
      `The prompt of the agent may show an answer of ${id}, whose calls have a side effect (${effect}): a probe makes none.`,
    repair: 'Probe with --subject other agents, whose workflows only read.',
    example: { id: 'ring_bell', effect: 'external_side_effect' },
  }),
  PROBE_SUBJECT_UNASKED: content({
    message: ({ name }) => `No model is asked for ${name} in this world.`,
    repair: ({ known }) => `Name one of ${known.join(', ')}.`,
    example: { name: 'bobb', known: ['bob', 'ant'] },
  }),
  MAX_SPECULATIVE_UNUSED: note(
    'max_speculative has no effect: the subjects of this workflow run one after the other.',
    'Remove it, or write "execution": "per_subject_concurrent".',
  ),
  SPECULATION_COSTS: note({
    meaning: 'Where subjects change what others read, a turn discards calls.',
    message: ({ subjects, most }) =>
      `Where its ${subjects} subjects change values that other subjects read, a turn discards the calls of at most ${most} runs.`,
    repair: 'Write "max_speculative": how many runs it may discard for each subject on average.',
    example: { subjects: 3, most: 6 },
  }),
  AMBIENT_ID_TWICE: twice({
    noun: 'ambient source',
    member: 'id',
    example: 'weather',
  }),
  INJECT_PATH_INVALID: content({
    message: ({ inject_as }) => `${JSON.stringify(inject_as)} is not a place under /ambient.`,
    repair: ({ id }) => `Write for example "/ambient/${id}".`,
    example: { id: 'weather', inject_as: '/weather' },
  }),
  INJECT_PATHS_OVERLAP: content({
    meaning: 'One subject can see two readings at overlapping places.',
    message: ({ inject_as, other }) =>
      `${inject_as} overlaps ${other.inject_as} of ${other.id}, and one subject can see both.`,
    repair: 'Give each reading its own place.',
    example: { inject_as: '/ambient/weather/wind', other: { id: 'weather', inject_as: '/ambient/weather' } },
  }),
  ONCE_PER_TURN_HAS_NO_SUBJECT: content({
    message: ({ id }) => `${id} runs once per turn, when there is no acting subject yet.`,
    repair: 'Let it run before_subject_workflow, or name a world, environment or entity.',
    example: { id: 'weather' },
  }),
  TEMPLATE_PATH_UNREADABLE: content({
    message: ({ text }) => `${text} cannot be read here.`,
    repair: ({ known }) => `Read one of ${known.map((name) => `/${name}/...`).join(', ')}.`,
    example: { text: '/subjet/name', known: ['world', 'subject', 'ambient', 'nodes'] },
  }),
  PATH_NEVER_THERE: content<ReadNowhere>({
    meaning: 'A template or prompt reads a path that never exists.',
    message: ({ text, above, has }) => `${text} never exists: ${above} has ${sayHeld(has)}.`,
    repair: sayReadInstead,
    example: {
      text: '/nodes/plan/output/intension',
      above: '/nodes/plan/output',
      has: { kind: 'members', meant: 'intention', nearest: ['intention', 'mood'], more: 0 },
    },
  }),
  PATH_MAY_BE_MISSING: content<
    Read & {
      readonly by: 'template' | 'prompt';
      /** Whether it is missing where a reading is absent, or for these subjects of several. */
      readonly where: 'absent' | readonly string[];
    }
  >({
    meaning: 'A template or prompt reads a path that may be missing, at least for some subjects.',
    message: ({ text, where }) =>
      where === 'absent'
        ? `${text} is missing where the reading is absent, which its "inject_absence" allows.`
        : `${text} may be missing${where.length === 0 ? '' : ` for ${where.join(', ')}`}.`,
    repair: ({ by, where }) => {
      const isTemplate = by === 'template';
      if (where === 'absent')
        return `${isTemplate ? 'Write a "default" beside "$from"' : 'Write {{ambient.visible}}, which says what is absent'}, or let the binding fail: "on_failure": "fail".`;
      return isTemplate
        ? 'Write a "default" beside "$from", or a result schema that requires it.'
        : 'A prompt has no defaults: read a whole output, or write a result schema that requires the member.';
    },
    example: { text: '/subject/goal', by: 'template', where: ['bob'] },
  }),
  PATH_HIDDEN: content({
    meaning: 'Redaction hides the path.',
    message: ({ text }) => `${text} is hidden by redaction.`,
    repair: 'Add it to the "allow" of the binding that produces it.',
    example: { text: '/ambient/weather/wind' },
  }),
  REDACTION_NAMES_NOTHING: content<{ readonly written: string } & KnownNames>({
    message: ({ written }) => `Nothing that fits the result schema has ${JSON.stringify(written)}.`,
    repair: (names) => (names.known.length === 0 ? 'Remove it.' : suggested(names)),
    example: { written: '/wnid', nearest: 'wind', known: ['wind', 'rain'] },
  }),
  REQUEST_DOES_NOT_FIT: content<Breach>({
    meaning: "The source's schema rejects the request of this template.",
    message: ({ place, why }) => `${place === '' ? 'The request' : place} ${sayUnfit(why)}.`,
    repair: ({ by }) => `Ask as ${sayDemands(by)} says.`,
    example: {
      place: '/days',
      why: { kind: 'rule', message: 'must be an integer, not a string' },
      by: { source: 'weather' },
    },
  }),
  ARGUMENTS_DO_NOT_FIT: content<Breach & { readonly tool: string }>({
    meaning: "The tool's schema accepts what the source's schema rejects.",
    message: ({ tool, place, why }) => `${place === '' ? `What ${tool} may be given` : place} ${sayUnfit(why)}.`,
    repair: ({ by }) => `Make the arguments schema as narrow as ${sayDemands(by)}.`,
    example: {
      tool: 'tide',
      place: '/days',
      why: { kind: 'type', found: 'string', wanted: ['integer'] },
      by: { source: 'tide', path: '/tide/{days}' },
    },
  }),
  OUTPUT_UNUSED: note({
    message: ({ id }) => `Nothing reads the output of ${id}.`,
    repair: ({ has_effect }) =>
      has_effect ? 'Read it, unless the call is made for its effect.' : 'Read it, or remove it.',
    example: { id: 'plan', has_effect: false },
  }),
  NODE_LEADS_NOWHERE: note({
    meaning: 'No node on the way to the patch reads the output.',
    message: ({ id, applied }) =>
      `The output of ${id} is read, but never by a node on the way to ${applied}, whose patch is applied.`,
    repair: ({ applied }) => `Read it on the way to ${applied}, or remove both nodes.`,
    example: { id: 'plan', applied: 'act' },
  }),
  READING_UNSEEN: note({
    meaning: 'No prompt and no request uses the reading.',
    message: ({ id, is_given }) =>
      is_given
        ? `${id} is read each turn, but no prompt and no request of this workflow uses it.`
        : `${id} is visible to no subject of this workflow.`,
    repair: ({ is_given }) =>
      is_given ? 'Write {{ambient.visible}} into a prompt, or remove it.' : 'Correct "visible_to", or remove it.',
    example: { id: 'weather', is_given: true },
  }),
  TOOLS_NEVER_OFFERED: note({
    message: ({ id }) => `${id} has tools, but "max_tool_calls" is 0: no model is ever offered one.`,
    repair: 'Write how many calls are allowed, or remove the tools.',
    example: { id: 'act' },
  }),
  PROMPT_DOLLAR_BRACES: otherBraces({ written: '${subject.name}', name: 'subject.name' }),
  PROMPT_SINGLE_BRACES: otherBraces({ written: '{subject.name}', name: 'subject.name' }),
  TEMPLATE_BRACES: note(
    'A request has no placeholders in braces: this text is sent as it is.',
    'Write, for example, {"$from": "/world/attempted_turn"} in place of the text.',
  ),
  TEMPLATE_READ_MALFORMED: content(
    '"$from" must be a JSON Pointer, with no neighbour but "default".',
    'Write, for example, {"$from": "/world/attempted_turn"}.',
  ),
  PROMPT_PLACEHOLDER_UNKNOWN: content<Read & KnownNames>({
    meaning: 'There is no such [placeholder](terms.md#templates).',
    message: ({ text }) => `${text} is not a placeholder.`,
    repair: ({ nearest, known }) =>
      `${meant(nearest && `{{${nearest}}}`)}Use ${known.join(', ')}, ambient.<path> or nodes.<id>.output.`,
    example: { text: '{{subject.nmae}}', nearest: 'subject.name', known: ['subject.name', 'world.recent_events'] },
  }),
  EVENTS_NOT_PROJECTED: content(
    '{{world.recent_events}} is used in a prompt, but the projection does not say for how many turns.',
    'Add "events": {"turns": 2} to the projection of the node.',
  ),
  EVENTS_NOT_SHOWN: note(
    'The projection requests events, but no message of the prompt uses them.',
    'Write {{world.recent_events}} into a message, or remove "events".',
  ),
  PART_NOT_PROJECTED: content<ProjectionPart>({
    meaning: 'The prompt shows a part that the projection does not have.',
    message: ({ shows, member }) =>
      `{{${shows}}} is used in a prompt, but the projection has no "${member.replace('/', '.')}".`,
    repair: ({ member }) => `Add ${PARTS[member]} to the projection of the node.`,
    example: { shows: 'memory.retrieved', member: 'memory/retrieve' },
  }),
  PART_NOT_SHOWN: note<ProjectionPart>({
    meaning: 'The projection has a part that no prompt shows.',
    message: ({ member }) => `The projection has "${member.replace('/', '.')}", but no message of the prompt uses it.`,
    repair: ({ shows, member }) => `Write {{${shows}}} into a message, or remove "${member.replace('/', '.')}".`,
    example: { shows: 'subject.own_turns', member: 'own_turns' },
  }),
  QUERY_READS_LATER: content<Pick<ProjectionPart, 'shows'>>({
    meaning: 'A query reads what is known only after it.',
    message: ({ shows }) => `A query reads {{${shows}}}, which is known only after memories have been retrieved.`,
    repair: 'Write the query of other placeholders, such as {{world.recent_events}}.',
    example: { shows: 'memory.retrieved' },
  }),
  PROMPT_PLACEHOLDER_UNCLOSED: content({
    meaning: 'Braces are not closed.',
    message: ({ offset }) => `The braces that open at character ${offset + 1} are not closed.`,
    repair: 'Close them with }}, or write a single brace.',
    example: { offset: 11 },
  }),
  TOOL_NAME_TWICE: twice({
    noun: 'tool',
    each: 'tool of a node',
    member: 'name',
    example: 'tide',
  }),
  TOOL_NAME_RESERVED: content({
    meaning: "The name begins with `core__`, or with a plugin's prefix such as `mcp__`.",
    message: ({ name, prefix }) => `${name} begins with ${prefix}, which is reserved.`,
    repair: 'Choose a name without the prefix.',
    example: { name: 'mcp__tide', prefix: 'mcp__' },
  }),
  TOOL_NAME_WITHOUT_SERVER: content({
    meaning: "The name of a server's tool says neither server nor tool.",
    message: ({ name }) => `The name ${name} does not say of which server it is, and which tool there.`,
    repair: ({ wanted }) =>
      wanted.length > TOOL_NAME_LENGTH_MAX
        ? `${wanted} would be its name, which has more than ${TOOL_NAME_LENGTH_MAX} characters: name the server by a shorter variable.`
        : `Name it ${wanted}, here and in the tool policy.`,
    example: { name: 'tide', wanted: 'mcp__harbour__tide' },
  }),
  ARGUMENTS_NOT_OBJECT: content({
    meaning: 'The arguments schema does not say "type": "object".',
    message: ({ name }) =>
      `The arguments schema of ${name} does not say "type": "object"; arguments are always an object.`,
    repair: 'Write "type": "object" at the root of the schema.',
    example: { name: 'tide' },
  }),
  ARGUMENTS_NOT_NATIVE: content({
    meaning: 'Providers of native tool calls do not take this schema.',
    message: ({ name, keyword, place }) =>
      `The arguments schema of ${name} has "${keyword}"${place === '' ? ' at its root' : ` at ${place}`}, which providers of native tool calls do not take.`,
    repair:
      'Write the schema without it (a "$ref" may only name one of the "$defs"), or "tool_calling": "json_control" in the model\'s source.',
    example: { name: 'tide', keyword: 'oneOf', place: '/properties/place' },
  }),
  FALLBACK_CALLS_OTHERWISE: content({
    meaning: 'Source and fallback call tools, or get schemas, in two ways.',
    message: ({ first, second }) =>
      `${first.source} calls tools by ${first.tool_calling}, and ${second.source} by ${second.tool_calling}: they cannot share one conversation.`,
    repair: 'Write the same "tool_calling" in both sources.',
    example: {
      first: { source: 'model', tool_calling: 'native' },
      second: { source: 'small-model', tool_calling: 'json_control' },
    },
  }),
  FINAL_SCHEMA_NOT_WORLD_PATCH: content(
    'The final schema is not the WorldPatch schema, nor structurally equivalent to it.',
    'Write {"path": "chukwa:world-patch.schema.json"}.',
  ),
  TOOL_POLICY_MISSING: content(
    'The workflow offers tools, but the profile has no tool_policy_ref; without a policy no tool is allowed.',
    'Add "tool_policy_ref": {"path": "./policy.json"}, and list the tools in "allow" of that policy.',
  ),
  TOOL_NOT_ALLOWED: note<NotAllowed>({
    meaning:
      'The policy does not allow a tool of the workflow, so it is not offered; no note where the policy misspells it.',
    message: (facts) => `${sayMeant(facts)}The tool policy does not allow ${facts.name}, so it is offered to no model.`,
    repair: (facts) =>
      sayDenying(facts) ?? `Add ${JSON.stringify(facts.name)} to "allow" of the policy, or keep it so.`,
    example: { name: 'tide' },
  }),
  ALLOWED_NAMES_NOTHING: note({
    meaning: 'The policy allows or names what no workflow has.',
    message: ({ name }) =>
      `${JSON.stringify(name)} is no tool and no call of a workflow that this policy is for, so it allows nothing.`,
    repair: 'Correct the name, remove it, or keep it for another scenario.',
    example: { name: 'tdie' },
  }),
  APPROVAL_NAMES_NOTHING: note({
    meaning: 'The policy allows or names what no workflow has.',
    message: ({ name }) =>
      `${JSON.stringify(name)} is neither an effect class nor a call of the workflow, so it requires no approval.`,
    repair: 'Correct the name, or remove it.',
    example: { name: 'tdie' },
  }),
  RULE_NEVER_DECIDES: note({
    meaning: 'The rule matches no call of the workflows.',
    ...byKind(
      {
        idle: [
          'No call of a workflow that this policy is for fits the rule, so it decides nothing.',
          'Correct it, remove it, or keep it for another scenario.',
        ],
        overruled: [
          ({ by }: Texts<'by'>) => `${by} decides about every call that fits this rule, so it decides nothing.`,
          ({ by }: Texts<'by'>) => `Remove one of them, or say in ${by} which calls are meant.`,
        ],
      },
      { kind: 'overruled', by: '/rules/0' },
    ),
  }),
  LEAK_WITHOUT_PERSON: note<Texts<'tool' | 'secret' | 'untrusted'>>({
    meaning:
      'A model sees what a credential opens and what others write, and may send both away without a person or bound arguments.',
    message: ({ tool, secret, untrusted }) =>
      `A text of ${untrusted} can make the model send what ${secret} reads to anybody by ${tool}, and no person is asked.`,
    repair: ({ tool }) => `Allow ${tool} with known arguments only, or by origins; or require an approval of it.`,
    example: { tool: 'send_mail', secret: 'inbox', untrusted: 'inbox' },
  }),
  POLICY_DENIES: content<NotAllowed & { readonly effect: string }>({
    meaning: 'A call with a side effect that is no tool call is not allowed.',
    message: (facts) =>
      `${sayMeant(facts)}${facts.name} is ${facts.effect}, runs without a choice of the model, and no tool policy allows it.`,
    repair: (facts) =>
      sayDenying(facts) ?? `Add ${JSON.stringify(facts.name)} to the "allow" of the profile's tool policy.`,
    example: { name: 'post', effect: 'external_side_effect' },
  }),
  PLUGIN_UNKNOWN: content({
    meaning: 'The interface names a plugin that is missing or not loaded.',
    ...byKind(
      {
        needed: [
          ({ source, name }: Texts<'source' | 'name'>) =>
            `The source ${source} needs the plugin ${JSON.stringify(name)}, which was not found.`,
          'chukwa plugin list shows the plugins that were found, and why others are left out.',
        ],
        left_out: [
          ({ name, code }: Texts<'name' | 'code'>) =>
            `the plugin ${JSON.stringify(name)} is there, and is left out (${code})`,
          'chukwa plugin list says why; mend it there.',
        ],
        lists_tools: [
          'No plugin lists the tools of servers.',
          'chukwa plugin list shows the plugins that were found, and why others are left out.',
        ],
        trusted: [
          ({ name }: Texts<'name'>) => `No plugin of this name or folder was found: ${name}.`,
          'Name a plugin of the working folder; chukwa plugin list shows those that are found.',
        ],
        unknown: [
          ({ name }: Texts<'name'>) => `there is no plugin ${JSON.stringify(name)}`,
          ({ nearest, known }: KnownNames) =>
            nearest === undefined ? `Known: ${known.join(', ') || 'none'}.` : `Did you mean "${nearest}"?`,
        ],
      },
      { kind: 'unknown', name: 'http_jsno', nearest: 'http_json', known: ['http_json', 'tide_table'] },
    ),
  }),
  RETRY_BACKOFF_TOO_LONG: content({
    meaning: '"backoff_ms" is more than "backoff_max_ms".',
    message: (facts) =>
      `"backoff_ms" is ${facts.backoff_ms}, which is more than the "backoff_max_ms" of ${facts.backoff_max_ms}.`,
    repair: 'Lower "backoff_ms", or raise "backoff_max_ms".',
    example: { backoff_ms: 5000, backoff_max_ms: 1000 },
  }),
  FALLBACK_IS_THE_SAME: content({
    meaning: 'The fallback is the source itself.',
    message: ({ source }) =>
      `The fallback is the source ${source} itself, which has failed when its fallback is asked.`,
    repair: 'Refer to another source, or write "retry" in the source in place of "fallback".',
    example: { source: 'model' },
  }),
  FALLBACK_DELIVERS_OTHERWISE: content({
    meaning: 'Source and fallback call tools, or get schemas, in two ways.',
    message: ({ first, second }) =>
      `${first.source} is given the schema of its answer by ${first.schema_delivery}, and ${second.source} by ${second.schema_delivery}: they cannot share one conversation.`,
    repair: 'Let both sources have the schema in the prompt ("prompt" or "json_object"), or both beside it.',
    example: {
      first: { source: 'model', schema_delivery: 'json_schema' },
      second: { source: 'small-model', schema_delivery: 'prompt' },
    },
  }),
  FALLBACK_HAS_NO_TIME: content({
    meaning: 'After a timeout of the source, the node has no time for the fallback.',
    message: (facts) =>
      `A call of ${facts.source} may take ${facts.call_s} s, and all calls of the node ${facts.node_s} s: after a timeout none is left for the fallback.`,
    repair: 'Lower the timeout of the source, raise "timeout_seconds", or remove "timeout".',
    example: { source: 'model', call_s: 120, node_s: 60 },
  }),
  GATE_ANSWER_MISPLACED: content(
    'Only the prompt of a gate has an answer to judge.',
    'Remove {{gate.answer}}, or move it into the "prompt_template" of a "gate".',
  ),
  GATE_ANSWER_UNSEEN: content({
    message: ({ id }) => `The gate of node ${id} is never shown the answer that it judges.`,
    repair: 'Write {{gate.answer}} into one of its messages.',
    example: { id: 'act' },
  }),
  GATE_HAS_NO_TURN: content({
    message: ({ id }) => `Node ${id} may make one generation, and none is left for its gate.`,
    repair: 'Raise "turn_limit" to 2 or more, or remove "gate".',
    example: { id: 'act' },
  }),
  REPEATABLE_NEEDS_EFFECT: content({
    message: ({ name, field }) =>
      `${name} is read_only, and "${field}" is for side effects: a read-only call can always be repeated.`,
    repair: ({ field }) => `Remove "${field}", or correct "effect".`,
    example: { name: 'post', field: 'repeatable' },
  }),
  EFFECT_READS_ONLY: content({
    meaning: 'A `read_only` binding names a source with side effects.',
    message: ({ name, value }) =>
      `${name} is read_only, and its source asks by ${value}, which changes something outside.`,
    repair: 'Write "state_change", or "external_side_effect" if it cannot be undone.',
    example: { name: 'post', value: 'POST' },
  }),
  VARIABLE_NAME_FOREIGN: content({
    meaning: 'A variable that a document names begins with CHUKWA_.',
    message: ({ name, prefix }) =>
      `${JSON.stringify(name)} may not be named by a document: a variable that a document names begins with ${prefix}`,
    repair: ({ name, prefix }) =>
      `Write a name such as ${JSON.stringify(`${prefix}${name}`)}, and set that variable where the program runs.`,
    example: { name: 'HARBOUR_URL', prefix: 'CHUKWA_' },
  }),
  VARIABLE_NAME_RESERVED: content({
    meaning: 'The engine or a plugin reads this variable for itself.',
    message: ({ name }) => `${name} may not be named by a document here: the program reads that variable for itself`,
    repair: 'Write a name of its own, such as CHUKWA_HARBOUR_URL, and set that variable where the program runs.',
    example: { name: 'CHUKWA_TOKEN' },
  }),
  SOURCE_SPEAKS_OTHERWISE: content({
    message: ({ source, speaks, needed }) =>
      `The source ${source} speaks ${speaks}, and this place needs one that speaks ${needed}.`,
    repair: 'Refer to another source.',
    example: { source: 'weather', speaks: 'json', needed: 'chat' },
  }),
  NODE_BUDGET_ABOVE_SESSION: note({
    meaning: "A node may use more than its profile's session budget.",
    message: ({ node, member, of_node, of_session }) =>
      `Node ${node} has a ${member} of ${of_node}, and the session budget of its profile is ${of_session}.`,
    repair: ({ member }) => `Raise "${member}" here, or lower it in the node.`,
    example: { node: 'act', member: 'token_budget', of_node: 20000, of_session: 5000 },
  }),
  CONNECTION_UNUSABLE: content({
    meaning: 'The profile does not grant the connection, or the source cannot use it.',
    ...byKind(
      {
        not_granted: [
          ({ connection }: Texts<'connection'>) =>
            `The profile does not grant the connection ${JSON.stringify(connection)}.`,
          ({ nearest }: KnownNames) => `${meant(nearest)}Add it to the "connections" of the profile.`,
        ],
        no_origin: [
          ({ connection }: Texts<'connection'>) =>
            `The connection ${JSON.stringify(connection)} is for a service behind a URL, and the plugin of this source asks none.`,
          'Remove "connection".',
        ],
      },
      { kind: 'no_origin', connection: 'mail' },
    ),
  }),
  NOT_SUPPORTED_YET: content({
    meaning: 'This version does not support what the document uses, so it does not run.',
    message: ({ member }) => `This version does not support this "${member}", and never chooses another by itself.`,
    repair: ({ value }) => `Write ${JSON.stringify(value)}.`,
    example: { member: 'schema_delivery', value: 'prompt' },
  }),
};
