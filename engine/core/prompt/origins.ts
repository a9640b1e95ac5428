/**
 * Where a value comes from. `world`: some patch wrote it, and its other origins are those of the patch.
 * `source:<label>`: a service answered with it.
 */
export type Origin = 'author' | 'person' | 'scenario' | 'world' | 'model' | `source:${string}`;

/** Everything that a value may come from: each origin once, in their order. */
export type Origins = readonly Origin[];

/** A part of a text, all of which has the same origins. */
export interface Piece {
  readonly text: string;
  /** None where it is structure around other pieces. */
  readonly origins: Origins;
}

export function structure(text: string): Piece {
  return { text, origins: [] };
}

/** The pieces with another one between each two. */
export function joinPieces(pieces: readonly Piece[], between: string): readonly Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [structure(between), piece]));
}

export function textOfPieces(pieces: readonly Pick<Piece, 'text'>[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** Neighbours of the same origins as one piece; structure belongs to the piece before it, or else behind it. */
export function mergePieces(pieces: readonly Piece[]): readonly Piece[] {
  const merged: Piece[] = [];
  for (const { text, origins } of pieces) {
    const last = merged.at(-1);
    const isOne =
      last !== undefined && (origins.length === 0 || last.origins.length === 0 || areSame(last.origins, origins));
    if (isOne)
      merged[merged.length - 1] = { text: last.text + text, origins: origins.length === 0 ? last.origins : origins };
    else merged.push({ text, origins });
  }
  return merged;
}

export const OF_AUTHOR: Origins = ['author'];
export const OF_SCENARIO: Origins = ['scenario'];
export const OF_MODEL: Origins = ['model'];

/** Every origin that one of some sets has. */
export function unionOf(sets: Iterable<Origins>): Origins {
  const different = new Set<Origins>(sets);
  const [only = []] = different;
  return different.size < 2 ? only : [...new Set([...different].flat())].toSorted();
}

/** The origins of a value that a patch of these origins wrote. */
export function ofPatch(patch: Origins): Origins {
  return unionOf([patch, ['world']]);
}

/** The origins of what a source has answered, by its label. */
export function ofSource(label: string): Origins {
  return [`source:${label}`];
}

/** Whether an author, a person or the scenario wrote a value, if by a patch, and nobody else. */
export function isTrusted(origins: Origins): boolean {
  return origins.every((origin) => TRUSTED.has(origin));
}

const TRUSTED: ReadonlySet<Origin> = new Set<Origin>(['author', 'person', 'scenario', 'world']);

function areSame(one: Origins, other: Origins): boolean {
  return one === other || (one.length === other.length && one.every((origin, index) => origin === other[index]));
}
