import type { Json } from '../contract/json.js';
import { isList } from '../core/content/json-pointer.js';
import { decodeAround, fromBinary, toBinary, unescapeText, UNFINISHED } from './decode-text.js';
import { createFindPlaces, createHasEscaped, type FindPlaces, type HasEscaped } from './encoded-places.js';
import { toStorableText } from '../core/content/i-json.js';

/** Shorter values occur in too many innocent texts to be replaced; they are refused where they enter. */
export const SECRET_LENGTH_MIN = 6;

/** A value that no record may hold, and the variable that it came from. */
export interface Secret {
  readonly variable: string;
  readonly value: string;
}

/** A sentence where a secret could not be replaced: the operator has to choose a longer one. */
export function findShortSecret(secrets: readonly Secret[]): string | undefined {
  const short = secrets.find(({ value }) => value !== '' && value.length < SECRET_LENGTH_MIN);
  if (short === undefined) return undefined;
  const length = short.value.length === 1 ? '1 character' : `${short.value.length} characters`;
  return `${short.variable} holds a secret of ${length}, which Chukwa refuses before anybody is asked: records replace a secret wherever it occurs, and one below ${SECRET_LENGTH_MIN} characters occurs everywhere; choose a longer one, such as no-key-needed where the service checks none`;
}

/** Whether a text ends where it was meant to, or was cut there. */
export type Ending = 'whole' | 'cut';

/** Replaces known secret values by `[secret:VARIABLE]`, however they are encoded. Every method is pure. */
export interface SecretReplacer {
  /** A text that was cut loses the possible beginning of a secret at its end. */
  readonly text: (text: string, ending?: Ending) => string;
  /** In member names too. */
  readonly json: (value: Json) => Json;
  /** Byte for byte, so that a body need not be UTF-8. */
  readonly bytes: (bytes: Uint8Array, ending?: Ending) => Uint8Array;
  /**
   * In the concatenation of the pieces: a secret that several pieces share is replaced in the first of them. Where it was
   * cut, the pieces from the one on that may begin a secret are left out.
   */
  readonly pieces: (pieces: readonly string[], ending?: Ending) => readonly string[];
}

/** How many encodings may be around each other. */
const DEPTH_MAX = 4;

/** In how many of them, from outside, the escapes of HTML are undone: each of these doubles the work. */
const HTML_DEPTH_MAX = 2;

/** Finds each secret in a text, and in every decoding of the text or of a part of it. */
export function createSecretReplacer(secrets: readonly Secret[]): SecretReplacer {
  const known = secrets.filter(({ value }) => value.length >= SECRET_LENGTH_MIN);
  if (known.length === 0) return REPLACES_NOTHING;
  const search = toSearch(known);
  const isClean = (written: string): boolean => search.findPlaces(written).length === 0 && !search.hasEscaped(written);
  const clean = (binary: string, ending: Ending): string => {
    const { matches, end } = examine(binary, search, ending);
    return withoutMatches(binary.slice(0, end), 0, matches);
  };
  const text = (given: string, ending: Ending = 'whole'): string =>
    ending === 'whole' && isClean(given) ? given : fromBinary(clean(toBinary(given), ending));
  return {
    text,
    // Written out, it is searched once.
    json: (value) => (isClean(JSON.stringify(value)) ? value : replaceInJson(value, text)),
    bytes: (bytes, ending = 'whole') => {
      const binary = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      return ending === 'whole' && isClean(binary) ? bytes : Buffer.from(clean(binary, ending), 'latin1');
    },
    pieces: (pieces, ending = 'whole') => {
      if (ending === 'whole' && isClean(pieces.join(''))) return pieces;
      return replaceInPieces(pieces.map(toBinary), search, ending).map(fromBinary);
    },
  };
}

const REPLACES_NOTHING: SecretReplacer = {
  text: (text) => text,
  json: (value) => value,
  bytes: (bytes) => bytes,
  pieces: (pieces) => pieces,
};

/** A searched value, as a binary string. */
interface Needle {
  readonly variable: string;
  readonly text: string;
  /** Whether letters of any case will do: then `text` has small ones. */
  readonly is_any_case: boolean;
}

interface Search {
  readonly needles: readonly Needle[];
  readonly findPlaces: FindPlaces;
  readonly hasEscaped: HasEscaped;
  /** Of a needle, in bytes. */
  readonly length_min: number;
  readonly length_max: number;
}

function toSearch(secrets: readonly Secret[]): Search {
  const needles = secrets.flatMap(toNeedles);
  const lengths = needles.map(({ text }) => text.length);
  const texts = [...needles.map(({ text }) => text), ...secrets.map(({ value }) => toBinary(toStorableText(value)))];
  return {
    needles,
    findPlaces: createFindPlaces([...new Set(texts)]),
    hasEscaped: createHasEscaped(texts.join('')),
    length_min: Math.min(...lengths),
    length_max: Math.max(...lengths),
  };
}

/** A value that may be part of a host's name is found in letters of any case; a form writes spaces as `+`. */
function toNeedles({ variable, value }: Secret): readonly Needle[] {
  const text = toBinary(toStorableText(value));
  if (/^[A-Za-z0-9.-]+$/.test(text)) return [{ variable, text: text.toLowerCase(), is_any_case: true }];
  return [...new Set([text, text.replaceAll(' ', '+')])].map((spelling) => ({
    variable,
    text: spelling,
    is_any_case: false,
  }));
}

interface Match {
  readonly from: number;
  readonly to: number;
  readonly variable: string;
  /** Whether it continues behind the end of the text. */
  readonly isOpen?: boolean;
}

/** All secrets in a text, in order and apart; and where what is not yet known begins, if the text was cut. */
function examine(
  text: string,
  search: Search,
  ending: Ending,
): { readonly matches: readonly Match[]; readonly end: number } {
  const found = find(text, search, DEPTH_MAX, false);
  const matches = joinOverlapping(ending === 'whole' ? found : [...found, ...findAtEnd(text, search)]);
  const open = matches.findIndex(({ isOpen }) => isOpen === true);
  return open === -1
    ? { matches, end: text.length }
    : { matches: matches.slice(0, open), end: matches[open]?.from ?? text.length };
}

/** How many characters may encode one of a secret whose end is not seen yet. */
const EXPANSION_MAX = 256;

function findAtEnd(text: string, search: Search): readonly Match[] {
  const from = Math.max(0, text.length - search.length_max * EXPANSION_MAX);
  const open = find(text.slice(from), search, DEPTH_MAX, true).filter(({ isOpen }) => isOpen === true);
  return open.map((match) => ({ ...match, from: match.from + from, to: text.length }));
}

function find(text: string, search: Search, depth: number, isCut: boolean): readonly Match[] {
  if (text.length < search.length_min && !isCut) return [];
  const places = search.findPlaces(text);
  const plain = [...(places.length > 0 ? findPlain(text, search) : []), ...(isCut ? findOpen(text, search) : [])];
  if (depth === 0) return plain;
  const decoded = [
    ...(isCut || search.hasEscaped(text) ? unescapeText(text, isCut, depth > DEPTH_MAX - HTML_DEPTH_MAX) : []),
    ...(isCut ? [...places, text.length] : places).flatMap((place) => decodeAround(text, place, isCut)),
  ];
  const encoded = decoded.flatMap((inner) =>
    find(inner.text, search, depth - 1, inner.isCut).map((match) => ({
      ...match,
      from: inner.startOf(match.from),
      to: inner.endOf(match.to),
    })),
  );
  return [...plain, ...encoded];
}

function findPlain(text: string, { needles }: Search): readonly Match[] {
  const matches: Match[] = [];
  const small = text.toLowerCase();
  for (const { variable, text: needle, is_any_case } of needles) {
    const within = is_any_case ? small : text;
    for (let from = within.indexOf(needle); from !== -1; from = within.indexOf(needle, from + needle.length))
      matches.push({ from, to: from + needle.length, variable });
  }
  return matches;
}

/** The possible beginnings of a secret, or of an encoded part of one, at the end of a text. */
function findOpen(text: string, { needles, length_max }: Search): readonly Match[] {
  const end = text.slice(-length_max);
  const small = end.toLowerCase();
  const lengths = needles.map(({ text: needle, is_any_case }) => {
    let length = Math.min(needle.length - 1, end.length);
    // Every text ends with the empty one.
    while (!(is_any_case ? small : end).endsWith(needle.slice(0, length))) length -= 1;
    return length;
  });
  const length = Math.max(...lengths, UNFINISHED.exec(text.slice(-UNFINISHED_MAX))?.[0].length ?? 0);
  return length === 0 ? [] : [{ from: text.length - length, to: text.length, variable: '', isOpen: true }];
}

/** A pair of escapes of JSON. */
const UNFINISHED_MAX = 12;

/** Matches that overlap are one, by the name of the first. */
function joinOverlapping(matches: readonly Match[]): readonly Match[] {
  const joined: Match[] = [];
  for (const match of matches.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    const last = joined.at(-1);
    if (last === undefined || match.from >= last.to) joined.push(match);
    else {
      const isOpen = last.isOpen === true || match.isOpen === true;
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, match.to), isOpen };
    }
  }
  return joined;
}

function replaceInJson(value: Json, text: (given: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => replaceInJson(item, text));
  const members = Object.entries(value).map(([name, inner]) => [text(name), replaceInJson(inner, text)] as const);
  return Object.fromEntries(members);
}

function replaceInPieces(pieces: readonly string[], search: Search, ending: Ending): readonly string[] {
  const { matches, end } = examine(pieces.join(''), search, ending);
  // Pieces without secrets, and whether the last secret of each continues in the next.
  const parts: { readonly text: string; readonly goes_on: boolean }[] = [];
  let start = 0;
  let passed = 0;
  for (const piece of pieces) {
    while ((matches[passed]?.to ?? Infinity) <= start) passed += 1;
    let until = passed;
    while ((matches[until]?.from ?? Infinity) < start + piece.length) until += 1;
    const here = matches.slice(passed, until);
    parts.push({ text: withoutMatches(piece, start, here), goes_on: (here.at(-1)?.to ?? 0) > start + piece.length });
    start += piece.length;
    if (start > end) break;
  }
  if (start > end) parts.pop();
  // No secret continues behind the last piece of the whole.
  while (parts.at(-1)?.goes_on === true) parts.pop();
  return parts.map(({ text }) => text);
}

function withoutMatches(piece: string, start: number, matches: readonly Match[]): string {
  const end = start + piece.length;
  let kept = '';
  let at = start;
  for (const { from, to, variable } of matches) {
    kept += piece.slice(at - start, Math.max(from, at) - start);
    if (from >= start) kept += `[secret:${variable}]`;
    at = Math.min(to, end);
  }
  return kept + piece.slice(at - start);
}
