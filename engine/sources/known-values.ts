/**
 * Finds known values in a text: each as it is, in base64 and in hexadecimal. Nothing is decoded: an encoded value has few
 * spellings, and each is searched for.
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

/** Gives the places of the values in a binary string. Those of different spellings may overlap. */
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

/** @param count is told the steps that a search takes: the characters of the text, once for each spelling */
export function createFindValues(spellings: readonly Spelling[], count: (steps: number) => void): FindValues {
  return (text) => {
    const small = text.toLowerCase();
    count(text.length * spellings.length);
    return spellings.flatMap((spelling) => findSpelling(spelling.is_any_case ? small : text, spelling));
  };
}

/** The places of a spelling: those that overlap are one. */
function findSpelling(text: string, { text: spelled, variable, before, after }: Spelling): readonly Match[] {
  const found: (Match & { to: number })[] = [];
  for (let at = text.indexOf(spelled); at !== -1; at = text.indexOf(spelled, at + 1)) {
    const [from, to] = [Math.max(0, at - before), Math.min(at + spelled.length + after, text.length)];
    const last = found.at(-1);
    if (last === undefined || from >= last.to) found.push({ from, to, variable });
    else last.to = to;
  }
  return found;
}
