import type { Json } from '../contract/json.js';
import { isList } from '../core/content/json-pointer.js';
import { toStorableText } from './storable-text.js';

/** Shorter values stand in too many innocent texts to be replaced. */
const SECRET_LENGTH_MIN = 6;

/** A value that no record may hold, and the variable that it came from. */
export interface Secret {
  readonly variable: string;
  readonly value: string;
}

/** Whether a text ends where it was meant to, or was cut there. */
export type Ending = 'whole' | 'cut';

/** Replaces known secret values by `[secret:VARIABLE]`. Every method is pure. */
export interface SecretReplacer {
  /** Where a text was cut, what may be the beginning of a secret at its end is left out. */
  readonly text: (text: string, ending?: Ending) => string;
  /** In member names too. */
  readonly json: (value: Json) => Json;
  /** Byte for byte, so that a body need not be UTF-8. */
  readonly bytes: (bytes: Uint8Array, ending?: Ending) => Uint8Array;
  /** In the concatenation of the pieces: a secret that several pieces share is replaced in the first of them. */
  readonly pieces: (pieces: readonly string[]) => readonly string[];
  /** How many characters at the end may be the beginning of a secret that goes on in the next piece. */
  readonly openEnd: (text: string) => number;
}

/** Knows each secret as it is, in base64 and in hexadecimal, and each of its characters as JSON and URLs may escape it. */
export function createSecretReplacer(secrets: readonly Secret[]): SecretReplacer {
  const needles = secrets.flatMap(toNeedles).sort((one, other) => other.spelling.length - one.spelling.length);
  if (needles.length === 0) return REPLACES_NOTHING;
  // Of many ways to write many characters: worth being read once.
  const pattern = patternOf(needles);
  const text = replacerOf(needles, pattern);
  const inBytes = needles.map(toBinary);
  const binary = replacerOf(inBytes, patternOf(inBytes));
  return {
    text,
    json: (value) => replaceInJson(value, text),
    bytes: (bytes, ending) => Buffer.from(binary(Buffer.from(bytes).toString('latin1'), ending), 'latin1'),
    pieces: (pieces) => replaceInPieces(pieces, { needles, pattern }),
    openEnd: (given) => findOpenEnd(given, needles),
  };
}

const REPLACES_NOTHING: SecretReplacer = {
  text: (text) => text,
  json: (value) => value,
  bytes: (bytes) => bytes,
  pieces: (pieces) => pieces,
  openEnd: () => 0,
};

/** One way to write one character. */
interface Way {
  readonly text: string;
  /** Letters may be large or small: `text` has the small ones. */
  readonly is_any_case: boolean;
}

/** A secret as it may be written: for each of its characters, all ways. */
interface Needle {
  readonly variable: string;
  readonly spelling: readonly (readonly Way[])[];
}

function toNeedles({ variable, value }: Secret): readonly Needle[] {
  if (value.length < SECRET_LENGTH_MIN) return [];
  const bytes = Buffer.from(value);
  const plain = new Set([toStorableText(value), bytes.toString('base64'), bytes.toString('base64url')]);
  return [
    ...[...plain].map((text) => ({ variable, spelling: Array.from(text, waysOf) })),
    { variable, spelling: Array.from(bytes.toString('hex'), (digit) => [{ text: digit, is_any_case: true }]) },
  ];
}

/** Escapes go first: the character itself may be what they begin with. */
function waysOf(character: string): readonly Way[] {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const inUrl = Buffer.from(character).toString('hex').replace(/../g, '%$&');
  const inJson = JSON.stringify(character).slice(1, -1);
  return [
    { text: units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''), is_any_case: true },
    { text: inUrl, is_any_case: true },
    ...(inJson === character ? [] : [{ text: inJson, is_any_case: false }]),
    ...(character === '/' ? [{ text: '\\/', is_any_case: false }] : []),
    { text: character, is_any_case: false },
  ];
}

function toBinary({ variable, spelling }: Needle): Needle {
  const inBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  return { variable, spelling: spelling.map((ways) => ways.map((way) => ({ ...way, text: inBytes(way.text) }))) };
}

function replacerOf(needles: readonly Needle[], pattern: RegExp): (text: string, ending?: Ending) => string {
  return (text, ending = 'whole') => {
    const clean = text.replace(pattern, (...found: readonly unknown[]) => labelOf(needles, found.slice(1)));
    return ending === 'whole' ? clean : clean.slice(0, clean.length - findOpenEnd(clean, needles));
  };
}

/** A group for each needle tells which one was found. */
function patternOf(needles: readonly Needle[]): RegExp {
  return new RegExp(needles.map(({ spelling }) => `(${spelling.map(writeWays).join('')})`).join('|'), 'g');
}

function writeWays(ways: readonly Way[]): string {
  return `(?:${ways.map(writeWay).join('|')})`;
}

function writeWay({ text, is_any_case }: Way): string {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return is_any_case ? escaped.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`) : escaped;
}

function labelOf(needles: readonly Needle[], groups: readonly unknown[]): string {
  return `[secret:${needles.find((_, index) => groups[index] !== undefined)?.variable ?? 'unnamed'}]`;
}

function replaceInJson(value: Json, text: (given: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => replaceInJson(item, text));
  const members = Object.entries(value).map(([name, inner]) => [text(name), replaceInJson(inner, text)] as const);
  return Object.fromEntries(members);
}

interface Search {
  readonly needles: readonly Needle[];
  readonly pattern: RegExp;
}

function replaceInPieces(pieces: readonly string[], { needles, pattern }: Search): readonly string[] {
  const matches = [...pieces.join('').matchAll(pattern)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    label: labelOf(needles, match.slice(1)),
  }));
  let start = 0;
  let passed = 0;
  return pieces.map((piece) => {
    const from = start;
    start += piece.length;
    while ((matches[passed]?.to ?? start) <= from && passed < matches.length) passed += 1;
    let until = passed;
    while ((matches[until]?.from ?? start) < start) until += 1;
    return withoutMatches(piece, from, matches.slice(passed, until));
  });
}

interface Match {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

function withoutMatches(piece: string, start: number, matches: readonly Match[]): string {
  const end = start + piece.length;
  let kept = '';
  let at = start;
  for (const match of matches) {
    kept += piece.slice(at - start, Math.max(match.from, at) - start);
    if (match.from >= start) kept += match.label;
    at = Math.min(match.to, end);
  }
  return kept + piece.slice(at - start);
}

function findOpenEnd(text: string, needles: readonly Needle[]): number {
  const longest = Math.max(...needles.map(longestOf));
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    if (needles.some(({ spelling }) => isBeginning(text, at, spelling))) return text.length - at;
  }
  return 0;
}

function longestOf({ spelling }: Needle): number {
  return spelling.reduce((length, ways) => length + Math.max(...ways.map(({ text }) => text.length)), 0);
}

/** Whether the text from here on begins the spelling and ends before it does. */
function isBeginning(text: string, at: number, spelling: readonly (readonly Way[])[], done = 0): boolean {
  const ways = spelling[done];
  if (ways === undefined) return false;
  if (at === text.length) return true;
  return ways.some((way) => {
    const found = text.slice(at, at + way.text.length);
    const written = way.is_any_case ? found.toLowerCase() : found;
    if (!way.text.startsWith(written)) return false;
    return found.length < way.text.length || isBeginning(text, at + found.length, spelling, done + 1);
  });
}
