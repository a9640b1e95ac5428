import type { Json } from '../../contract/json.js';
import type { Condition } from '../../generated/tool-policy.js';
import { canonicalText } from '../content/canonical.js';
import { isList, isObject, pointerTokens, toPointer } from '../content/json-pointer.js';
import { type Origins, unionOf } from '../prompt/origins.js';
import { leavesOf, type Provenance } from './provenance.js';

/** A place of arguments that conditions of a policy read. */
interface Place {
  /** Its number in the policy: conditions on the same pointer share a place. */
  readonly number: number;
  readonly path: readonly string[];
}

/** One value of a call's arguments. */
interface ArgumentValue {
  readonly value: Json;
  /** Its canonical text. */
  readonly text: string;
  readonly isKnown: boolean;
}

/** A condition on the values at a place. */
export interface ArgumentCondition {
  readonly place: Place;
  readonly test: (value: ArgumentValue) => boolean;
  /** A condition that permits must hold for all values; its opposite, for one. */
  readonly of: 'every' | 'some';
}

/** The arguments of one call. Whatever rules ask of them is found once, however many ask. */
export interface ReadArguments {
  valuesAt(place: Place): readonly ArgumentValue[];
  /** The origins of all arguments. Without arguments, what the model saw made it call. */
  origins(): Origins | 'anything';
}

/** Numbers the places of one policy. */
export function placesOfPolicy(): (pointer: string) => Place {
  const places = new Map<string, Place>();
  return (pointer) => {
    const place = places.get(pointer) ?? { number: places.size, path: pointerTokens(pointer) };
    places.set(pointer, place);
    return place;
  };
}

/** Makes the reader of one call. */
export function readerOf(args: Json, { seen, known }: Provenance): ReadArguments {
  const found: (readonly ArgumentValue[] | undefined)[] = [];
  let origins: Origins | 'anything' | undefined;
  const valuesAt = ({ path }: Place): readonly ArgumentValue[] =>
    leavesAt(args, path).map(({ tokens, value }) => {
      return { value, text: canonicalText(value), isKnown: known.has(toPointer(tokens)) };
    });
  const unite = (): Origins | 'anything' => {
    const all = leavesOf(args).map(({ tokens }) => known.get(toPointer(tokens)) ?? seen);
    return all.includes('anything') ? 'anything' : unionOf(all.filter((each) => each !== 'anything'));
  };
  return {
    valuesAt: (place) => (found[place.number] ??= valuesAt(place)),
    origins: () => (origins ??= unite()),
  };
}

/** A condition as its author wrote it. */
export function compileCondition(place: Place, condition: Condition): ArgumentCondition {
  if (condition === 'known') return { place, test: isKnown, of: 'every' };
  if (condition === 'unknown') return { place, test: (value) => !isKnown(value), of: 'some' };
  if ('one_of' in condition) return { place, test: among(condition.one_of), of: 'every' };
  if ('none_of' in condition) {
    const isListed = among(condition.none_of);
    return { place, test: (value) => !isListed(value), of: 'some' };
  }
  if ('below' in condition) return { place, test: isBelow(condition.below), of: 'every' };
  const isLess = isBelow(condition.at_least);
  return { place, test: (value) => !isLess(value), of: 'some' };
}

/** Whether the arguments of a call meet a condition. Where the call leaves them out, it does not hold. */
export function isMet({ place, test, of }: ArgumentCondition, read: ReadArguments): boolean {
  const values = read.valuesAt(place);
  const ofEvery = of === 'every';
  for (const value of values) if (test(value) !== ofEvery) return !ofEvery;
  return ofEvery && values.length > 0;
}

const isKnown = (value: ArgumentValue): boolean => value.isKnown;

function among(values: readonly Json[]): ArgumentCondition['test'] {
  const listed = new Set(values.map(canonicalText));
  // Most conditions name one value, and texts are compared sooner than hashed.
  const [only] = listed;
  if (listed.size === 1) return ({ text }) => text === only;
  return ({ text }) => listed.has(text);
}

function isBelow(limit: number): ArgumentCondition['test'] {
  return ({ value }) => typeof value === 'number' && value < limit;
}

/** The values at a path in which `*` means every item and every member. */
function leavesAt(args: Json, path: readonly string[], place: readonly string[] = []): ReturnType<typeof leavesOf> {
  const [token, ...rest] = path;
  if (token === undefined) return leavesOf(args, place);
  return membersOf(args).flatMap(([name, member]) =>
    token === '*' || token === name ? leavesAt(member, rest, [...place, name]) : [],
  );
}

function membersOf(value: Json): readonly (readonly [string, Json])[] {
  if (isList(value)) return value.map((item, index) => [String(index), item] as const);
  return isObject(value) ? Object.entries(value) : [];
}
