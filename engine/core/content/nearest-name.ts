import { type KnownNames, suggested } from '../../contract/problems/phrases.js';

/** How much of a name is compared, and with how many: names come from answers too, and comparing takes the product. */
const COMPARED_CHARACTERS = 64;
const COMPARED_NAMES = 500;
const SLIPS_MAX = 2;
const SLIPS_PER_CHARACTER = 0.4;

/**
 * The known name that was probably meant: one slip in a name of three or four characters, two in a longer one. A number
 * is no slip: `park-3` is not `park-1`. Very long names, and those after the first 500, are not looked at.
 * @returns undefined where none is near enough, or two are equally near: then all of them should be listed
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > COMPARED_CHARACTERS) return undefined;
  const most = Math.min(SLIPS_MAX, Math.floor(name.length * SLIPS_PER_CHARACTER));
  const similar = [...new Set(known)].filter(
    (one) => Math.abs(one.length - name.length) <= most && digitsOf(one) === digitsOf(name),
  );
  const [nearest, next] = rank(name, similar, most).filter(({ distance }) => distance <= most);
  return nearest?.distance === next?.distance ? undefined : nearest?.candidate;
}

function digitsOf(name: string): string {
  return name.replaceAll(/\D/g, '');
}

/** The known names beside an unknown one, with the one that was probably meant. */
export function among(name: string, known: readonly string[]): KnownNames {
  return { nearest: nearestName(name, known), known };
}

/** The suggestion for an unknown name: a known one that is near enough, else all of them. */
export function suggestName(name: string, known: readonly string[]): string {
  return suggested(among(name, known));
}

/** Candidates nearest to a text first; equal distances, and those that are too many to compare, in alphabetical order. */
export function nearestFirst(text: string, candidates: readonly string[]): readonly string[] {
  return rank(text, candidates).map(({ candidate }) => candidate);
}

function rank(text: string, candidates: readonly string[], most?: number) {
  const wanted = text.slice(0, COMPARED_CHARACTERS).toLowerCase();
  return candidates
    .map((candidate, index) => ({
      candidate,
      distance:
        index < COMPARED_NAMES
          ? editDistance(wanted, candidate.slice(0, COMPARED_CHARACTERS).toLowerCase(), most)
          : Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => (a.distance === b.distance ? (a.candidate < b.candidate ? -1 : 1) : a.distance - b.distance));
}

/** The edits that make one text of another, if they are few. Two neighbours that changed places are one edit. */
function editDistance(left: string, right: string, most = COMPARED_CHARACTERS): number {
  let [before, above]: (readonly number[])[] = [[], Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    // Each step away from the diagonal is an edit: beyond `most` steps, no result can count.
    for (let column = Math.max(1, row - most); column <= Math.min(right.length, row + most); column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const changed = at(above, column - 1) + (isSame ? 0 : 1);
      current[column] = Math.min(changed, swapped, at(above, column) + 1, at(current, column - 1) + 1);
    }
    [before, above] = [above, current];
  }
  return at(above, right.length);
}

function at(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Number.POSITIVE_INFINITY;
}
