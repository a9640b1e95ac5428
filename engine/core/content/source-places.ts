import type { Location } from '../../contract/problem.js';
import { readParts } from './json-parts.js';
import { toPointer } from './json-pointer.js';

/** A text with the name of its file. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** Where a value is in its text, and the name of its member, where it is one. */
interface Place {
  readonly name_at?: number;
  readonly value_at: number;
}

/**
 * Finds places in a text that is valid JSON. The text is read once, for the first place.
 * @returns the place of a pointer's value or, given an offset into the string there, of that character
 */
export function toLocator(source: NamedText): (pointer: string, offset?: number) => Location {
  let places: ReadonlyMap<string, Place> | undefined;
  return (pointer, offset) => {
    places ??= listPlaces(source.text);
    const { name_at, value_at } = findPlace(places, pointer);
    if (offset === undefined || source.text[value_at] !== '"') return placeAt(source, name_at ?? value_at);
    return placeAt(source, offsetInString(source.text, value_at, offset));
  };
}

function listPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let name_at: number | undefined;
  for (const part of readParts(text)) {
    if (part.kind === 'value')
      places.set(toPointer(part.path), { value_at: part.at, ...(name_at === undefined ? {} : { name_at }) });
    name_at = part.kind === 'name' ? part.at : undefined;
  }
  return places;
}

/** A missing value is placed at the one that would hold it. */
function findPlace(places: ReadonlyMap<string, Place>, pointer: string): Place {
  return places.get(pointer) ?? findPlace(places, pointer.slice(0, pointer.lastIndexOf('/')));
}

/** Where in the text a character of a string is written: one escape may write it. */
function offsetInString(text: string, start: number, offset: number): number {
  const written = /\\u[0-9A-Fa-f]{4}|\\.|[^]/y;
  written.lastIndex = start + 1;
  for (let left = offset; left > 0; left -= 1) written.exec(text);
  return written.lastIndex;
}

/** A place from an offset into the text. */
export function placeAt(source: NamedText, offset: number): Location {
  const before = source.text.slice(0, offset).split(/\r\n|\n|\r/);
  return { file: source.file, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
