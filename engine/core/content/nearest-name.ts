/** How much of a name is compared, and with how many: names come from answers too, and comparing takes the product. */
const COMPARED_CHARACTERS = 64;
const COMPARED_NAMES = 500;

/** A known name that is near enough to have been meant. Very long names, and those after the first 500, are not looked at. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > COMPARED_CHARACTERS) return undefined;
  const most = Math.max(Math.min(2, name.length - 2), Math.floor(name.length / 3));
  const near = known.slice(0, COMPARED_NAMES).filter((candidate) => Math.abs(candidate.length - name.length) <= most);
  const nearest = nearestFirst(name, near)[0];
  if (nearest === undefined) return undefined;
  return editDistance(name.toLowerCase(), nearest.toLowerCase()) <= most ? nearest : undefined;
}

const NAMES_SHOWN = 10;

/** The suggestion for an unknown name: a known one that is near enough, else all of them. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const more = known.length - NAMES_SHOWN;
  return `There are: ${known.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
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
