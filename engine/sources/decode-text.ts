/**
 * The reading of a text without its escapes. Texts here are binary strings: one character for each byte of their UTF-8.
 */

/** The length of the longest escape: a pair of those of JSON. */
export const ESCAPE_MAX = 12;

/** A text without one layer of escapes. */
interface Unescaped {
  readonly text: string;
  /** Where the code of each character begins in the text that it was decoded from, and of the end, where it ends. */
  readonly places: Uint32Array;
}

const ESCAPE = new RegExp(
  [
    // Of JSON. Half of a surrogate pair at the end of a text is none yet.
    /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/,
    /\\u(?![dD][89abAB]..(?:\\(?:u.{0,3})?)?$)[0-9a-fA-F]{4}|\\["\\/bfnrt]/,
    // Of URLs, and of HTML.
    /%[0-9a-fA-F]{2}/,
    /&(?:#[xX][0-9a-fA-F]{1,5}|#[0-9]{1,6}|(?:quot|amp|apos|lt|gt|QUOT|AMP|APOS|LT|GT));/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** The names by which HTML escapes characters. */
const HTML_NAMES: Readonly<Record<string, string>> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' };

/** The characters that JSON escapes by a letter. */
const JSON_LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function decode(escape: string): string {
  if (escape.startsWith('%')) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  if (escape.startsWith('\\u')) return toBinary(JSON.parse(`"${escape}"`) as string);
  if (escape.startsWith('\\')) return JSON_LETTERS[escape.slice(1)] ?? escape.slice(1);
  const name = escape.slice(1, -1).toLowerCase();
  return HTML_NAMES[name] ?? toBinary(String.fromCodePoint(Number(name.slice(1).replace('x', '0x'))));
}

/**
 * The readings of a text without one layer of escapes: that of its escapes from left to right; and where a value may begin
 * within an escape, as behind the sign in `100%ab`, one that keeps what stands before the value. Of the latter, further
 * layers are read in its way only.
 * @param isBeginning whether a value may begin so
 */
export function listReadings(
  text: string,
  isBeginning: IsBeginning,
  isCut: boolean,
  keeps: boolean,
): readonly Reading[] {
  const countBefore: CountKept = (escape, after) => {
    const run = escape + (/^[^%\\&]*/.exec(after)?.[0] ?? '');
    for (let at = 1; at < escape.length; at += 1) if (isBeginning(run.slice(at, at + ESCAPE_MAX))) return at;
    return 0;
  };
  let isDoubtful = keeps;
  const first = keeps
    ? undefined
    : unescapeText(text, isCut, (escape, after) => {
        isDoubtful ||= countBefore(escape, after) > 0;
        return 0;
      });
  const second = isDoubtful ? unescapeText(text, isCut, countBefore) : undefined;
  return [...(first ? [{ ...first, keeps: false }] : []), ...(second ? [{ ...second, keeps: true }] : [])];
}

type IsBeginning = (text: string) => boolean;

/** A text without one layer of escapes, and whether what stands before a value was kept. */
export interface Reading extends Unescaped {
  readonly keeps: boolean;
}

/** Of what looks like an escape, and a few characters after it. */
type CountKept = (escape: string, after: string) => number;

/**
 * Undoes one layer of the escapes of JSON, URLs and HTML, whichever stand there, in one pass.
 * @param isCut whether the text may go on: the possible beginning of an escape at its end is then left out
 * @param countKept how many characters of what looks like an escape are kept, where it is none
 * @returns undefined where nothing is escaped
 */
export function unescapeText(text: string, isCut = false, countKept: CountKept = () => 0): Unescaped | undefined {
  // A decoded text is never longer.
  const places = new Uint32Array(text.length + 1);
  const pieces: string[] = [];
  let [passed, length] = [0, 0];
  const keep = (until: number): void => {
    pieces.push(text.slice(passed, until));
    while (passed < until) places[length++] = passed++;
  };
  const escapes = new RegExp(ESCAPE);
  for (let found = escapes.exec(text); found !== null; found = escapes.exec(text)) {
    const { 0: escape, index } = found;
    const kept = countKept(escape, text.slice(index + escape.length, index + escape.length + ESCAPE_MAX));
    if (kept > 0) {
      escapes.lastIndex = index + kept;
      continue;
    }
    keep(index);
    const decoded = decode(escape);
    pieces.push(decoded);
    places.fill(index, length, (length += decoded.length));
    passed += escape.length;
  }
  const left = isCut ? (UNFINISHED_ESCAPE.exec(text.slice(Math.max(passed, text.length - ESCAPE_MAX)))?.[0] ?? '') : '';
  if (passed === 0 && left === '') return undefined;
  keep(text.length - left.length);
  places[length] = passed;
  return { text: pieces.join(''), places };
}

/** The possible beginning of an escape at the end of a text. */
const UNFINISHED_ESCAPE =
  /(?:(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}|%[0-9a-fA-F]?|&#?[0-9A-Za-z]{0,6})$/;

/** How many characters at the end of a text may be the beginning of an escape, or share a byte in base64 or hexadecimal. */
export function lengthUnfinished(text: string): number {
  const end = text.slice(-ESCAPE_MAX);
  return UNFINISHED_ESCAPE.exec(end)?.[0].length ?? (/[A-Za-z0-9+/_-]$/.test(end) ? 1 : 0);
}

/** The characters of encoded text, and those with which escapes begin. */
const ENCODED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_%&\\';

/** Whether a character that may be of a value, plain or encoded, is escaped in a text, as in JSON, a URL or HTML. */
export type HasEscaped = (text: string) => boolean;

/** @param characters of the values, as a binary string */
export function createHasEscaped(characters: string): HasEscaped {
  const codes = [...new Set(`${characters}${ENCODED}`)].map(toHex);
  const inHtml = ['#', ...Object.keys(HTML_NAMES).filter((name) => `${characters}&`.includes(HTML_NAMES[name] ?? ''))];
  const inJson = [
    '/',
    `u00(?:${codes.join('|')})`,
    ...(/["\\\b\f\n\r\t]/.test(characters) ? ['["\\\\bfnrt]'] : []),
    ...(/[^\0-\x7f]/.test(characters) ? ['u(?!00[0-7])'] : []),
  ];
  const pattern = new RegExp(`%(?:${codes.join('|')})|\\\\(?:${inJson.join('|')})|&(?:${inHtml.join('|')})`, 'i');
  // Most texts have no such sign, and a search for one character is much faster than the pattern.
  return (text) => ['%', '\\', '&'].some((sign) => text.includes(sign)) && pattern.test(text);
}

/** The bytes of a binary string as hexadecimal digits. */
export function toHex(binary: string): string {
  return Buffer.from(binary, 'latin1').toString('hex');
}

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
