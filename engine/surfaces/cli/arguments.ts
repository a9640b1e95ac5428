import { Argument, InvalidArgumentError, Option } from 'commander';
import { CHANGEABLE_SCENARIO_FIELDS } from '../../contract/changeable-fields.js';
import { present } from '../../contract/present.js';
import type { Place } from '../../operations/documents/index.js';
import type { WorldPlace } from '../../operations/worlds/worlds.js';
import type { Session } from './session.js';

// Arguments and options that several commands take, and how their texts are read.

const TURNS_MAX = 10_000;

/** An option whose value is a whole number within bounds. */
export function wholeOption(flags: string, says: string, bounds: readonly [from: number, to?: number]): Option {
  return new Option(flags, says).argParser((text) => toWhole(text, bounds));
}

export function turnsOption(
  turns?: number,
  says = 'how many turns, one after the other; the first failure ends the run',
): Option {
  return wholeOption('--turns <n>', says, [1, TURNS_MAX]).default(turns);
}

/** `--result` of a call that is answered by hand. */
export function resultOption(says: string): Option {
  return new Option(
    '--result <json>',
    `${says}: JSON that begins with {, [ or ", or the name of a file that holds it (write ./[1].json for a name that begins so)`,
  );
}

/** Options as a person types them; one that is not set is left out. */
export function toWords(options: Readonly<Record<string, string | readonly string[] | undefined>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, typeof value === 'string' ? value : value.join(',')],
  );
}

/** `--tools LIST` and the like: names between commas; an empty text is an empty list. */
export function listOption(flags: string, says: string): Option {
  return new Option(`${flags} <list>`, says).argParser((text) =>
    text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
  );
}

/** An option whose value is a path. */
export function pathOption(flags: string, says: string): Option {
  return new Option(flags, says).argParser(toPath);
}

/** Of calls that no binding makes: the connection that a binding would name. */
export const CONNECTION = new Option('--connection <id>', 'the connection whose secret the requests get');

/** `--scenario` of a world that has turns. */
export function editedScenarioOption(says: string): Option {
  const may = `of the scenario only ${CHANGEABLE_SCENARIO_FIELDS} may have changed`;
  return pathOption('--scenario <path|hash>', `${says}; ${may}`);
}

/** The options of a run that is served afterwards. */
export const SERVE = [
  new Option('--serve', 'afterwards, serve it to a browser until Ctrl-C, and print a link that signs in once'),
  wholeOption(
    '--port <n>',
    'serve on this port, 0 for a free one; by default CHUKWA_PORT, or 4747',
    [0, 65_535],
  ).implies({ serve: true }),
];

export interface ServeAfterOptions {
  readonly serve?: boolean;
  readonly port?: number;
}

/** `SLUG`, or `SLUG@N`. @throws InvalidArgumentError where no turn follows the sign */
export function toWorldPlace(text: string): WorldPlace {
  const [world_slug = '', turn, ...others] = text.split('@');
  if (others.length > 0) throw new InvalidArgumentError('Write SLUG@N: a world and one of its turns.');
  return turn === undefined ? { world_slug } : { world_slug, turn: toWhole(turn, [0]) };
}

export const ROOT = pathOption(
  '--root <dir>',
  'documents may refer to files of this folder only; by default, of the folder that is given',
);

export const EXCLUDE = new Option('--exclude <path>', 'a file or folder to leave out; may be repeated').argParser(
  (text: string, before: readonly string[] | undefined) => [...(before ?? []), toPath(text)],
);

export interface RootOptions {
  readonly root?: string;
  readonly exclude?: readonly string[];
}

/** The working folder of a command on documents, and the root beyond which it reads nothing. */
export function toPlace({ terminal }: Pick<Session, 'terminal'>, { root, exclude }: RootOptions = {}): Place {
  return present({ working_folder: terminal.working_folder, root, exclude });
}

export const SLUG = new Argument('<slug>', 'the name of the world');

/** Files and folders as arguments, one at least. */
export function pathsArgument(description: string): Argument {
  return new Argument('<path...>', description).argParser((text: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    toPath(text),
  ]);
}

/** A path that may not exist yet. @throws InvalidArgumentError where it is empty: that is the working folder */
export function toPath(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('This path is empty. Write a dot for the folder in which you are.');
}

/** A whole number within bounds. @throws InvalidArgumentError, which says what to write */
function toWhole(text: string, [from, to]: readonly [from: number, to?: number]): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= (to ?? Number.MAX_SAFE_INTEGER)) return number;
  throw new InvalidArgumentError(
    to === undefined ? `Write a whole number, ${from} or more.` : `Write a whole number from ${from} to ${to}.`,
  );
}
