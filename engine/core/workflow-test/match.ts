import type { Json } from '../../contract/json.js';
import type { Text } from '../../generated/workflow-test.js';
import { canonicalText } from '../content/canonical.js';
import { isList, toPointer } from '../content/json-pointer.js';

/** Something that is not as a test expects it, at the place of the expectation. */
export interface Difference {
  /** JSON Pointer into the test. */
  readonly pointer: string;
  readonly message: string;
  /** Left out where a sentence says more. */
  readonly expected?: Json;
  readonly actual?: Json;
}

export type Place = readonly string[];

/** A difference, with both values. */
export function differ(place: Place, message: string, expected: Json, actual: Json): Difference {
  return { pointer: toPointer(place), message, expected, actual };
}

/** A difference that a sentence says, without values to compare. */
export function complain(place: Place, message: string): Difference {
  return { pointer: toPointer(place), message };
}

/** Compares a value that must be exactly this; without an expectation, it may be anything. */
export function matchValue(place: Place, expected: Json | undefined, actual: Json): readonly Difference[] {
  if (expected === undefined || canonicalText(expected) === canonicalText(actual)) return [];
  return [differ(place, 'it is not as expected', expected, actual)];
}

/** Compares a text with one that is written out, or with what it must contain and must lack. */
export function matchText(place: Place, expected: Text | undefined, actual: string): readonly Difference[] {
  if (expected === undefined) return [];
  if (typeof expected === 'string') return matchValue(place, expected, actual);
  const missing = toList(expected.contains).filter((text) => !actual.includes(text));
  const present = toList(expected.lacks).filter((text) => actual.includes(text));
  return [
    ...missing.map((text) => differ([...place, 'contains'], 'it does not contain this', text, actual)),
    ...present.map((text) => differ([...place, 'lacks'], 'it contains what it must not', text, actual)),
  ];
}

/**
 * Compares what a test says of one part of what came: members that are not expected may be anything, lists are whole, and a
 * text is compared by `matchText`.
 */
export function matchExpected(place: Place, expected: unknown, actual: unknown): readonly Difference[] {
  return matchWithin(place, [expected as Json | undefined, actual as Json | undefined], {
    nounOf: (at) => String(at.at(-1)),
    matchLeaf: (at, wanted, found) =>
      typeof found === 'string' && wanted !== null
        ? matchText(at, wanted as unknown as Text, found)
        : matchValue(at, wanted, found),
  });
}

/** Compares JSON in part: members that are not expected may be anything, lists have as many items. */
export function matchPart(place: Place, expected: Json | undefined, actual: Json | undefined): readonly Difference[] {
  return matchWithin(place, [expected, actual], { nounOf: () => 'items', matchLeaf: matchValue });
}

interface Matching {
  /** The noun for the items of a list in a place. */
  readonly nounOf: (place: Place) => string;
  readonly matchLeaf: (place: Place, expected: Json, actual: Json) => readonly Difference[];
}

function matchWithin(
  place: Place,
  [expected, actual]: readonly [expected: Json | undefined, actual: Json | undefined],
  matching: Matching,
): readonly Difference[] {
  if (expected === undefined) return [];
  if (actual === undefined) return [{ ...complain(place, 'it is not there'), expected }];
  if (!isComposed(expected) || !isComposed(actual) || isList(expected) !== isList(actual))
    return matching.matchLeaf(place, expected, actual);
  if (isList(expected) && isList(actual) && expected.length !== actual.length)
    return [differ(place, `${actual.length} ${matching.nounOf(place)}, and not ${expected.length}`, expected, actual)];
  const found = actual as Readonly<Record<string, Json>>;
  return Object.entries(expected as Readonly<Record<string, Json>>).flatMap(([name, value]) =>
    matchWithin([...place, name], [value, Object.hasOwn(found, name) ? found[name] : undefined], matching),
  );
}

export function isMatch(expected: Text, actual: string): boolean {
  return matchText([], expected, actual).length === 0;
}

function isComposed(value: unknown): value is Exclude<Json, null | boolean | number | string> {
  return typeof value === 'object' && value !== null;
}

function toList(texts: string | readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return [];
  return typeof texts === 'string' ? [texts] : texts;
}
