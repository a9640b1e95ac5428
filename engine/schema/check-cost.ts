/**
 * Which schemas may take exponential time. A validator follows a reference anew each time it comes by. Where a schema leads
 * back to itself by two ways that look at one and the same part of a value, each level of the value doubles the work. Where
 * every part is looked at by one way only, the work of one circle grows with the value; the steps of a check bound the rest.
 */
import { present } from '../contract/present.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import { appendToken, isObject } from '../core/content/json-pointer.js';
import { listChoices } from './alternatives.js';
import { listChildren, pointerOfReference } from '../core/content/subschemas.js';
import { invert, listReached } from '../core/workflow/link/order.js';
import { compileLinearPattern } from './linear-pattern.js';

/** The most steps that one schema may take at one place of a value. */
const STEPS_MAX = 5000;

type Places = ReadonlyMap<string, Json>;

/**
 * Finds what may never end, or may take exponential time. Every reference leads somewhere, and every pattern is sound.
 * @param places every schema within the root, by its pointer
 */
export function checkCost(root: JsonObject, places: Places): readonly Problem[] {
  const found = checkStepsInPlace(places);
  return found.length > 0 ? found : checkCircles(root, places);
}

/** Counts what validating one place of a value can take: references multiply, and one that comes back never ends. */
function checkStepsInPlace(places: Places): readonly Problem[] {
  const steps = new Map<string, number>();
  const open = new Set<string>();
  const count = (pointer: string): number => {
    if (open.has(pointer)) return Number.POSITIVE_INFINITY;
    const known = steps.get(pointer);
    if (known !== undefined) return known;
    open.add(pointer);
    const total = listInPlace(places.get(pointer), pointer).reduce((sum, next) => sum + count(next), 1);
    open.delete(pointer);
    steps.set(pointer, total);
    return total;
  };
  const costly = [...places.keys()].find((pointer) => count(pointer) > STEPS_MAX);
  if (costly === undefined) return [];
  if (count(costly) < Number.POSITIVE_INFINITY)
    return [tooCostly(costly, `takes more than ${STEPS_MAX} steps at one place`)];
  const message = 'this schema refers to itself without looking deeper into the value';
  const repair = 'Break the circle, or refer back only from within "properties" or "items".';
  return [{ code: 'SCHEMA_NEVER_ENDS', message, pointer: costly, repair }];
}

function tooCostly(pointer: string, how: string): Problem {
  const repair = 'Let fewer alternatives refer to each other.';
  return { code: 'SCHEMA_TOO_COSTLY', message: `this schema ${how}`, pointer, repair };
}

function listInPlace(schema: Json | undefined, pointer: string): readonly string[] {
  if (!isObject(schema)) return [];
  const inPlace = listChildren(schema, pointer).filter((child) => child.in_place);
  const reference = typeof schema['$ref'] === 'string' ? pointerOfReference(schema['$ref']) : undefined;
  return [...inPlace.map((child) => child.pointer), ...(reference === undefined ? [] : [reference])];
}

/** Which parts of a value a schema within another looks at. */
type Part =
  | { readonly of: 'item'; readonly from: number; readonly to: number }
  | { readonly of: 'member'; readonly name?: string; readonly matches: (name: string) => boolean };

/** A way from a schema to one that looks a level deeper. */
interface Way {
  readonly part: Part;
  /** The pointer of the schema that looks deeper. */
  readonly leads_to: string;
  /** Which branch each choice on the way has taken, by the pointer of the choice. */
  readonly chosen: ReadonlyMap<string, string>;
}

function checkCircles(root: JsonObject, places: Places): readonly Problem[] {
  const below = new Map([...places].map(([pointer, schema]) => [pointer, listDeeper(schema, pointer)]));
  const inPlace = new Map([...places].map(([pointer, schema]) => [pointer, listInPlace(schema, pointer)]));
  const deeper = (pointer: string) => (below.get(pointer) ?? []).map(({ leads_to }) => leads_to);
  const next = new Map([...inPlace].map(([pointer, here]) => [pointer, [...here, ...deeper(pointer)]]));
  const before = invert(next);
  const walk: Walk = { in_place: inPlace, choices: listChoices(root), below, left: WAYS_MAX };
  const entries = new Set(['', ...[...places.keys()].flatMap(deeper)]);
  for (const pointer of entries) {
    const leading_back = listReached(before, pointer);
    if (next.get(pointer)?.some((one) => leading_back.has(one)) !== true) continue;
    const ways = listWays(walk, pointer, new Map()).filter(({ leads_to }) => leading_back.has(leads_to));
    if (walk.left < 0) return [tooCostly(pointer, `has more than ${WAYS_MAX} ways back to itself`)];
    const twice = findTwice(ways);
    if (twice !== undefined) return [exponential(twice.first, twice.second)];
  }
  return [];
}

function exponential(first: Way, second: Way): Problem {
  const places =
    first.leads_to === second.leads_to ? 'it is reached by two ways' : `"${first.leads_to}" looks at the same part`;
  return {
    code: 'SCHEMA_EXPONENTIAL',
    message: `this leads back to a schema around it, and so does another way to the same part of the value (${places}): each level of a value would double the work`,
    pointer: second.leads_to,
    repair:
      'Say it once, beside the alternatives and not within them; or let each alternative require another constant of one member, such as "kind".',
  };
}

/** The most ways within circles that are followed. */
const WAYS_MAX = 100_000;

interface Walk {
  readonly in_place: ReadonlyMap<string, readonly string[]>;
  /** Pointers of the lists of alternatives of which a value chooses one before any is followed. */
  readonly choices: ReadonlySet<string>;
  readonly below: ReadonlyMap<string, readonly Deeper[]>;
  /** How many ways may still be followed. */
  left: number;
}

/** All ways from a schema to what looks a level deeper, in place first. Nothing comes back in place: that has been refused. */
function listWays(walk: Walk, pointer: string, chosen: ReadonlyMap<string, string>): readonly Way[] {
  walk.left -= 1;
  if (walk.left < 0) return [];
  const here = (walk.below.get(pointer) ?? []).map((deeper) => ({ ...deeper, chosen }));
  const inPlace = (walk.in_place.get(pointer) ?? []).flatMap((next) => {
    const choice = findChoice(walk, pointer, next);
    if (choice === undefined) return listWays(walk, next, chosen);
    const [name, branch] = choice;
    const before = chosen.get(name);
    if (before !== undefined && before !== branch) return [];
    return listWays(walk, next, new Map([...chosen, [name, branch]]));
  });
  return [...here, ...inPlace];
}

function findChoice({ choices }: Walk, from: string, to: string): readonly [name: string, branch: string] | undefined {
  if (to === `${from}/then` || to === `${from}/else`) return [`${from}/if`, to];
  const list = ['oneOf', 'anyOf'].map((keyword) => `${from}/${keyword}`).find((place) => to.startsWith(`${place}/`));
  return list !== undefined && choices.has(list) ? [list, to] : undefined;
}

function findTwice(ways: readonly Way[]): { readonly first: Way; readonly second: Way } | undefined {
  const named = new Map<string, Way[]>();
  const wide: Way[] = [];
  for (const way of ways) {
    const { part } = way;
    const key = part.of === 'member' ? part.name : undefined;
    const rivals = key === undefined ? [...wide, ...[...named.values()].flat()] : [...wide, ...(named.get(key) ?? [])];
    const first = rivals.find((other) => meet(other, way));
    if (first) return { first, second: way };
    if (key === undefined) wide.push(way);
    else named.set(key, [...(named.get(key) ?? []), way]);
  }
  return undefined;
}

function meet(one: Way, other: Way): boolean {
  const apart = [...one.chosen].some(([name, branch]) => (other.chosen.get(name) ?? branch) !== branch);
  return !apart && overlap(one.part, other.part);
}

function overlap(one: Part, other: Part): boolean {
  if (one.of === 'item') return other.of === 'item' && one.from <= other.to && other.from <= one.to;
  if (other.of === 'item') return false;
  if (one.name !== undefined) return other.matches(one.name);
  return other.name === undefined || one.matches(other.name);
}

type Deeper = Pick<Way, 'part' | 'leads_to'>;

/** The subschemas that look a level deeper into a value. Names of members are texts without a level below them. */
function listDeeper(schema: Json, pointer: string): readonly Deeper[] {
  if (!isObject(schema)) return [];
  const prefix = schema['prefixItems'];
  const fixed = Array.isArray(prefix) ? prefix.length : 0;
  const names = membersOf(schema['properties']);
  const patterns = membersOf(schema['patternProperties']).map((pattern) => ({ pattern, test: toTest(pattern) }));
  const isOther = (name: string): boolean => !names.includes(name) && !patterns.some(({ test }) => test(name));
  const any = { of: 'item', from: 0, to: Number.POSITIVE_INFINITY } as const;
  const parts: readonly (readonly [place: string, part: Part])[] = [
    ...names.map((name) => [`/properties${appendToken('', name)}`, member((other) => other === name, name)] as const),
    ...patterns.map(({ pattern, test }) => [`/patternProperties${appendToken('', pattern)}`, member(test)] as const),
    ['/additionalProperties', member(isOther)],
    ['/unevaluatedProperties', member(isOther)],
    ...Array.from({ length: fixed }, (_, at) => [`/prefixItems/${at}`, { of: 'item', from: at, to: at }] as const),
    ['/items', { ...any, from: fixed }],
    ['/contains', any],
    ['/unevaluatedItems', { ...any, from: fixed }],
  ];
  const children = new Set(listChildren(schema, '').map((child) => child.pointer));
  return parts
    .filter(([place]) => children.has(place))
    .map(([place, part]) => ({ part, leads_to: `${pointer}${place}` }));
}

function member(matches: (name: string) => boolean, name?: string): Part {
  return { of: 'member', matches, ...present({ name }) };
}

function membersOf(held: Json | undefined): readonly string[] {
  return isObject(held) ? Object.keys(held) : [];
}

function toTest(pattern: string): (text: string) => boolean {
  const compiled = compileLinearPattern(pattern);
  return compiled.ok ? compiled.pattern.test : () => true;
}
