/** Characters that nobody sees: controls, formats, separators other than a space, and halves of characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}/u;

/** The first invisible character of a variable's value, by its number and its position; undefined without one. */
export function findInvisible(value: string): string | undefined {
  const characters = Array.from(value);
  const at = characters.findIndex((character) => INVISIBLE.test(character));
  const what = nameInvisible(characters[at] ?? '');
  return what === undefined ? undefined : `${what} at position ${at + 1}`;
}

/** A character that nobody sees, by its number; undefined for any other. */
export function nameInvisible(character: string): string | undefined {
  if (!INVISIBLE.test(character)) return undefined;
  return `an invisible character (U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`;
}

/**
 * A secret, at the end, and the parts of it that another side may repeat alone: the key of "Bearer KEY", and what stands
 * in quotation marks.
 */
export function listSecretParts(value: string): readonly string[] {
  const key = value.slice(value.indexOf(' ') + 1);
  return [...new Set([key.replace(/^(["'])(.*)\1$/, '$2'), key, value])];
}

/**
 * Whether a URL has an `@` behind its host. Then a password was most likely not percent-encoded, and what is read as host,
 * port or path are parts of it, which no message may show.
 */
export function hasLateAt(url: string): boolean {
  return /^[^/]*:\/\/[^/?#\\]*[/?#\\].*@/s.test(url.trim());
}
