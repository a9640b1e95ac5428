import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../contract/json.js';
import { type Problem, problem } from '../contract/problem.js';
import type { FarReference, Size } from '../contract/problems/schemas.js';
import { appendToken, isObject } from '../core/content/json-pointer.js';
import { among, nearestName } from '../core/content/nearest-name.js';
import { isError } from '../core/protocol/document-problem.js';
import { listRefusedMembers } from '../core/typing/refused-members.js';
import { compileLinearPattern } from './linear-pattern.js';
import {
  listChildren,
  listSubschemas,
  mapChildren,
  pointerOfReference,
  type Subschema,
} from '../core/content/subschemas.js';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The keywords that the vocabularies of the dialect define whose address contains a text. */
function keywordsOf(vocabularies: string): readonly string[] {
  return Object.entries(new Ajv2020().schemas).flatMap(([id, vocabulary]) => {
    const { properties = {} } = (vocabulary?.schema ?? {}) as { readonly properties?: JsonObject };
    return id.includes(vocabularies) ? Object.keys(properties) : [];
  });
}

/** All of them, and the older name of `$defs`. */
const KNOWN_KEYWORDS: readonly string[] = ['definitions', ...keywordsOf('/meta/')];
/** Those that are more than a description. */
const CHECKING_KEYWORDS = new Set(KNOWN_KEYWORDS.filter((name) => !keywordsOf('/meta-data').includes(name)));

/** How the dialect says what keywords of OpenAPI and of earlier drafts say. */
const FORMER_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['nullable', 'Write the type "null" beside the others, as in "type": ["string", "null"].'],
  ['dependencies', 'Write "dependentRequired" or "dependentSchemas".'],
  ['additionalItems', 'Write "prefixItems" for the first items, and "items" for the rest.'],
  ['id', 'Write "$id".'],
  ['example', 'Write "examples", a list.'],
]);

/** A schema without what checks nothing: the validator obeys some keywords of other dialects, and breaks on others. */
export function withKnownKeywords(schema: JsonObject): JsonObject {
  const known = Object.entries(schema).filter(([keyword]) => KNOWN_KEYWORDS.includes(keyword));
  return mapChildren(Object.fromEntries(known), (child) => (isObject(child) ? withKnownKeywords(child) : child));
}

/** The most that one schema may hold. */
const SUBSCHEMAS_MAX = 2000;
const CHARACTERS_MAX = 262_144;
/** Instructions of the programs that match all its patterns. */
const PATTERN_SIZE_MAX = 50_000;
/** What compiling it may cost, where a keyword costs one: it takes about a third of a millisecond. */
const COMPILE_COST_MAX = 6000;

const TRACKED_MAX = 100_000;
/** So many references to nothing are compared with against all that there is. */
const SUGGESTED_MAX = 20;

/** Keywords that point elsewhere than by a pointer within the document. */
const FAR_KEYWORDS = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$vocabulary'];

/** The keywords in which the validator passes over a member of that name. */
const NAMING_KEYWORDS = ['patternProperties', 'properties'];
const UNCHECKED_NAME = '__proto__';

/** The connection of a call is its binding's: no model and no service chooses one. */
const CONNECTION_ID = /^connection[_-]?id$/i;

/** Says that a schema is too large to be looked at. */
export function checkSize(schema: JsonObject): readonly Problem[] {
  if (lengthOf(schema) > CHARACTERS_MAX) return [tooLarge({ characters_max: CHARACTERS_MAX })];
  const subschemas = listSubschemas(schema);
  if (subschemas.length > SUBSCHEMAS_MAX) return [tooLarge({ schemas_max: SUBSCHEMAS_MAX })];
  if (countTracked(subschemas) > TRACKED_MAX) return [tooLarge({ because: 'tracking' })];
  const costly = checkCompileCost(subschemas);
  return costly.length > 0 ? costly : checkPatternSizes(subschemas);
}

/** Against a schema of few characters from which the validator makes very much code. */
function checkCompileCost(subschemas: readonly Subschema[]): readonly Problem[] {
  const targets = new Set(subschemas.map(({ schema }) => (isObject(schema) ? targetOf(schema) : undefined)));
  let cost = 0;
  for (const { schema, pointer } of subschemas) {
    if (!isObject(schema)) continue;
    cost += compileCost(schema) * countCompiled(pointer, targets) * (1 + (pointer.length >> 8));
    if (cost > COMPILE_COST_MAX) return [tooLarge({ because: 'compiling' }, pointer)];
  }
  return [];
}

/** What a reference points to is compiled once for all references, and again where it stands within other schemas. */
function countCompiled(pointer: string, targets: ReadonlySet<string | undefined>): number {
  const tokens = pointer.split('/');
  const referred = tokens.filter((_, index) => index > 0 && targets.has(tokens.slice(0, index + 1).join('/')));
  return referred.length + (DEFINITION.test(pointer) ? 0 : 1);
}

const DEFINITION = /^\/(\$defs|definitions)\//;

/** Without the schemas that it holds. */
function compileCost(schema: JsonObject): number {
  const checking = Object.entries(schema).filter(([keyword]) => CHECKING_KEYWORDS.has(keyword));
  return checking.reduce((sum, [keyword, value]) => sum + 1 + (EXTRA_COSTS[keyword]?.(value) ?? 0), 0);
}

/** The validator keeps these values in a list beside its code; each value is searched for in that list, so a longer list costs more. */
const HELD_COST = 3;

const EXTRA_COSTS: Readonly<Record<string, (value: Json) => number>> = {
  enum: () => HELD_COST,
  pattern: () => HELD_COST,
  uniqueItems: () => HELD_COST,
  const: (value) => (typeof value === 'object' ? HELD_COST : 0),
  patternProperties: (value) => HELD_COST * listOf(value).length,
  // Each name is looked for by code of its own.
  required: (names) => Math.min(listOf(names).length, 200) / 2,
  // The complaint about each name repeats all of them.
  dependentRequired: (lists) =>
    listOf(lists).reduce<number>((sum, names) => sum + listOf(names).length * (1 + lengthOf(names) / 1024), 0),
  anyOf: costOfChoice,
  oneOf: costOfChoice,
};

/** A choice is written as conditions within one another, and one of constants as a list of values. */
function costOfChoice(branches: Json): number {
  const isConstant = (branch: Json): boolean =>
    Object.keys(Object(branch)).every((name) => ['const', 'enum'].includes(name) || !CHECKING_KEYWORDS.has(name));
  return listOf(branches).every(isConstant) ? 0 : 12 * listOf(branches).length;
}

function listOf(value: Json): readonly Json[] {
  return Object.values(Object(value) as JsonObject);
}

function lengthOf(value: Json): number {
  return JSON.stringify(value).length;
}

/**
 * Against a small schema that takes minutes to compile: where the validator tracks what is evaluated, it writes code for
 * each name in each schema that looks at the same value.
 */
function countTracked(subschemas: readonly Subschema[]): number {
  const schemas = subschemas.map(({ schema }) => schema).filter(isObject);
  if (!schemas.some((schema) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema)) return 0;
  const merging = subschemas.filter(({ schema, in_place }) => in_place || (isObject(schema) && '$ref' in schema));
  return merging.length * schemas.reduce((sum, { properties }) => sum + Object.keys(properties ?? {}).length, 0);
}

/** Against a short text that becomes a large program: a repeat of a repeat. */
function checkPatternSizes(subschemas: readonly Subschema[]): readonly Problem[] {
  let size = 0;
  for (const { schema, pointer } of subschemas) {
    for (const pattern of isObject(schema) ? patternsOf(schema) : []) {
      const compiled = compileLinearPattern(pattern);
      size += compiled.ok ? compiled.pattern.size : 0;
      if (size > PATTERN_SIZE_MAX) return [tooLarge({ because: 'patterns' }, pointer)];
    }
  }
  return [];
}

function patternsOf(schema: JsonObject): readonly string[] {
  const { pattern, patternProperties } = schema as Readonly<Record<string, Json | undefined>>;
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
}

/**
 * Checks an author's schema beyond the metaschema: it refers to nothing outside itself, and its references end. Unknown
 * keywords and formats are notes.
 */
export function checkSchema(schema: JsonObject, knownFormats: ReadonlySet<string>): readonly Problem[] {
  const subschemas = listSubschemas(schema);
  const problems = [
    ...checkDialect(schema),
    ...subschemas.flatMap((subschema) => checkKeywords(subschema, knownFormats)),
  ];
  const places = new Map(subschemas.map((subschema) => [subschema.pointer, subschema.schema]));
  const lost = subschemas.flatMap(({ schema, pointer }) => {
    const target = isObject(schema) ? targetOf(schema) : undefined;
    return target === undefined || places.has(target) ? [] : [{ pointer, target }];
  });
  const references = lost.map(({ pointer, target }, index) =>
    unknownReference(pointer, target, index < SUGGESTED_MAX ? [...places.keys()] : []),
  );
  const found = [...problems, ...references];
  return found.some(isError) ? found : [...found, ...checkEnds(places)];
}

/** Says which required members keep every object from fitting a schema that is sound otherwise. */
export function checkRequired(schema: JsonObject): readonly Problem[] {
  return listRefusedMembers(schema).map(({ pointer, name, known }) =>
    problem('REQUIRED_REFUSED', { name, nearest: nearestName(name, known) }, { pointer }),
  );
}

/** Against a check that never ends: finds a schema that comes back to itself at one and the same place of a value. */
function checkEnds(places: ReadonlyMap<string, Json>): readonly Problem[] {
  const ended = new Set<string>();
  const open = new Set<string>();
  const comesBack = (pointer: string): boolean => {
    if (open.has(pointer) || ended.has(pointer)) return open.has(pointer);
    open.add(pointer);
    const found = listInPlace(places.get(pointer), pointer).some(comesBack);
    open.delete(pointer);
    ended.add(pointer);
    return found;
  };
  const circular = [...places.keys()].find(comesBack);
  if (circular === undefined) return [];
  return [problem('SCHEMA_NEVER_ENDS', undefined, { pointer: circular })];
}

function listInPlace(schema: Json | undefined, pointer: string): readonly string[] {
  if (!isObject(schema)) return [];
  const inPlace = listChildren(schema, pointer).filter((child) => child.in_place);
  const reference = targetOf(schema);
  return [...inPlace.map((child) => child.pointer), ...(reference === undefined ? [] : [reference])];
}

function tooLarge(size: Size, pointer = ''): Problem {
  return problem('SCHEMA_TOO_LARGE', size, { pointer });
}

function checkDialect(schema: JsonObject): readonly Problem[] {
  const dialect = schema['$schema'];
  if (dialect === undefined || dialect === DIALECT) return [];
  return [problem('UNKNOWN_DIALECT', undefined, { pointer: '/$schema' })];
}

function checkKeywords({ schema, pointer }: Subschema, knownFormats: ReadonlySet<string>): readonly Problem[] {
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = appendToken(pointer, keyword);
    if (NAMING_KEYWORDS.includes(keyword) && isObject(value) && Object.hasOwn(value, UNCHECKED_NAME))
      return [problem('NAME_NOT_CHECKED', { name: UNCHECKED_NAME }, { pointer: appendToken(place, UNCHECKED_NAME) })];
    if (keyword === 'properties' && isObject(value)) {
      const named = Object.keys(value).filter((name) => CONNECTION_ID.test(name));
      return named.map((name) => problem('CONNECTION_ID_IN_SCHEMA', { name }, { pointer: appendToken(place, name) }));
    }
    if (FAR_KEYWORDS.includes(keyword)) return [farReference(place, { keyword })];
    if (keyword === '$ref' && typeof value === 'string' && pointerOfReference(value) === undefined)
      return [farReference(place, { target: value })];
    if (keyword === '$id' && pointer !== '') return [farReference(place, { inner_id: true })];
    if (keyword === 'pattern' && typeof value === 'string') return checkPattern(place, value);
    if (keyword === 'patternProperties' && isObject(value)) {
      return Object.keys(value).flatMap((pattern) => checkPattern(appendToken(place, pattern), pattern));
    }
    if (keyword === 'format' && typeof value === 'string')
      return checkKnown('UNKNOWN_FORMAT', place, value, [...knownFormats]);
    return checkKnown('UNKNOWN_KEYWORD', place, keyword, [...KNOWN_KEYWORDS, 'declassify']);
  });
}

function farReference(pointer: string, facts: FarReference): Problem {
  return problem('UNSUPPORTED_REFERENCE', facts, { pointer });
}

function checkPattern(pointer: string, pattern: string): readonly Problem[] {
  try {
    void new RegExp(pattern, 'u');
  } catch (error) {
    return [problem('BAD_PATTERN', { pattern, reason: (error as Error).message }, { pointer })];
  }
  const compiled = compileLinearPattern(pattern);
  if (compiled.ok) return [];
  return [problem('PATTERN_NOT_LINEAR', { pattern, reason: compiled.reason }, { pointer })];
}

function checkKnown(
  code: 'UNKNOWN_FORMAT' | 'UNKNOWN_KEYWORD',
  pointer: string,
  name: string,
  known: readonly string[],
): readonly Problem[] {
  if (known.includes(name)) return [];
  const today = code === 'UNKNOWN_KEYWORD' ? FORMER_KEYWORDS.get(name) : undefined;
  return [problem(code, { name, nearest: nearestName(name, known), today }, { pointer })];
}

function targetOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? pointerOfReference($ref) : undefined;
}

function unknownReference(pointer: string, target: string, places: readonly string[]): Problem {
  const defined = places.filter((place) => /^\/(\$defs|definitions)\/[^/]+$/.test(place)).map((place) => `#${place}`);
  const facts = { target, ...among(`#${target}`, defined) };
  return problem('UNKNOWN_REFERENCE', facts, { pointer: appendToken(pointer, '$ref') });
}
