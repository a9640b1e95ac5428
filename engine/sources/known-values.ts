/**
 * Finds known values in a text: each as it is, in base64 and in hexadecimal. Nothing is decoded: an encoded value has few
 * spellings, and one search finds them all, by the algorithm of Wu and Manber: most of the text is skipped.
 */

import { toBinary, toHex, unescapeText } from './decode-text.js';
import { toStorableText } from '../core/content/i-json.js';

/** One spelling of a value, as a binary string. */
export interface Spelling {
  readonly variable: string;
  readonly text: string;
  /** Whether letters of any case will do: then `text` has small ones. */
  readonly is_any_case: boolean;
  /** How many characters before it, and behind it, hold some of its bits. */
  readonly before: number;
  readonly after: number;
}

/** A part of a text that holds a value. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly variable: string;
  /** Whether it continues behind the end of the text. */
  readonly isOpen?: boolean;
}

/** Gives the values in a binary string, in order and apart: those that overlap are one, by the name of the first. */
export type FindValues = (text: string) => readonly Match[];

/**
 * All spellings of a value in a text without escapes. Beside the value stands what it is without the escapes that it may
 * look to have, as the search undoes those, too; and within base64 and hexadecimal it may be escaped once.
 * @param length_min shorter spellings would occur in innocent texts
 */
export function listSpellings(variable: string, value: string, length_min: number): readonly Spelling[] {
  const text = toStorableText(value);
  const binary = toBinary(text);
  const once = unescapeText(binary)?.text ?? binary;
  const plain = [binary, binary.replaceAll(' ', '+'), once, unescapeText(once)?.text ?? once];
  const escaped = [binary, toBinary(JSON.stringify(text).slice(1, -1)), encodeURIComponent(text)];
  // It may be a part of a host's name.
  const is_any_case = /^[A-Za-z0-9.-]+$/.test(binary);
  const whole = { variable, before: 0, after: 0 };
  return [
    ...unique(plain)
      .filter(({ length }) => length >= length_min)
      .map((spelled) => ({ ...whole, text: is_any_case ? spelled.toLowerCase() : spelled, is_any_case })),
    ...unique(escaped).flatMap((spelled) => [
      { ...whole, text: toHex(spelled), is_any_case: true },
      ...[0, 1, 2].flatMap((offset) => inBase64(variable, spelled, offset)),
    ]),
  ];
}

/** In both alphabets, where so many bytes modulo three precede the value. */
function inBase64(variable: string, value: string, offset: number): readonly Spelling[] {
  const encoded = Buffer.from(' '.repeat(offset) + value, 'latin1').toString('base64');
  const bits = (offset + value.length) * 8;
  const text = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
  const around = { variable, is_any_case: false, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 };
  return unique([text, text.replaceAll('+', '-').replaceAll('/', '_')]).map((spelled) => ({
    ...around,
    text: spelled,
  }));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** The algorithm looks at so many characters at a time. */
const BLOCK = 3;

/** More characters of each spelling would cost memory and skip little more. */
const WINDOW_MAX = 16;

/**
 * @param spellings of at least three characters each
 * @param count is told the steps that a search takes
 */
export function createFindValues(spellings: readonly Spelling[], count: (steps: number) => void): FindValues {
  const window = Math.min(WINDOW_MAX, ...spellings.map(({ text }) => text.length));
  const shifts = new Uint8Array(BLOCKS).fill(window - BLOCK + 1);
  const ending = new Map<number, Spelling[]>();
  for (const spelling of spellings.toSorted((one, other) => other.text.length - one.text.length)) {
    for (let at = BLOCK - 1; at < window; at += 1) {
      const block = blockEndingAt(spelling.text, at);
      shifts[block] = Math.min(shifts[block] as number, window - 1 - at);
    }
    const last = blockEndingAt(spelling.text, window - 1);
    ending.set(last, [...(ending.get(last) ?? []), spelling]);
  }
  return (text) => {
    const matches: Found[] = [];
    const small = text.toLowerCase();
    let steps = text.length;
    for (let at = window - 1; at < text.length; steps += 1) {
      const block = blockEndingAt(text, at);
      const shift = shifts[block] as number;
      if (shift === 0) {
        const start = at - window + 1;
        const found = (ending.get(block) ?? []).find(({ text: spelled, is_any_case }) => {
          steps += spelled.length;
          return (is_any_case ? small : text).startsWith(spelled, start);
        });
        const end = start + (found?.text.length ?? 0) + (found?.after ?? 0);
        if (found) keep(matches, Math.max(0, start - found.before), Math.min(end, text.length), found.variable);
      }
      at += shift || 1;
    }
    count(steps);
    return matches;
  };
}

type Found = Match & { to: number };

function keep(matches: Found[], from: number, to: number, variable: string): void {
  const last = matches.at(-1);
  if (last === undefined || from >= last.to) matches.push({ from, to, variable });
  else last.to = Math.max(last.to, to);
}

/** How many numbers three characters have; some share one. */
const BLOCKS = 65_536;

function blockEndingAt(text: string, at: number): number {
  return ((foldedAt(text, at - 2) << 9) ^ (foldedAt(text, at - 1) << 5) ^ foldedAt(text, at)) % BLOCKS;
}

function foldedAt(text: string, at: number): number {
  return SMALL[text.charCodeAt(at) & 255] as number;
}

/** Large letters are small ones. */
const SMALL = new Uint8Array(256).map((_, code) => (code >= 65 && code <= 90 ? code + 32 : code));
