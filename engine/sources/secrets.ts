import type { Json } from '../contract/json.js';
import { findInvisible } from '../core/content/variable-value.js';
import { isList } from '../core/content/json-pointer.js';
import {
  createHasEscaped,
  ESCAPE_MAX,
  fromBinary,
  type HasEscaped,
  lengthUnfinished,
  toBinary,
  listReadings,
} from './decode-text.js';
import { createFindValues, type FindValues, listSpellings, type Match, type Spelling } from './known-values.js';
import { toStorableText } from '../core/content/i-json.js';

/** Shorter values occur in too many innocent texts to be replaced; they are refused where they enter. */
const SECRET_LENGTH_MIN = 6;

/** A value that no record may hold, and the variable that it came from. */
export interface Secret {
  readonly variable: string;
  readonly value: string;
  /** A name of the client, such as a user's, and no key. */
  readonly is_name?: true;
  /** The engine adds it to requests, and hands it to no plugin. */
  readonly is_attached?: true;
}

/**
 * Whether a text looks like a key and not like words: a part of it between other marks has nine letters and digits or
 * more, with a digit among them, or twenty or more.
 */
export function isKeyLike(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((word) => word.length >= 20 || (word.length >= 9 && /[0-9]/.test(word)));
}

/** The parts of a URL's host and path that look like keys, as they are written and decoded. */
export function listKeyParts({ hostname, pathname }: URL): readonly string[] {
  const parts = [...hostname.split('.'), ...pathname.split('/').flatMap((part) => [part, decodeLeniently(part)])];
  return [...new Set(parts.filter(isKeyLike))];
}

/** A part of a URL without percent-encoding; one that is not encoded soundly stays as it is. */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A sentence where a secret has a character that nobody sees, and that may not arrive as it was set. */
export function findUnseenSecret(secrets: readonly Secret[]): string | undefined {
  const [said] = secrets.flatMap(({ variable, value }) => {
    const found = findInvisible(value);
    return found === undefined ? [] : [`${variable} holds ${found}: set it again without that`];
  });
  return said;
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

/** How many layers of escapes may be around a secret. */
const LAYERS_MAX = 2;

/**
 * Finds each secret in a text, and in the text without its escapes.
 * @param count is told the steps of each search, which grow in proportion to the text
 */
export function createSecretReplacer(
  secrets: readonly Secret[],
  count: (steps: number) => void = () => {},
): SecretReplacer {
  const known = secrets.filter(({ value }) => value.length >= SECRET_LENGTH_MIN);
  if (known.length === 0) return REPLACES_NOTHING;
  const search = toSearch(known, count);
  const text = (given: string, ending: Ending = 'whole'): string => {
    const binary = toBinary(given);
    const { matches, end } = examine(binary, search, ending);
    if (matches.length === 0 && end === binary.length) return given;
    return fromBinary(withoutMatches(binary.slice(0, end), 0, matches));
  };
  // Written out, it is searched once; that is one more layer.
  const isClean = (value: Json): boolean =>
    find(toBinary(JSON.stringify(value)), search, LAYERS_MAX + 1, false).length === 0;
  return {
    text,
    json: (value) => (isClean(value) ? value : replaceInJson(value, text)),
    bytes: (bytes, ending = 'whole') => {
      const binary = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      const { matches, end } = examine(binary, search, ending);
      if (matches.length === 0 && end === binary.length) return bytes;
      return Buffer.from(withoutMatches(binary.slice(0, end), 0, matches), 'latin1');
    },
    pieces: (pieces, ending = 'whole') => replaceInPieces(pieces.map(toBinary), search, ending).map(fromBinary),
  };
}

const REPLACES_NOTHING: SecretReplacer = {
  text: (text) => text,
  json: (value) => value,
  bytes: (bytes) => bytes,
  pieces: (pieces) => pieces,
};

interface Search {
  readonly spellings: readonly Spelling[];
  readonly findValues: FindValues;
  readonly hasEscaped: HasEscaped;
  /** Whether a spelling begins with a text of at most twelve characters. */
  readonly isBeginning: (text: string) => boolean;
  readonly count: (steps: number) => void;
}

function toSearch(secrets: readonly Secret[], count: Search['count']): Search {
  const spellings = secrets.flatMap(({ variable, value }) => listSpellings(variable, value, SECRET_LENGTH_MIN));
  const characters = secrets.map(({ value }) => toBinary(toStorableText(value))).join('');
  const beginnings = new Set(
    spellings.flatMap(({ text }) => Array.from({ length: ESCAPE_MAX }, (_, length) => text.slice(0, length + 1))),
  );
  return {
    spellings,
    isBeginning: (text) => beginnings.has(text) || beginnings.has(text.toLowerCase()),
    findValues: createFindValues(spellings, count),
    hasEscaped: createHasEscaped(characters),
    count,
  };
}

/** All secrets in a text, in order and apart; and where what is not yet known begins, if the text was cut. */
function examine(
  text: string,
  search: Search,
  ending: Ending,
): { readonly matches: readonly Match[]; readonly end: number } {
  const found = find(text, search, LAYERS_MAX, false);
  const matches = joinOverlapping(ending === 'whole' ? found : [...found, ...findAtEnd(text, search)]);
  const open = matches.findIndex(({ isOpen }) => isOpen === true);
  return open === -1
    ? { matches, end: text.length }
    : { matches: matches.slice(0, open), end: matches[open]?.from ?? text.length };
}

/** How many characters may escape one of a secret whose end is not seen yet: nine of HTML, each by as many. */
const EXPANSION_MAX = 81;

function findAtEnd(text: string, search: Search): readonly Match[] {
  const length_max = Math.max(...search.spellings.map((spelling) => spelling.text.length));
  const from = Math.max(0, text.length - length_max * EXPANSION_MAX);
  const open = find(text.slice(from), search, LAYERS_MAX, true).filter(({ isOpen }) => isOpen === true);
  return open.map((match) => ({ ...match, from: match.from + from, to: text.length }));
}

function find(text: string, search: Search, layers: number, isCut: boolean, keeps = false): readonly Match[] {
  const plain = [...search.findValues(text), ...(isCut ? findOpen(text, search) : [])];
  if (layers === 0 || !(isCut || search.hasEscaped(text))) return plain;
  const escaped = listReadings(text, search.isBeginning, isCut, keeps).flatMap((inner) => {
    search.count(text.length);
    return find(inner.text, search, layers - 1, isCut, inner.keeps).map((match) => ({
      ...match,
      from: inner.places[match.from] as number,
      to: inner.places[match.to] as number,
    }));
  });
  return [...plain, ...escaped];
}

/** The possible beginning of a secret at the end of a text: the longest. */
function findOpen(text: string, { spellings }: Search): readonly Match[] {
  const small = text.toLowerCase();
  const lengths = spellings.map(({ text: spelled, is_any_case }) => {
    let length = Math.min(spelled.length - 1, text.length);
    // Every text ends with the empty one.
    while (!(is_any_case ? small : text).endsWith(spelled.slice(0, length))) length -= 1;
    return length;
  });
  const length = Math.max(...lengths, lengthUnfinished(text));
  return length === 0 ? [] : [{ from: text.length - length, to: text.length, variable: '', isOpen: true }];
}

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
