/** A known name that is near enough to have been meant. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const nearest = nearestFirst(name, known)[0];
  if (nearest === undefined || name.length > 256) return undefined;
  const distance = editDistance(name.toLowerCase(), nearest.toLowerCase());
  return distance <= Math.max(Math.min(2, name.length - 2), Math.floor(name.length / 3)) ? nearest : undefined;
}

const NAMES_SHOWN = 10;

/** What to write instead of a name that nobody has: one that is near enough, else those that there are. */
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

/** Candidates nearest to a text first; equal distances in alphabetical order. */
export function nearestFirst(text: string, candidates: readonly string[]): readonly string[] {
  const wanted = text.slice(0, 256).toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
