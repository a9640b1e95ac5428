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

/** Replaces known secret values by `[secret:VARIABLE]`. Every method is pure. */
export interface SecretReplacer {
  readonly text: (text: string) => string;
  /** In member names too. */
  readonly json: (value: Json) => Json;
  /** Byte for byte, so that a body need not be UTF-8. */
  readonly bytes: (bytes: Uint8Array) => Uint8Array;
  /** In the concatenation of the pieces: a secret that several pieces share is replaced in the first of them. */
  readonly pieces: (pieces: readonly string[]) => readonly string[];
  /** How many characters at the end may be the beginning of a secret that goes on in the next piece. */
  readonly openEnd: (text: string) => number;
}

/** Knows each secret as it is, and as it stands in JSON text, in a URL and in a basic credential. */
export function createSecretReplacer(secrets: readonly Secret[]): SecretReplacer {
  const needles = secrets.flatMap(spellings).sort((one, other) => other.value.length - one.value.length);
  if (needles.length === 0) return REPLACES_NOTHING;
  const text = replacerOf(needles);
  const binary = replacerOf(needles.map(({ variable, value }) => ({ variable, value: toBinary(value) })));
  return {
    text: (given) => text(given),
    json: (value) => replaceInJson(value, text),
    bytes: (bytes) => Buffer.from(binary(Buffer.from(bytes).toString('latin1')), 'latin1'),
    pieces: (pieces) => replaceInPieces(pieces, needles),
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

function spellings({ variable, value }: Secret): readonly Secret[] {
  if (value.length < SECRET_LENGTH_MIN) return [];
  const spelled = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(toStorableText(value)),
    Buffer.from(value).toString('base64'),
  ];
  return [...new Set(spelled)].map((spelling) => ({ variable, value: spelling }));
}

function replacerOf(needles: readonly Secret[]): (text: string) => string {
  const variables = new Map(needles.map(({ variable, value }) => [value, variable]));
  const pattern = patternOf(needles);
  return (text) => text.replace(pattern, (found) => labelOf(variables.get(found)));
}

function patternOf(needles: readonly Secret[]): RegExp {
  return new RegExp(needles.map(({ value }) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function labelOf(variable: string | undefined): string {
  return `[secret:${variable ?? 'unnamed'}]`;
}

function toBinary(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function replaceInJson(value: Json, text: (given: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => replaceInJson(item, text));
  const members = Object.entries(value).map(([name, inner]) => [text(name), replaceInJson(inner, text)] as const);
  return Object.fromEntries(members);
}

function replaceInPieces(pieces: readonly string[], needles: readonly Secret[]): readonly string[] {
  const variables = new Map(needles.map(({ variable, value }) => [value, variable]));
  const matches = [...pieces.join('').matchAll(patternOf(needles))].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    label: labelOf(variables.get(match[0])),
  }));
  let start = 0;
  return pieces.map((piece) => {
    const from = start;
    start += piece.length;
    return withoutMatches(piece, from, matches);
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
    if (match.to <= start || match.from >= end) continue;
    kept += piece.slice(at - start, Math.max(match.from, at) - start);
    if (match.from >= start) kept += match.label;
    at = Math.min(match.to, end);
  }
  return kept + piece.slice(at - start);
}

function findOpenEnd(text: string, needles: readonly Secret[]): number {
  const longest = needles[0]?.value.length ?? 0;
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (needles.some(({ value }) => value.length > length && value.startsWith(end))) return length;
  }
  return 0;
}
