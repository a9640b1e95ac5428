import type { Location } from '../../contract/problem.js';
import { readParts } from './json-parts.js';
import { pointerTokens } from './json-pointer.js';

export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** Where a value is in its text, and where it is pointed out: at the name of its member, where it is one. */
interface Place {
  readonly at: number;
  readonly value_at: number;
  /** The values in it, by token: whole pointers would repeat a long name for each value below it. */
  readonly held: Map<string, Place>;
}

/**
 * Finds places in a text that is valid JSON. The text is read once, for the first place.
 * @returns the place of a pointer's value or, given an offset into the string there, of that character
 */
export function toLocator(source: NamedText): (pointer: string, offset?: number) => Location {
  const placeAt = toPlacer(source);
  let whole: Place | undefined;
  return (pointer, offset) => {
    whole ??= readPlaces(source.text);
    const { at, value_at } = findPlace(whole, pointer);
    if (offset === undefined || source.text[value_at] !== '"') return placeAt(at);
    return placeAt(offsetInString(source.text, value_at, offset));
  };
}

const NOTHING: Place['held'] = new Map();

/** A place that holds the root of the text under the token `''`. */
function readPlaces(text: string): Place {
  const whole: Place = { at: 0, value_at: 0, held: new Map() };
  const holders = [whole];
  let name_at: number | undefined;
  for (const part of readParts(text)) {
    if (part.kind === 'value') {
      const { at, written, path } = part;
      const place = { at: name_at ?? at, value_at: at, held: '{['.includes(written) ? new Map() : NOTHING };
      holders[path.length]?.held.set(String(path.at(-1) ?? ''), place);
      holders[path.length + 1] = place;
    }
    name_at = part.kind === 'name' ? part.at : undefined;
  }
  return whole;
}

/** A missing value is placed at the one that would hold it. */
function findPlace(whole: Place, pointer: string): Place {
  let place = whole;
  for (const token of ['', ...pointerTokens(pointer)]) {
    const inner = place.held.get(token);
    if (inner === undefined) break;
    place = inner;
  }
  return place;
}

/** Where in the text a character of a string is written: one escape may write it. */
function offsetInString(text: string, start: number, offset: number): number {
  const written = /\\u[0-9A-Fa-f]{4}|\\.|[^]/y;
  written.lastIndex = start + 1;
  for (let left = offset; left > 0; left -= 1) written.exec(text);
  return written.lastIndex;
}

/** Finds the place of an offset into a text. Its lines are counted once, for the first place. */
export function toPlacer({ file, text }: NamedText): (offset: number) => Location {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= listLineStarts(text);
    const line = countUpTo(starts, offset);
    return { file, line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

function listLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const { 0: mark, index } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + mark.length);
  return starts;
}

/** How many of some ascending numbers are not above a limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? limit) <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
