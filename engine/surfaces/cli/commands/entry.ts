import { Argument, type Command, type Option } from 'commander';
import type { ExitCode } from '../exit-code.js';
import type { Perform, Session } from '../session.js';

/** One command as data: its help and its parser follow from it. */
export interface CommandEntry {
  /** The words that call it, such as `world show`. */
  readonly name: string;
  readonly says: string;
  /** Its arguments and options, in the order in which help lists them. */
  readonly takes?: readonly (Argument | Option)[];
  /** It is meant where its group is called with none of its commands. */
  readonly is_default?: boolean;
  /** It runs turns or answers requests for as long as it is left alone; any other command ends within seconds. */
  readonly lives_long?: boolean;
  /** Is given the values of its arguments, and its options last; a group of commands has none. */
  run?(session: Session, ...given: never[]): Promise<ExitCode>;
}

/** Adds a command below the group that the words before its last one name. */
export function addCommand(
  program: Command,
  { name, says, takes = [], is_default = false, lives_long = false, run }: CommandEntry,
  perform: Perform,
): Command {
  const words = name.split(' ');
  const group = words
    .slice(0, -1)
    .reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above, program);
  const command = group.command(words.at(-1) ?? '', { isDefault: is_default }).description(says);
  for (const taken of takes) {
    if (taken instanceof Argument) command.addArgument(taken);
    else command.addOption(taken);
  }
  // The parser gives the command itself last.
  if (run)
    command.action((...given) => perform((session) => run(session, ...(given.slice(0, -1) as never[])), !lives_long));
  return command;
}
