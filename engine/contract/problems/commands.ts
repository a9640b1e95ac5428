import { content, environment, type Texts, unknown, usage } from './entry.js';
import { type KnownNames, meant } from './phrases.js';

export const COMMAND_PROBLEMS = {
  USAGE: usage({
    meaning: 'The command line is wrong.',
    message: ({ message }) => message,
    repair: ({ repair }) => repair,
    example: { message: 'There is no command "wrld".', repair: 'Did you mean world? See chukwa --help.' },
  }),
  NO_SCENARIO: content({
    message: ({ path }) => `There is no scenario in ${path}.`,
    repair: 'Name the file of one scenario, such as workflows/park/scenario.json.',
    example: { path: 'workflows' },
  }),
  NO_PROBE: content({
    message: ({ path, count }) =>
      `There ${count === 1 ? 'is 1 probe' : `are ${count} probes`} in ${path}, and one is wanted.`,
    repair: 'Name the file of one probe, such as workflows/probes/recall.json.',
    example: { path: 'workflows/park', count: 0 },
  }),
  SEVERAL_SCENARIOS: content({
    message: ({ path, count }) => `There are ${count} scenarios in ${path}.`,
    repair: 'Name the file of one scenario, such as workflows/park/scenario.json.',
    example: { path: 'workflows', count: 7 },
  }),
  RUN_TOOL_NOT_OFFERED: content<Texts<'name'> & KnownNames>({
    meaning: '`--tools` names what the scenario does not offer, or its policy not allow.',
    message: ({ name }) =>
      `The scenario offers no tool ${JSON.stringify(name)} that its policy allows, and a run can only narrow what is offered.`,
    repair: ({ nearest, known }) =>
      known.length === 0
        ? 'Leave --tools out: there are no tools to narrow.'
        : `${meant(nearest)}It offers ${known.join(', ')}.`,
    example: { name: 'tides', nearest: 'tide', known: ['tide', 'weather'] },
  }),
  RUN_CONNECTION_NOT_GRANTED: content<Texts<'id'> & KnownNames>({
    meaning: '`--connections` names what no call may use.',
    message: ({ id }) =>
      `No call of the scenario may use the connection ${JSON.stringify(id)}, and a run can only narrow what is granted.`,
    repair: ({ nearest, known }) =>
      known.length === 0
        ? 'Leave --connections out: the scenario uses no connection.'
        : `${meant(nearest)}It uses ${known.join(', ')}.`,
    example: { id: 'mial', nearest: 'mail', known: ['mail', 'bank'] },
  }),
  SEARCH_FILTER_UNKNOWN: unknown<{
    readonly what: string;
    readonly name: string;
    /** What there is, as a sentence; left out where no text has any. */
    readonly known?: string;
  }>({
    meaning: 'The search filters by what no text has.',
    message: ({ what, name }) => `No text has the ${what} ${JSON.stringify(name)}.`,
    repair: ({ what, known }) => known ?? `No text has a ${what} yet.`,
    example: { what: 'subject', name: 'bbo', known: 'Did you mean bob?' },
  }),
  MODEL_NOT_CHOOSABLE: content<{
    readonly model: string;
    /** The sources that are models. */
    readonly sources: readonly string[];
    /** The field in which such a source names a variable. */
    readonly field: string | undefined;
  }>({
    meaning: 'No source takes its model from a variable, so `--model` has no use.',
    message: ({ model, sources }) =>
      `--model ${model} would change nothing: no source of this world takes its model from a variable (${sources.join(', ') || 'there is none'}).`,
    repair: ({ field }) =>
      field === undefined
        ? 'Name a source in the workflow whose plugin lets a variable name the model, and make a world of it.'
        : `Write "${field}": "CHUKWA_LLM_MODEL" in the source, beside the name of its model or in its place, and make a world of it.`,
    example: { model: 'small', sources: ['model'], field: 'model_env' },
  }),
  SOURCE_IS_NO_MODEL: content<
    | { readonly name: string }
    | { readonly source: string; readonly plugin: string; readonly is_there: boolean; readonly chat: readonly string[] }
  >({
    meaning: '`model try` wants one source of a plugin that speaks `chat`.',
    message: (found) =>
      'name' in found
        ? `${found.name} is not one response source.`
        : `The source ${found.source} is no model: its plugin ${found.plugin} ${found.is_there ? 'answers with JSON' : 'is not there'}.`,
    repair: (found) =>
      'name' in found
        ? 'Name the file of a source, such as the model.json of chukwa new world, or the hash of a stored one.'
        : `Name a source whose interface is ${found.chat.join(' or ')}, such as the model.json of chukwa new world.`,
    example: { name: 'workflows/park' },
  }),
  SCRIPT_UNKNOWN: unknown<{
    readonly name: string;
    readonly nearest: string | undefined;
    readonly shipped: readonly string[];
  }>({
    meaning: 'This is neither a file nor a script that ships.',
    message: ({ name }) =>
      `There is no script ${JSON.stringify(name)}: it is neither a file nor one of the shipped scripts.`,
    repair: ({ nearest, shipped }) => `${meant(nearest)}Shipped scripts: ${shipped.join(', ')}.`,
    example: { name: 'prak', nearest: 'park', shipped: ['park', 'tutorial'] },
  }),
  SOURCE_IS_NO_SERVER: content({
    message: ({ label, plugin }) => `The source ${label} names no MCP server: its interface is ${plugin}.`,
    repair: 'Name a source of an MCP tool, such as workflows/sources/mcp-read-graph.json.',
    example: { label: 'model', plugin: 'llm_chat' },
  }),
  MCP_SERVER_NAME_INVALID: content({
    message: ({ name }) => `${JSON.stringify(name)} cannot be the name of a server.`,
    repair: 'Use letters, digits and underscores, such as --as memory.',
    example: { name: 'my memory' },
  }),
  MCP_SERVER_FAILED: environment<{
    /** What happened, as a sentence. */
    readonly failure: string;
    /** The variable that names the server; undefined where its URL or command was given. */
    readonly variable: string | undefined;
  }>({
    message: ({ failure }) => `The server did not list its tools: ${failure}`,
    repair: ({ variable }) =>
      variable === undefined
        ? 'Give the URL of the server, or the command that starts it, in quotes.'
        : `Set ${variable} to the URL of the server, or to the command that starts it.`,
    example: { failure: 'CHUKWA_MCP_MEMORY is not set.', variable: 'CHUKWA_MCP_MEMORY' },
  }),
  MCP_TOOL_UNKNOWN: content<{ readonly name: string | undefined }>({
    message: ({ name }) =>
      name === undefined
        ? 'The server lists no tool that can be written as documents.'
        : `The server lists no tool ${JSON.stringify(name)}.`,
    repair: ({ name }) =>
      `Run the command without --write: it ${name === undefined ? 'says why of each' : 'lists those that there are'}.`,
    example: { name: 'serach_nodes' },
  }),
  MCP_TOOL_UNUSABLE: content<{ readonly name: string; readonly reason: string | undefined }>({
    meaning: "The tool's name or schema is not supported, or its name is taken.",
    message: ({ name, reason }) => `The tool ${JSON.stringify(name)} cannot be written as documents: ${reason}.`,
    repair: 'Choose others, or write its schema and source by hand.',
    example: { name: 'search', reason: 'several tools have its name' },
  }),
  SCRIPT_UNREADABLE: scriptCannotBeRead('The script cannot be read.', 'EISDIR: illegal operation on a directory'),
  SCRIPT_NOT_JSON: scriptCannotBeRead('The script is not JSON.', 'Unexpected end of JSON input'),
};

function scriptCannotBeRead(meaning: string, reason: string) {
  return content({
    meaning,
    message: ({ path, reason }) => `The script ${path} cannot be read: ${reason}`,
    repair: 'Name a JSON file of the form that schemas/answers.schema.json describes.',
    example: { path: 'answers.json', reason },
  });
}
