import { type KnownNames, suggested } from '../../contract/problems/phrases.js';

/** How much of a name is compared, and with how many: names come from answers too, and comparing takes the product. */
const COMPARED_CHARACTERS = 64;
const COMPARED_NAMES = 500;

/** What joins the words of names: ids, labels, paths, keys and media types. */
const BETWEEN_WORDS = /[\s/_.:@-]+/;

/**
 * The known name that was probably meant. Names of as many words are compared word by word, so that a long common part
 * makes no other word near: `http_500` is not nearly `http_408`. Very long names, and those after the first 500, are not
 * looked at.
 * @returns undefined where none is near enough, or two are equally near: then all of them should be listed
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > COMPARED_CHARACTERS) return undefined;
  const near = [...new Set(known)].slice(0, COMPARED_NAMES).flatMap((candidate) => {
    const distance = findDistance(name.toLowerCase(), candidate.toLowerCase());
    return distance === undefined ? [] : [{ candidate, distance }];
  });
  const [nearest, next] = near.sort((left, right) => left.distance - right.distance);
  return nearest?.distance === next?.distance ? undefined : nearest?.candidate;
}

/** @returns undefined where the names are not near */
function findDistance(name: string, candidate: string): number | undefined {
  const [words, others] = [name.split(BETWEEN_WORDS), candidate.split(BETWEEN_WORDS)];
  const pairs =
    words.length === others.length
      ? words.map((word, at) => [word, others[at] ?? ''] as const)
      : [[name, candidate] as const];
  let sum = 0;
  for (const [written, meant] of pairs) {
    // In a short word one letter too many or too few is a slip, and another letter makes another word.
    const least = written.length > 1 && written.length !== meant.length ? 1 : 0;
    const most = Math.max(least, Math.min(2, written.length - 2), Math.floor(written.length / 3));
    if (Math.abs(written.length - meant.length) > most) return undefined;
    const distance = countSlips(written, meant);
    if (distance > most) return undefined;
    sum += distance;
  }
  return sum;
}

/** Two letters that changed places are one slip: `atc` is nearly `act`. */
function countSlips(written: string, meant: string): number {
  const distance = editDistance(written, meant);
  return distance === 2 && toLetters(written) === toLetters(meant) ? 1 : distance;
}

function toLetters(word: string): string {
  return Array.from(word).sort().join('');
}

/** The known names beside an unknown one, with the one that was probably meant. */
export function among(name: string, known: readonly string[]): KnownNames {
  return { nearest: nearestName(name, known), known };
}

/** The suggestion for an unknown name: a known one that is near enough, else all of them. */
export function suggestName(name: string, known: readonly string[]): string {
  return suggested(among(name, known));
}

/** Levenshtein distance of two short texts. */
export function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = at(previous, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, right.length);
}

/** Candidates nearest to a text first; equal distances, and those that are too many to compare, in alphabetical order. */
export function nearestFirst(text: string, candidates: readonly string[]): readonly string[] {
  const wanted = text.slice(0, COMPARED_CHARACTERS).toLowerCase();
  return candidates
    .map((candidate, index) => ({
      candidate,
      distance:
        index < COMPARED_NAMES
          ? editDistance(wanted, candidate.slice(0, COMPARED_CHARACTERS))
          : Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => (a.distance === b.distance ? (a.candidate < b.candidate ? -1 : 1) : a.distance - b.distance))
    .map(({ candidate }) => candidate);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
