/**
 * Finds where a text may hold one of some values, plain or encoded, without decoding anything. Each value has a set of
 * marks, one for each way of encoding it: its characters that are in the text in every surrounding. One search finds
 * them all, by the algorithm of Wu and Manber: most of the text is skipped.
 */

import { fromBinary, HTML_NAMES, toBinary } from './decode-text.js';

/** Gives places of a text, or of its bytes in a binary string, where a value may be; none is missed, some may be wrong. */
export type FindPlaces = (text: string) => readonly number[];

/** How many layers of base64 and hexadecimal are known; escapes may be around each. */
const LAYERS_MAX = 2;

/** Marks longer than this would cost memory and skip little more. */
const MARK_LENGTH_MAX = 16;

/** @param values of at least three bytes each, as binary strings */
export function createFindPlaces(values: readonly string[]): FindPlaces {
  const spellings = [...new Set(values.flatMap((value) => spell(value, LAYERS_MAX)))].map(fold);
  const length = Math.min(MARK_LENGTH_MAX, ...spellings.map((spelling) => spelling.length));
  const marks = new Set(spellings.map((spelling) => spelling.slice(0, length)));
  const shifts = shiftsOf(marks, length);
  return (text) => {
    const places: number[] = [];
    let at = length - 1;
    while (at < text.length) {
      const shift = shifts[blockEndingAt(text, at)] as number;
      if (shift === 0 && marks.has(fold(text.slice(at - length + 1, at + 1)))) places.push(at);
      at += shift || 1;
    }
    return places;
  };
}

/** How far to skip, by the last three bytes that were seen. */
function shiftsOf(marks: ReadonlySet<string>, length: number): Uint8Array {
  const shifts = new Uint8Array(BLOCKS).fill(length - 2);
  for (const mark of marks) {
    for (let at = 2; at < length; at += 1) {
      const block = blockEndingAt(mark, at);
      shifts[block] = Math.min(shifts[block] as number, length - 1 - at);
    }
  }
  return shifts;
}

/** How many numbers three characters have; some share one. */
const BLOCKS = 65_536;

function blockEndingAt(text: string, at: number): number {
  return ((foldedAt(text, at - 2) << 9) ^ (foldedAt(text, at - 1) << 5) ^ foldedAt(text, at)) % BLOCKS;
}

function foldedAt(text: string, at: number): number {
  return FOLDED[text.charCodeAt(at) & 255] as number;
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

/** Large letters are small ones, and the two alphabets of base64 are one. */
const FOLDED = new Uint8Array(256).map((_, code) => {
  if (code >= 65 && code <= 90) return code + 32;
  return code === 45 ? 43 : code === 95 ? 47 : code;
});

function fold(text: string): string {
  const codes = Array.from({ length: text.length }, (_, at) => FOLDED[text.charCodeAt(at)] ?? text.charCodeAt(at));
  return String.fromCharCode(...codes);
}

/** The value, in bytes and as text, and its spelling in each encoding of a text that holds it. */
function spell(value: string, layers: number): readonly string[] {
  if (layers === 0) return [value, fromBinary(value)];
  const encoded = escape(value).flatMap((text) => [
    toHex(text),
    toHex(text).toUpperCase(),
    ...[0, 1, 2].map((offset) => toBase64(text, offset)),
  ]);
  return [value, fromBinary(value), ...encoded.flatMap((text) => spell(text, layers - 1))];
}

/** As it is, and with all characters escaped, or those that must be. */
function escape(binary: string): readonly string[] {
  const text = fromBinary(binary);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return [
    ...new Set([
      binary,
      toBinary(JSON.stringify(text).slice(1, -1)),
      binary.replace(/[^A-Za-z0-9_.!~*'()-]/g, (byte) => `%${toHex(byte).toUpperCase()}`),
      toHex(binary).replace(/../g, '%$&'),
      units.map((unit) => `\\u${unit}`).join(''),
    ]),
  ];
}

function toHex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

/** Those characters that hold bits of the text only, where so many bytes modulo three precede it. */
function toBase64(text: string, offset: number): string {
  const encoded = Buffer.from(' '.repeat(offset) + text, 'latin1').toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
}
