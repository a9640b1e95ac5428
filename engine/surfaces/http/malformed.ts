import type { Problem } from '../../contract/problem.js';

const NAME_LENGTH_MAX = 40;

/** The beginning of a name from a request, in quotes. */
export function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, NAME_LENGTH_MAX));
}

/** The problem of an ambiguous request, which is refused and not guessed at. */
export function malformed(reason: string): Problem {
  return { code: 'REQUEST_MALFORMED', message: `The request cannot be read: ${reason}.` };
}

/** The problem of a parameter or a field that is there twice: neither of its values is preferred. */
export function saidTwice(name: string): Problem {
  return malformed(`it says ${quoteName(name)} twice`);
}
