/**
 * The readings of a text: each decoding of it, or of a part of it, as a text of its own that knows its origin. Texts
 * here are binary strings: one character for each byte of their UTF-8.
 */

/** A decoded text. Both places are in the text that it was decoded from. */
export interface Decoded {
  readonly text: string;
  /** Where the code of a character begins. */
  readonly startOf: (at: number) => number;
  /** Where the code of all characters before this one ends. */
  readonly endOf: (at: number) => number;
  /** Whether it continues where the text that it was decoded from does. */
  readonly isCut: boolean;
}

/**
 * Texts that a text encodes by the escapes of JSON, and by those of URLs.
 * @param mayBeHtml whether by those of HTML, too
 */
export function unescapeText(text: string, isCut: boolean, mayBeHtml: boolean): readonly Decoded[] {
  return [JSON_ESCAPES, URL_ESCAPES, ...(mayBeHtml ? [HTML_ESCAPES] : [])].flatMap((escape) =>
    text.includes(escape.sign) ? unescape(text, escape, isCut) : [],
  );
}

/** Decodes the base64 or hexadecimal around a place of a text. The beginning of an encoding there is not known. */
export function decodeAround(text: string, place: number, isCut: boolean): readonly Decoded[] {
  const base64 = runAround(text, place, isBase64);
  const hex = runAround(text, place, isHex);
  return [
    ...[0, 1, 2, 3].map((missing) => decodeBase64(text, base64, missing, isCut)),
    decodeHex(text, hex, isCut),
    decodeHex(text, { ...hex, from: hex.from + 1 }, isCut),
  ];
}

interface Escape {
  /** Is in each escape. */
  readonly sign: string;
  readonly pattern: RegExp;
  readonly decode: (escape: string) => string;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\\"': '"', '\\\\': '\\', '\\/': '/', '\\n': '\n' };

const JSON_ESCAPES: Escape = {
  sign: '\\',
  // Half of a surrogate pair at the end of a text is none yet.
  pattern:
    /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?![dD][89abAB]..(?:\\(?:u.{0,3})?)?$)[0-9a-fA-F]{4}|\\["\\/bfnrt]/g,
  decode: (escape) => SHORT_ESCAPES[escape] ?? toBinary(JSON.parse(`"${escape}"`) as string),
};

const URL_ESCAPES: Escape = {
  sign: '%',
  pattern: /%[0-9a-fA-F]{2}/g,
  decode: (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
};

/** The names by which HTML escapes characters. */
export const HTML_NAMES: Readonly<Record<string, string>> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' };

const HTML_ESCAPES: Escape = {
  sign: '&',
  pattern: /&(?:quot|amp|apos|lt|gt|#x[0-9a-f]{1,5}|#[0-9]{1,6});/gi,
  decode: (escape) =>
    HTML_NAMES[escape.slice(1, -1).toLowerCase()] ??
    toBinary(String.fromCodePoint(Number(escape.slice(2, -1).replace(/^x/i, '0x')))),
};

/** The possible beginning of an escape, or of a character of base64 or hexadecimal, at the end of a text. */
export const UNFINISHED =
  /(?:(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}|%[0-9a-fA-F]?|&#?[0-9A-Za-z]{0,6}|[A-Za-z0-9+/_-])$/;

function unescape(text: string, escape: Escape, isCut: boolean): readonly Decoded[] {
  let passed = 0;
  const plain = text.replace(escape.pattern, (found: string, at: number) => {
    passed = at + found.length;
    return escape.decode(found);
  });
  const rest = isCut ? text.slice(passed) : '';
  const dropped = rest.includes(escape.sign) ? (UNFINISHED.exec(rest)?.[0].length ?? 0) : 0;
  if (passed === 0 && dropped === 0) return [];
  const placeOf = (at: number): number => sourceOf(text, escape, at);
  return [{ text: plain.slice(0, plain.length - dropped), startOf: placeOf, endOf: placeOf, isCut }];
}

/** Finds a place again by decoding once more: needed only where a secret was found. */
function sourceOf(text: string, escape: Escape, at: number): number {
  let longer_by = 0;
  for (const match of text.matchAll(escape.pattern)) {
    if (match.index - longer_by >= at) break;
    longer_by += match[0].length - escape.decode(match[0]).length;
  }
  return at + longer_by;
}

/** @param missing how many characters of the first group precede the run; its bits of a shared byte count */
function decodeBase64(text: string, { from, to }: Run, missing: number, isCut: boolean): Decoded {
  const start = from - missing;
  return {
    text: Buffer.from('A'.repeat(missing) + text.slice(from, to), 'base64').toString('latin1'),
    startOf: (at) => Math.max(from, start + Math.floor((at * 8) / 6)),
    endOf: (at) => start + Math.ceil((at * 8) / 6),
    isCut: isCut && to === text.length,
  };
}

function decodeHex(text: string, { from, to }: Run, isCut: boolean): Decoded {
  const placeOf = (at: number): number => from + at * 2;
  const decoded = Buffer.from(text.slice(from, to), 'hex').toString('latin1');
  return { text: decoded, startOf: placeOf, endOf: placeOf, isCut: isCut && to === text.length };
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** The longest piece of such characters that holds a place; an empty one, where that is none of them. */
function runAround(text: string, place: number, isOfKind: (code: number) => boolean): Run {
  let [from, to] = [place, place];
  // Outside a text the code is NaN, which is of no kind.
  while (isOfKind(text.charCodeAt(from - 1))) from -= 1;
  while (isOfKind(text.charCodeAt(to))) to += 1;
  return { from, to };
}

const isBase64 = (code: number): boolean =>
  isLetterOrDigit(code) || code === 43 || code === 45 || code === 47 || code === 95;
const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetterOrDigit = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122);

/** A text as its bytes in UTF-8, one character each. */
export function toBinary(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** The text whose bytes these are. */
export function fromBinary(binary: string): string {
  return NOT_ASCII.test(binary) ? Buffer.from(binary, 'latin1').toString() : binary;
}

// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\0-\x7f]/;
