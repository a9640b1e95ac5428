import { Argument, InvalidArgumentError, Option } from 'commander';
import { CHANGEABLE_SCENARIO_FIELDS } from '../../contract/changeable-fields.js';
import { TURN_RETRIES } from '../../core/inbox/backoff.js';
import type { WorldPlace } from '../../operations/worlds.js';

const TURNS_MAX = 10_000;
const DAY_SECONDS = 86_400;
const RETRIES_MAX = 1_000;

/** An option whose value is a whole number within bounds. */
export function wholeOption(flags: string, says: string, [from, to]: readonly [from: number, to: number]): Option {
  return new Option(flags, says).argParser((text) => toWhole(text, from, to));
}

export function turnsOption(
  turns?: number,
  says = 'how many turns, one after the other; the first that fails ends the run',
): Option {
  return wholeOption('--turns <n>', says, [1, TURNS_MAX]).default(turns);
}

const WAIT_SECONDS = 30;

export function waitOption(): Option {
  const says = 'how long to wait for a database that is out of reach, or in use by another process';
  return wholeOption('--wait <seconds>', says, [0, DAY_SECONDS]).default(WAIT_SECONDS);
}

/** The default number of attempts that a worker runs at a time. */
export const CONCURRENCY = 4;

/** The default time that attempts may still run after a request to stop. */
export const GRACE_SECONDS = 20;

export function concurrencyOption(): Option {
  return wholeOption('--concurrency <n>', 'how many attempts run at a time', [1, 1_000]).default(CONCURRENCY);
}

export function graceOption(): Option {
  const says = 'how long attempts may still run after a request to stop; then another worker continues them';
  return wholeOption('--grace <seconds>', says, [0, DAY_SECONDS]).default(GRACE_SECONDS);
}

export function leaseOption(): Option {
  const says = 'how long a worker that is silent is taken for alive';
  return wholeOption('--lease <seconds>', says, [1, 3_600]).default(10);
}

/** `--result` of a call that is answered by hand. */
export function resultOption(says: string): Option {
  return new Option(
    '--result <json>',
    `${says}: JSON that begins with {, [ or ", or the name of a file that holds it (./[1].json where it begins so, too)`,
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

export function maxRetriesOption(): Option {
  const says = 'how often a queued turn is tried again after a transient failure';
  return wholeOption('--max-retries <n>', says, [0, RETRIES_MAX]).default(TURN_RETRIES);
}

/** `--scenario` of a world that has turns. */
export function editedScenarioOption(says: string): Option {
  const flags = '--scenario <path|hash>';
  const may = `of the scenario only ${CHANGEABLE_SCENARIO_FIELDS} may have changed`;
  return new Option(flags, `${says}; ${may}`).argParser(toPath);
}

export function serveOption(): Option {
  return new Option('--serve', 'afterwards, serve it to a browser until Ctrl-C, and print a link that signs in once');
}

export function retriesOption(): Option {
  return wholeOption('--retries <n>', 'how often a turn is tried again, after a wait, when it failed transiently', [
    0,
    RETRIES_MAX,
  ]);
}

export function turnOption(): Option {
  return wholeOption('--turn <n>', 'as it was at the end of this turn; 0 is its start', [0, Number.MAX_SAFE_INTEGER]);
}

/** `--turn N` of attempts. */
export function triedTurnOption(): Option {
  return new Option('--turn <n>', 'only those at this turn').argParser((text) =>
    toWhole(text, 1, Number.MAX_SAFE_INTEGER),
  );
}

/** `SLUG`, or `SLUG@N`. @throws InvalidArgumentError where no turn follows the sign */
export function toWorldPlace(text: string): WorldPlace {
  const [world_slug = '', turn, ...others] = text.split('@');
  if (others.length > 0) throw new InvalidArgumentError('Write SLUG@N: a world and one of its turns.');
  return turn === undefined ? { world_slug } : { world_slug, turn: toWhole(turn, 0, Number.MAX_SAFE_INTEGER) };
}

export function entityOption(says: string): Option {
  return new Option('--entity <id>', says);
}

export function subjectOption(says: string): Option {
  return new Option('--subject <id>', says);
}

/** `--from N` and `--to N`. */
export function turnBoundOption(flag: '--from' | '--to', says: string): Option {
  return wholeOption(`${flag} <n>`, says, [1, Number.MAX_SAFE_INTEGER]);
}

export function atOption(): Option {
  const says = 'the last turn that both worlds share; 0 is the start';
  return wholeOption('--at <n>', says, [0, Number.MAX_SAFE_INTEGER]).makeOptionMandatory();
}

export function rootOption(): Option {
  const says = 'documents may refer to files of this folder only; by default, of the folder that is given';
  return new Option('--root <dir>', says).argParser(toPath);
}

export function slugArgument(): Argument {
  return new Argument('<slug>', 'the name of the world');
}

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
function toWhole(text: string, from: number, to: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw new InvalidArgumentError(
    to === Number.MAX_SAFE_INTEGER
      ? `Write a whole number, ${from} or more.`
      : `Write a whole number from ${from} to ${to}.`,
  );
}
