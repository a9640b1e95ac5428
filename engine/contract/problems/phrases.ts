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
