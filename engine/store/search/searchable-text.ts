// PostgreSQL's parser takes text after "<" for markup: it finds no word in it, and an excerpt leaves it out. Texts are
// no markup here. They are stored and searched with a control character in its place: no locale takes that for a
// letter, as some do with characters for private use.

/** Replaces "<" in a text. */
export const BRACKET = '\u0002';

/** A text as the parser is given it. */
export function toSearchable(text: string): string {
  return text.replaceAll('<', BRACKET);
}

/** The same as it was written. */
export function fromSearchable(text: string): string {
  return text.replaceAll(BRACKET, '<');
}
