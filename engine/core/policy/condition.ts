import type { Json } from '../../contract/json.js';
import type { Condition } from '../../generated/tool-policy.js';
import { canonicalText } from '../content/canonical.js';
import { isList, isObject, pointerTokens, toPointer } from '../content/json-pointer.js';
import { leavesOf, type Provenance } from './provenance.js';

type Leaf = ReturnType<typeof leavesOf>[number];

/** The values of a call's arguments at a pointer: found once, however many rules ask for them. */
export type ReadArguments = (pointer: string) => readonly Leaf[];

/** Whether the arguments of a call meet one condition of a rule. */
type MeetsCondition = (read: ReadArguments, provenance: Provenance) => boolean;

/** Makes the reader of one call. */
export function readerOf(args: Json): ReadArguments {
  const known = new Map<string, readonly Leaf[]>();
  return (pointer) => {
    const leaves = known.get(pointer) ?? leavesAt(args, pointerTokens(pointer));
    known.set(pointer, leaves);
    return leaves;
  };
}

/** A condition on the values at a pointer. Where the call leaves them out, it does not hold. */
export function compileCondition(pointer: string, condition: Condition): MeetsCondition {
  const { test, of } = toTest(condition);
  return (read, provenance) => {
    const leaves = read(pointer);
    return leaves.length > 0 && leaves[of]((leaf) => test(leaf, provenance));
  };
}

/** A condition that permits must hold for all values; its opposite, for one. */
function toTest(condition: Condition): {
  readonly test: (leaf: Leaf, provenance: Provenance) => boolean;
  readonly of: 'every' | 'some';
} {
  if (condition === 'known') return { test: isKnown, of: 'every' };
  if (condition === 'unknown') return { test: (leaf, provenance) => !isKnown(leaf, provenance), of: 'some' };
  if ('one_of' in condition) return { test: among(condition.one_of), of: 'every' };
  if ('none_of' in condition) {
    const isListed = among(condition.none_of);
    return { test: (leaf) => !isListed(leaf), of: 'some' };
  }
  if ('below' in condition) return { test: isBelow(condition.below), of: 'every' };
  const isLess = isBelow(condition.at_least);
  return { test: (leaf) => !isLess(leaf), of: 'some' };
}

function isKnown({ tokens }: Leaf, { known }: Provenance): boolean {
  return known.has(toPointer(tokens));
}

function among(values: readonly Json[]): (leaf: Leaf) => boolean {
  const listed = new Set(values.map(canonicalText));
  return ({ value }) => listed.has(canonicalText(value));
}

function isBelow(limit: number): (leaf: Leaf) => boolean {
  return ({ value }) => typeof value === 'number' && value < limit;
}

/** The values at a path in which `*` means every item and every member. */
function leavesAt(args: Json, path: readonly string[], place: readonly string[] = []): readonly Leaf[] {
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
