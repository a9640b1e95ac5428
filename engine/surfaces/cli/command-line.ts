import picocolors from 'picocolors';
import { Command, CommanderError } from 'commander';
import { problem } from '../../contract/problem.js';
import { PROBLEMS } from '../../contract/problems/index.js';
import { nearestName, suggestName } from '../../core/content/nearest-name.js';
import type { Composition } from '../../operations/composition.js';
import { waitForDatabase } from '../../operations/wait-for-database.js';
import { wholeOption } from './arguments.js';
import { addCommands } from './commands/index.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { toPatience } from './interruption.js';
import { problemLines } from './render/problems.js';
import { printLines, printProblem, printStack, type Session, type Task } from './session.js';
import { toSafeLines } from './render/neutralise.js';
import type { Terminal } from './terminal.js';

const WAIT_SAYS = 'how long to wait for a database that is out of reach, or in use by another process';
const GLOBAL_OPTIONS = 'Options of every command:';

interface GlobalOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly wait: number;
}

/**
 * Parses a command line, runs its command and prints the outcome.
 * @param words without the names of the interpreter and the program
 * @returns the exit code
 */
export async function runCommandLine(
  composition: Composition,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let code: ExitCode = EXIT.done;
  const program = toProgram(composition.version, terminal);
  const session = (): Session => ({
    composition: waitForDatabase(composition, toPatience(terminal, program.opts<GlobalOptions>().wait)),
    terminal,
    as_json: program.opts<GlobalOptions>().json ?? words.includes('--json'),
  });
  addCommands(program, async (task: Task, is_brief) => {
    if (is_brief) terminal.beBrief?.();
    code = await task(session());
  });
  const asked = withHelpLast(program, words);
  try {
    await program.parseAsync([...asked], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return endParsing(session(), findCommand(program, asked).command, error);
    return reportUnexpected(session(), error, words.includes('--verbose'));
  }
}

function toProgram(version: string, terminal: Terminal): Command {
  const program = new Command('chukwa')
    .description('Runs LLM-driven agents in a small written world, with every step on record.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command...]', 'print help of a command')
    .optionsGroup(GLOBAL_OPTIONS)
    .option('--json', 'print one JSON document instead of text')
    .option('--verbose', 'show stacks of unexpected errors, and all that plugins log')
    .addOption(wholeOption('--wait <seconds>', WAIT_SAYS, [0, 86_400]).default(30))
    .exitOverride()
    .configureOutput(toConfiguration(terminal))
    .addHelpText(
      'after',
      `\nBegin with:  ${terminal.out.program} park\nMore of one:  ${terminal.out.program} <command> --help`,
    );
  return program.configureHelp({
    showGlobalOptions: true,
    visibleCommands: (command) => listLeaves(command),
    subcommandTerm: (command) => `${toPath(command)} ${toUsage(command)}`.trim(),
    styleTitle: (title) =>
      picocolors.createColors(terminal.out.is_live).bold(title === 'Global Options:' ? GLOBAL_OPTIONS : title),
  });
}

function toConfiguration({ out, error }: Terminal) {
  return {
    writeOut: (text: string) => out.write(text),
    writeErr: (text: string) => error.write(text),
    // The caller prints the parser's errors in the form of all other problems.
    outputError: () => {},
    getOutHelpWidth: () => Math.min(out.columns ?? 100, 110),
    getErrHelpWidth: () => Math.min(error.columns ?? 100, 110),
    getOutHasColors: () => out.is_live,
    getErrHasColors: () => error.is_live,
  };
}

/** Groups are replaced by their commands, so that one page lists all; `attempt` is a command as well. */
function listLeaves(command: Command): Command[] {
  return command.commands.flatMap((child) => {
    const takes = child.registeredArguments.length + child.options.length;
    const doesSomething = child.commands.length === 0 || takes > 0;
    return [...(doesSomething ? [child] : []), ...listLeaves(child)];
  });
}

function toPath(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${toPath(parent)} ${command.name()}`;
}

function toUsage(command: Command): string {
  return command.registeredArguments
    .map((argument) => {
      const name = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
      return argument.required ? name : `[${name}]`;
    })
    .join(' ');
}

/** The command that words lead to, and the first word that leads no further. */
function findCommand(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest?: string } {
  let command = program;
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) return { command, rest: word };
    command = child;
  }
  return { command };
}

/**
 * `help world show` as `world show --help`, since the parser's own help takes one word. A word that leads to no command is
 * left to the parser, which refuses it.
 */
function withHelpLast(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...named] = words;
  if (first !== 'help' || named.length === 0) return words;
  const { command, rest } = findCommand(program, named);
  const isUnknown = rest !== undefined && command.commands.length > 0 && command.registeredArguments.length === 0;
  return isUnknown ? named : [...named, '--help'];
}

function toRoot(command: Command): Command {
  return command.parent === null ? command : toRoot(command.parent);
}

function toProgramPath(command: Command): string {
  return command.parent === null ? command.name() : `${toRoot(command).name()} ${toPath(command)}`;
}

/** Turns the parser's outcome into an exit code: help and version were requested, everything else is a mistake. */
function endParsing(session: Session, command: Command, { exitCode, code, message }: CommanderError): ExitCode {
  if (exitCode === 0) return EXIT.done;
  if (code === 'commander.help') return EXIT.usage;
  const [said = '', ...hints] = toSafeLines(message.replace(/^error: /, ''));
  const hint =
    code === 'commander.unknownCommand'
      ? suggestCommand(command, /^unknown command '(.*)'$/.exec(said)?.[1] ?? '')
      : hints.map((text) => text.replace(/^\((.*)\)$/, '$1')).join(' ');
  const repair = `${hint === '' ? '' : `${hint} `}See ${toProgramPath(command)} --help.`;
  return printProblem(session, problem('USAGE', { message: said, repair }));
}

/** The parser suggests only the names that help lists: `wrld` means `world`, and `create` is no group. */
function suggestCommand(group: Command, written: string): string {
  if (group.parent !== null) return suggestWithin(group, written);
  const leaves = listLeaves(group);
  const names = [...group.commands, ...leaves].map((command) => command.name());
  const nearest = nearestName(written, names);
  if (nearest === undefined) return '';
  const isWhole = group.commands.some((command) => command.name() === nearest);
  const paths = leaves.filter((leaf) => leaf.name() === nearest).map(toPath);
  return `Did you mean ${isWhole ? nearest : paths.join(' or ')}?`;
}

/** Other groups are not meant, except one of the same two words: `world new` may be `new world`, or `world create`. */
function suggestWithin(group: Command, written: string): string {
  const path = toPath(group);
  const turned = listLeaves(toRoot(group)).filter((leaf) => toPath(leaf) === `${written} ${path}`);
  return suggestName(`${path} ${written}`, [...turned, ...listLeaves(group)].map(toPath));
}

const OUT_OF_DESCRIPTORS = /^(EMFILE|ENFILE)\b/;

function reportUnexpected(session: Session, error: unknown, isVerbose: boolean): ExitCode {
  const { withoutSecrets } = session.composition;
  const message = withoutSecrets(error instanceof Error && error.message !== '' ? error.message : String(error));
  if (OUT_OF_DESCRIPTORS.test(message)) {
    return printProblem(session, problem('DESCRIPTORS_EXHAUSTED', { reason: message }));
  }
  const code = printProblem(session, problem('UNEXPECTED', { kind: 'thrown', message }));
  if (isVerbose) printStack(session.terminal, error, withoutSecrets);
  return code;
}

/** Reports an uncaught exception, such as one in a timer of a plugin: the process has to end. @returns the exit code */
export function reportUncaught(
  terminal: Pick<Terminal, 'error'>,
  thrown: unknown,
  words: readonly string[],
  withoutSecrets: Composition['withoutSecrets'],
): ExitCode {
  printLines(terminal.error, problemLines([problem('UNEXPECTED', { kind: 'uncaught' })]));
  if (words.includes('--verbose')) printStack(terminal, thrown, withoutSecrets);
  return PROBLEMS.UNEXPECTED.exit;
}
