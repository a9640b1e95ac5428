/** The beginning of a repair that suggests the name that was probably meant, where there is one. */
export function meant(nearest: string | undefined): string {
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}

const QUOTED_LENGTH_MAX = 40;

/** The beginning of a text from a request, in quotes. */
export function quoted(text: string, length_max = QUOTED_LENGTH_MAX): string {
  return JSON.stringify(text.slice(0, length_max));
}

/** How a password is written so that it cannot be taken for a part of the URL. */
export const PERCENT_ENCODE = 'percent-encode the password: @ as %40, / as %2F, # as %23, ? as %3F and % as %25';

/** The known names beside an unknown one. */
export interface KnownNames {
  /** The one that was probably meant. */
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

/** Names of JSON types, in words: `an integer or null`. */
export function typeNames(types: readonly string[]): string {
  return types.map(typeName).join(' or ');
}

export function typeName(type: string): string {
  if (type === 'null') return 'null';
  if (type === 'array') return 'a list';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

const NAMES_SHOWN = 10;

/** The suggestion for an unknown name: the one that was probably meant, else all of them. */
export function suggested({ nearest, known }: KnownNames): string {
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const more = known.length - NAMES_SHOWN;
  return `There are: ${known.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}
