/** Pages of docs/reference about the program itself: its commands, its environment and its exit codes. */
import { type Argument, Command } from 'commander';
import { addCommands } from '../engine/surfaces/cli/commands/index.js';
import { EXIT } from '../engine/surfaces/cli/exit-code.js';

/** A page with its expected content. */
export interface ReferencePage {
  /** Within docs/reference. */
  readonly name: string;
  readonly text: string;
}

interface ProgramPage extends ReferencePage {
  readonly title: string;
  readonly says: string;
}

/** The pages, as the program now asks for them. */
export function programPages(): readonly ProgramPage[] {
  return [
    toPage('commands', 'Every command with its options.', [...COMMANDS_SAY, '', ...commandLines()]),
    toPage(
      'variables',
      'Every environment variable that the engine, its plugins and its scenarios read.',
      variableLines(),
    ),
    toPage('exit-codes', 'What the exit code of a command means.', exitCodeLines()),
  ];
}

function toPage(title: string, says: string, lines: readonly string[]): ProgramPage {
  return {
    name: `${title}.md`,
    title,
    says,
    text: [`# ${title}`, '', `For users: ${lowerFirst(says)}`, '', ...lines, ''].join('\n'),
  };
}

/** For a text after a colon. */
export function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/** Options that several commands have together, by the word that stands for them in the tables. */
const SHARED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  calls: ['--state', '--world', '--subject', '--source', '--failure'],
  lists: ['--limit', '--after'],
  models: ['--llm', '--model', '--script', '--toys'],
};

const COMMANDS_SAY = [
  'In a checkout, write `npx chukwa COMMAND`; in another folder, [install the package first](../library.md#install).',
  '`npx chukwa COMMAND --help` explains arguments, options, their values and defaults. Every command has `--json` (one JSON document on',
  'standard output), `--verbose` (stacks of unexpected errors, and all that plugins log) and `--wait SECONDS` (for a database',
  'that is out of reach or in use; 30 by default). Three words stand for several options:',
  '',
  ...Object.entries(SHARED_OPTIONS).map(([word, flags]) => `- *${word}*: ${codeOf(flags.join(' '))}`),
];

function commandLines(): readonly string[] {
  const program = new Command();
  addCommands(program, async () => {});
  const leaves = listLeaves(program, '');
  const groups = [...new Set(leaves.map(({ group }) => group))];
  return groups.flatMap((group) => [
    `## ${group.replace(/:$/, '')}`,
    '',
    '| command | does | options |',
    '|---|---|---|',
    ...leaves.filter((leaf) => leaf.group === group).map(rowOf),
    '',
  ]);
}

interface Leaf {
  readonly path: string;
  readonly group: string;
  readonly command: Command;
}

/** A group without arguments is replaced by its commands; `attempt` is a command as well as a group. */
function listLeaves(command: Command, above: string): readonly Leaf[] {
  return command.commands.flatMap((child) => {
    const path = `${above} ${child.name()}`.trim();
    const doesSomething = child.commands.length === 0 || child.registeredArguments.length + child.options.length > 0;
    const leaf = { path, group: child.helpGroup() ?? '', command: child };
    return [...(doesSomething ? [leaf] : []), ...listLeaves(child, path)];
  });
}

function rowOf({ path, command }: Leaf): string {
  const usage = [path, ...command.registeredArguments.map(termOf)].join(' ');
  const flags = command.options.map(({ long }) => long ?? '');
  const shared = Object.entries(SHARED_OPTIONS).filter(([, of]) => of.every((flag) => flags.includes(flag)));
  const own = flags.filter((flag) => !shared.some(([, of]) => of.includes(flag)));
  const spelled = own.length === 0 ? [] : [codeOf(own.join(' '))];
  const options = [...shared.map(([word]) => `*${word}*`), ...spelled].join(', ');
  return `| ${codeOf(usage)} | ${gistOf(command.description())} | ${options} |`.replaceAll('  |', ' |');
}

/** Of what help says, the beginning. */
function gistOf(description: string): string {
  return (description.split(/[:;.](?: |$)/)[0] ?? '').replace(/, (?:and|as|from|or|until|with|without) [^,]*$/, '');
}

function codeOf(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function termOf(argument: Argument): string {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
  return argument.required ? name : `[${name}]`;
}

/** What each exit code means; the compiler asks for each. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  refused: 'refused for its content: a document does not validate, an id is unknown',
  usage: 'wrong usage',
  attempt_failed: 'an attempt failed',
  environment: 'the environment is at fault: the database or a service cannot be reached; or the program has a bug',
  suspended: 'suspended: the turn waits for answers, which the output names',
  interrupted: 'interrupted',
};

function exitCodeLines(): readonly string[] {
  const rows = Object.entries(EXIT).map(([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`);
  return [
    '| exit code | means |',
    '| --- | --- |',
    ...rows,
    '',
    'The [problems](../problems.md) say which code each ends with.',
  ];
}

/** What each variable means, and what holds without it. A test compares the names with those that the program reads. */
const VARIABLES: readonly (readonly [names: string, meaning: string, without: string])[] = [
  ['`CHUKWA_DATABASE_URL`', 'a PostgreSQL database, or `memory:` for a temporary one', 'the embedded database'],
  ['`CHUKWA_DATA_DIR`', 'the folder of the embedded database', '`.chukwa`'],
  ['`CHUKWA_LLM_BASE_URL`', "the model's endpoint", '`OPENAI_BASE_URL`, else `https://api.openai.com/v1`'],
  ['`CHUKWA_LLM_API_KEY`', 'its key', '`OPENAI_API_KEY`, else none'],
  [
    '`CHUKWA_LLM_MODEL`',
    'the model of `workflows/sources/chat.json`, or another `CHUKWA_...MODEL` that a source names',
    'the model that the source names',
  ],
  [
    '`CHUKWA_DOORBELL`',
    'the [notification of workers](../operating.md#doorbells): `auto`, `process`, `postgres` or `nats`',
    '`auto`',
  ],
  ['`CHUKWA_NATS_URL`', 'the NATS server, for `nats`', 'none'],
  [
    '`CHUKWA_MAX_IN_FLIGHT`, `CHUKWA_ENDPOINT_MAX_IN_FLIGHT`',
    'how many calls the process makes at a time, in all and to each endpoint',
    'no limit',
  ],
  [
    '`CHUKWA_BUDGET_TOKENS`, `CHUKWA_BUDGET_USD`',
    'the [budget](../operating.md#budgets) of all worlds for each day',
    'no limit',
  ],
  [
    '`CHUKWA_PLUGIN_PATH`',
    'more folders of plugins, `:` between them',
    'those that ship, packages `chukwa-plugin-*`, and confirmed ones of the working folder',
  ],
  [
    '`CHUKWA_LOG`',
    '`debug` shows all logs of plugins and of their programs, as `--verbose` does',
    'warnings and errors',
  ],
  ['`CHUKWA_LOG_FORMAT`', '`json` writes [logs as JSON](../telemetry.md#logs)', 'lines for people'],
  [
    '`OTEL_EXPORTER_OTLP_ENDPOINT` and others of OpenTelemetry',
    'the receiver of [traces and metrics](../telemetry.md)',
    'no telemetry',
  ],
  [
    '`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`',
    "the [proxies](../deploying.md#proxies) of sources' requests",
    'no proxy',
  ],
  ['`CHUKWA_PRICES`', 'a file of your own [prices](prices.md) of models', 'the prices that ship'],
  ['`CHUKWA_HOST`, `CHUKWA_PORT`', 'where `serve` listens', '`127.0.0.1`, `4747`'],
  ['`CHUKWA_PUBLIC_URL`', 'the URL of `serve` for services that answer later, wherever turns run', 'people report'],
  [
    '`CHUKWA_CONSUMERS_READ_ONLY`',
    '`true`: consumers at [`/mcp`](../mcp.md) only read',
    'they store documents, make worlds and queue turns, too',
  ],
  ['`CHUKWA_OAUTH_ISSUER`', 'who also issues tokens for [assistants](../mcp.md)', 'the operator hands them out'],
  [
    '`CHUKWA_TOKEN`, `CHUKWA_OPERATOR_TOKEN`',
    'bearer tokens of consumer and operator; in a fleet, the same for all',
    'made at first use, in `~/.config/chukwa/tokens`',
  ],
  [
    '`CHUKWA_SIGNING_KEY`',
    'the file of the key that signs [checkpoints](../terms.md#evidence), mode 0600',
    '`signing-key.pem` in the data folder; none with a PostgreSQL server',
  ],
  [
    '`CHUKWA_ANCHOR`',
    'a file that gets each checkpoint; or, behind a vertical bar, a command',
    'checkpoints stay in the database',
  ],
  [
    '`CHUKWA_AUTHORISE`',
    'who is asked [before each call](../security.md#what-holds): a URL, or behind a vertical bar a command',
    'the tool policy alone decides',
  ],
  [
    '`CHUKWA_CONNECTION_POST_OFFICE`',
    'the [connection](connection.md) `post_office`, as JSON; others likewise',
    'the file of `chukwa connections add`',
  ],
  ['`CHUKWA_CONNECTIONS_KEY`', 'the key of that file, such as of `openssl rand -hex 32`', 'the file is not opened'],
  [
    '`CHUKWA_MCP_MEMORY`',
    'the MCP server of `workflows/mcp-memory`, a URL or a command; others likewise',
    'calls of it fail',
  ],
  ['`CHUKWA_HARBOUR_URL`', 'the services of `new world --shape place`; others likewise', 'calls of them fail'],
  [
    '`CHUKWA_TOY_WEATHER_URL`, `CHUKWA_TOY_WEATHER_KEY`, `CHUKWA_TOY_PA_URL`, `CHUKWA_TOY_PHONE_URL`, `CHUKWA_TOY_VENDING_URL`, `CHUKWA_TOY_FOUNTAIN_URL`, `CHUKWA_TOY_POST_URL`, `CHUKWA_TOY_OFFICE_URL`, `CHUKWA_TOY_GAMES_URL`, `CHUKWA_TOY_ALMANAC_DIR`, `CHUKWA_TOY_PERSONAS_DIR`',
    'the toy services: their URLs, a key, and folders',
    'set by `park`, printed by `toys`',
  ],
  [
    '`XDG_CONFIG_HOME`, else `HOME`, else `APPDATA`',
    'the folder of `chukwa/` with tokens and confirmed plugins',
    'none is kept',
  ],
];

function variableLines(): readonly string[] {
  return [
    'An empty variable counts as not set. `npx chukwa doctor` shows what is set.',
    '',
    '| variable | meaning | without it |',
    '| --- | --- | --- |',
    ...VARIABLES.map((row) => `| ${row.join(' | ')} |`),
  ];
}
